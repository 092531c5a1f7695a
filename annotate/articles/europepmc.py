"""Europe PMC's REST service: open-access full texts by PMID or PMCID, abstracts where there is none.

Source: https://europepmc.org/RestfulWebService. The host is fixed, redirects are not followed, and no part of a
request is built from anything but a checked identifier.
"""

import html
import json
import re
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

import requests
from requests.adapters import HTTPAdapter
from urllib3.exceptions import HTTPError
from urllib3.util import Retry

from annotate.articles.document import Article, Section, SectionKind, UnreadableArticle
from annotate.articles.parsing import ParsedEntry, from_bytes
from annotate.articles.parsing.formats import read_web_page
from annotate.articles.parsing.identifiers import as_doi

SERVICE = "https://www.ebi.ac.uk/europepmc/webservices/rest"
TIMEOUT_SECONDS = (10, 10)
MAX_BYTES = 20_000_000
PAGE = 100  # results of one answer
# A whole body must have come by then, however slowly it drips.
BODY_SECONDS = 120
# Europe PMC asks for moderation without naming a rate; three requests a second is NCBI's published limit.
SECONDS_BETWEEN_REQUESTS = 0.34
RETRIES = Retry(
    total=4,
    backoff_factor=1.0,
    status_forcelist=(429, 500, 502, 503, 504),
    allowed_methods=("GET",),
    redirect=0,
    retry_after_max=60,  # a service may ask for more; urllib3 would sleep up to six hours, deaf to a cancel
)
_PMCID = re.compile(r"PMC[1-9][0-9]{0,8}", re.ASCII)
_PMID = re.compile(r"[1-9][0-9]{0,8}", re.ASCII)
# A "<" of the text, as in n<m: what follows is neither the name of a tag alone nor with attributes.
_LESS_THAN = re.compile(r"""<(?!/?[a-z][\w:.-]*(?:\s+[\w:.-]+\s*=\s*(?:"[^"<>]*"|'[^'<>]*'))*\s*/?>)""", re.IGNORECASE)
QUOTE = '"'


class NotAvailable(LookupError):
    """The service has no such article, or not what was asked of it."""


def query_for(*identifiers: str) -> str:
    """The query that finds the articles of these PMIDs, PMCIDs and DOIs; "" where there is none among them."""
    pmids = [f"EXT_ID:{one}" for one in identifiers if _PMID.fullmatch(one)]
    # Other sources count their articles from 1, too.
    parts = [f"(({' OR '.join(pmids)}) AND SRC:MED)"] if pmids else []
    parts += [f"PMCID:{one}" for one in identifiers if _PMCID.fullmatch(one)]
    parts += [f'DOI:"{doi.replace(QUOTE, "")}"' for one in identifiers if (doi := as_doi(one))]
    return " OR ".join(parts)


@dataclass(frozen=True, slots=True)
class Hits:
    """What a search found: articles with title and abstract, and how many there are in all."""

    articles: list[Article]
    total: int


class NotFound(NotAvailable):
    """The service answered 404."""


class EuropePmc:
    """A polite client: one request at a time, at a fixed rate, with back-off on 429 and 5xx."""

    def __init__(self, service: str = SERVICE, *, retries: Retry = RETRIES, pause: float = SECONDS_BETWEEN_REQUESTS):
        self.service = service
        self.pause = pause
        self.out_of_reach = 0  # so often in a row, by now
        self._last = 0.0
        self._http = requests.Session()
        self._http.headers["User-Agent"] = "Keyline (key sentences of biomedical articles)"
        for scheme in ("https://", "http://"):
            self._http.mount(scheme, HTTPAdapter(max_retries=retries))

    def __enter__(self) -> "EuropePmc":
        return self

    def __exit__(self, *_: object) -> None:
        self._http.close()

    def fetch_all(self, identifiers: Iterable[str]) -> Iterator[ParsedEntry]:
        """Yields the article of each PMID, PMCID or DOI, or the reason why there is none."""
        for identifier in identifiers:
            source = f"Europe PMC {identifier[:20]}"
            try:
                found = self._fetch(identifier.strip().upper())
                self.out_of_reach = 0
                yield from found
            except (NotAvailable, UnreadableArticle) as error:
                self.out_of_reach = 0
                yield ParsedEntry(source, error=str(error))
            except requests.RequestException as error:
                self.out_of_reach += 1
                yield ParsedEntry(source, error=f"the service cannot be reached ({type(error).__name__})")

    def search(self, query: str, most: int = 100) -> "Hits":
        """The articles that the service finds for a query in its own language, best first, at most `most`; stores
        nothing.

        Raises NotAvailable for an answer that is none, requests.RequestException where it cannot be reached.
        """
        found: list[Article] = []
        cursor, total = "*", 0
        while len(found) < most:
            size = str(min(PAGE, most - len(found)))
            body = self._get("search", query=query, resultType="core", format="json", pageSize=size, cursorMark=cursor)
            results, total, after = _page_of_results(body)
            for each in results:
                if each.get("title"):
                    with suppress(UnreadableArticle):
                        found.append(_abstract_of(each))
            if not results or not after or after == cursor:
                break
            cursor = after
        return Hits(found[:most], total)

    def _fetch(self, identifier: str) -> list[ParsedEntry]:
        found = self._search(identifier)
        pmcid, content = found.get("pmcid"), None
        if pmcid and _PMCID.fullmatch(pmcid) and found.get("isOpenAccess") == "Y":
            with suppress(NotFound):  # open access, but deposited without XML
                content = self._get(f"{pmcid}/fullTextXML")
        if content is None:
            return [ParsedEntry(f"Europe PMC {identifier}", _abstract_of(found))]
        entries = []
        for entry in from_bytes(f"{pmcid}.xml", content):
            if entry.article and entry.article.pmcid not in (None, pmcid):
                raise NotAvailable(f"the service answered with {entry.article.pmcid} instead")
            entries.append(replace(entry, article=entry.article and _completed(entry.article, found)))
        return entries

    def _search(self, identifier: str) -> dict[str, Any]:
        if not (query := query_for(identifier)):
            raise NotAvailable("neither a PMID (digits) nor a PMCID (PMC and digits) nor a DOI (10. and so on)")
        body = self._get("search", query=query, resultType="core", format="json", pageSize="1")
        results, _, _ = _page_of_results(body)
        if not results:
            raise NotAvailable("the service knows no such article")
        found = results[0]
        if identifier not in (found.get("pmid"), found.get("pmcid"), (found.get("doi") or "").upper()):
            raise NotAvailable("the service answered with another article")
        return found

    def _get(self, path: str, **parameters: str) -> bytes:
        time.sleep(max(0.0, self._last + self.pause - time.monotonic()))
        self._last = time.monotonic()
        with self._http.get(
            f"{self.service}/{path}", params=parameters, timeout=TIMEOUT_SECONDS, stream=True, allow_redirects=False
        ) as response:
            if response.status_code == requests.codes.not_found:
                raise NotFound("the service answered 404")
            if response.status_code != requests.codes.ok:
                raise NotAvailable(f"the service answered {response.status_code}")
            return self._body(response)

    def _body(self, response: requests.Response) -> bytes:
        body = bytearray()
        try:
            # What has come is looked at as it comes: iter_content would wait for a whole chunk, however slow.
            while chunk := response.raw.read1(1 << 16, decode_content=True):
                body += chunk
                if len(body) > MAX_BYTES:
                    raise NotAvailable(f"the answer is larger than {MAX_BYTES // 1_000_000} MB")
                if time.monotonic() - self._last > BODY_SECONDS:
                    raise NotAvailable(f"the answer took longer than {BODY_SECONDS} s")
        except HTTPError as error:
            raise requests.ConnectionError(error) from error
        return bytes(body)


def _page_of_results(body: bytes) -> tuple[list[dict[str, Any]], int, str]:
    """(articles without fields that are not of the documented type, how many there are in all, where to go on)."""
    try:
        answer = json.loads(body)
        results = [dict(each) for each in answer["resultList"]["result"]]
    except (ValueError, KeyError, TypeError, RecursionError):
        raise NotAvailable("the service answered with something else than articles in JSON") from None
    kinds: dict[str, type] = {"journalInfo": dict, "meshHeadingList": dict}
    tidy = [
        {name: value for name, value in each.items() if isinstance(value, kinds.get(name, str))} for each in results
    ]
    total, after = answer.get("hitCount"), answer.get("nextCursorMark")
    return tidy, total if isinstance(total, int) else len(tidy), after if isinstance(after, str) else ""


def _mesh_of(found: dict[str, Any]) -> Iterator[str]:
    """The names of the MeSH terms; the service tells no codes."""
    headings = found.get("meshHeadingList", {}).get("meshHeading")
    for each in headings if isinstance(headings, list) else ():
        name = each.get("descriptorName") if isinstance(each, dict) else None
        if isinstance(name, str) and name.strip():
            yield " ".join(name.split())


def _facts_of(found: dict[str, Any]) -> dict[str, Any]:
    """What a search result tells of its article: fields of Article by name."""
    journal = found.get("journalInfo", {}).get("journal")
    year = found.get("pubYear", "")
    return {
        "pmid": found.get("pmid"),
        "pmcid": found.get("pmcid"),
        "doi": (found.get("doi") or "").lower() or None,
        "journal": journal.get("title") if isinstance(journal, dict) else None,
        "year": int(year) if re.fullmatch(r"[0-9]{4}", year) else None,
        "licence": found.get("license"),
        "mesh": tuple(_mesh_of(found)),
    }


def _completed(article: Article, found: dict[str, Any]) -> Article:
    """A full text with what only the search result tells: its XML may lack the PMID, and names no MeSH terms."""
    return replace(article, **{name: value for name, value in _facts_of(found).items() if not getattr(article, name)})


def _abstract_of(found: dict[str, Any]) -> Article:
    """The title and abstract of a search result; its abstract is HTML with h4 headings."""
    title, abstract = (_LESS_THAN.sub("&lt;", found.get(name, "").strip()) for name in ("title", "abstractText"))
    # A page with nothing but a heading is refused, though an article may have no more than its title.
    page = read_web_page(f"<h1>{title}</h1>{abstract or title}", title, None)
    sections = page.sections if abstract else ()
    warnings = () if sections else ("no abstract",)
    return Article(
        title=page.title or html.unescape(title),
        **_facts_of(found),
        sections=tuple(Section(s.title, SectionKind.ABSTRACT, s.blocks) for s in sections),
        warnings=(*warnings, "abstract only: the service has no open full text"),
    )
