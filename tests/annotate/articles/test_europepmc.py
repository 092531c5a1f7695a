"""Europe PMC against a server of our own: what is fetched, what is refused, and that nothing else is ever asked for."""

import json
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from urllib3.util import Retry

import annotate.articles.europepmc
from annotate.articles.document import SectionKind
from annotate.articles.europepmc import RETRIES, SERVICE, EuropePmc
from tests.support.answering import Answering, answering
from tests.support.ingesting import ingest
from tests.support.making import paper, query, store

JATS = (
    '<article><front><article-meta><article-id pub-id-type="pmid">{pmid}</article-id>'
    '<article-id pub-id-type="pmc">{pmcid}</article-id>'
    "<title-group><article-title>Loss of TP53</article-title></title-group>"
    "<abstract><p>It is known.</p></abstract></article-meta></front>"
    "<body><sec><title>Results</title><p>We deleted it.</p></sec></body></article>"
)
FOUND = {
    "pmid": "33",
    "pmcid": "PMC44",
    "doi": "10.1/AB",
    "title": "Loss of <i>TP53</i> &amp; more",
    "abstractText": "<h4>Background</h4>It is known.<h4>Results</h4>p&lt;0.05 for H<sub>2</sub>O.",
    "journalInfo": {"journal": {"title": "J Test"}},
    "pubYear": "2020",
    "isOpenAccess": "Y",
    "license": "cc by",
}
Answer = tuple[int, dict[str, str], bytes]


class Service:
    """A stand-in for the service: one answer or a list of answers for each path, and what was asked."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.answers: dict[str, list[Answer | Callable[[Answering], None]]] = {}
        service = self

        class Handler(Answering):
            def do_GET(self) -> None:
                service.asked.append(self.path)
                answers = service.answers.get(urlsplit(self.path).path, [(404, {}, b"not found")])
                said = answers.pop(0) if len(answers) > 1 else answers[0]
                if callable(said):
                    said(self)
                    return
                status, headers, body = said
                self.answer(status, body, headers)

        self.handler = Handler
        self.url = ""

    def says(self, path: str, *answers: Any) -> None:
        self.answers[f"/rest/{path}"] = list(answers)

    def finds(self, *results: Any) -> None:
        body = json.dumps({"resultList": {"result": results}}).encode()
        self.says("search", (200, {"Content-Type": "application/json"}, body))


@pytest.fixture
def service() -> Iterator[Service]:
    """The stand-in, serving."""
    made = Service()
    with answering(made.handler) as address:
        made.url = f"{address}/rest"
        yield made


def fetch(service: Service, *identifiers: str, retries: Retry | None = None):
    quick = retries or RETRIES.new(backoff_factor=0.0)
    with EuropePmc(service.url, retries=quick, pause=0.0) as client:
        return list(client.fetch_all(identifiers))


def full_text(pmid: str = "33", pmcid: str = "PMC44") -> Answer:
    return 200, {"Content-Type": "application/xml"}, JATS.format(pmid=pmid, pmcid=pmcid).encode()


@pytest.mark.parametrize("identifier", ["33", "PMC44", " pmc44 "])
def test_an_open_access_article_comes_with_its_full_text(service, identifier):
    service.finds(FOUND)
    service.says("PMC44/fullTextXML", full_text())
    (entry,) = fetch(service, identifier)
    assert entry.error is None
    assert (entry.article.pmid, entry.article.pmcid, entry.article.title) == ("33", "PMC44", "Loss of TP53")
    assert [s.kind for s, _, _ in entry.article.paragraphs()] == [SectionKind.ABSTRACT, SectionKind.BODY]
    search, text = service.asked
    assert text == "/rest/PMC44/fullTextXML"
    asked = parse_qs(urlsplit(search).query)
    wanted = "((EXT_ID:33) AND SRC:MED)" if identifier == "33" else "PMCID:PMC44"
    assert asked == {"query": [wanted], "resultType": ["core"], "format": ["json"], "pageSize": ["1"]}


def test_a_full_text_whose_xml_lacks_its_pmid_is_the_article_that_was_asked_for(home, service):
    store(paper(("It is known.",), pmid="33", title="Loss of TP53 in cells"))
    service.finds(FOUND | {"meshHeadingList": {"meshHeading": [{"descriptorName": "Mice"}]}})
    service.says("PMC44/fullTextXML", full_text(pmid=""))
    assert ingest(fetch(service, "33")).counts == {"full text added": 1}
    assert query("SELECT pmid, pmcid, doi, journal, year, licence FROM article") == [
        ("33", "PMC44", "10.1/ab", "J Test", 2020, "cc by")
    ]
    assert query("SELECT title FROM section WHERE kind = 'mesh'") == [("Mice",)]


def test_an_article_is_fetched_by_its_doi_and_another_one_is_not_taken_for_it(service):
    service.finds(FOUND | {"doi": "10.1000/AB", "isOpenAccess": "N"})
    (entry,) = fetch(service, "10.1000/ab")
    assert entry.article.doi == "10.1000/ab"
    assert parse_qs(urlsplit(service.asked[0]).query)["query"] == ['DOI:"10.1000/ab"']
    (other,) = fetch(service, "10.1000/other")
    assert other.error == "the service answered with another article"


def test_an_article_that_is_not_open_comes_as_its_abstract(service):
    service.finds(FOUND | {"isOpenAccess": "N"})
    (entry,) = fetch(service, "33")
    article = entry.article
    assert (article.title, article.journal, article.year, article.licence) == (
        "Loss of TP53 & more",
        "J Test",
        2020,
        "cc by",
    )
    assert (article.pmid, article.pmcid, article.doi) == ("33", "PMC44", "10.1/ab")
    texts = [(s.title, s.kind, p.text) for s, _, p in article.paragraphs()]
    assert texts == [
        ("Background", SectionKind.ABSTRACT, "It is known."),
        ("Results", SectionKind.ABSTRACT, "p<0.05 for H2O."),
    ]
    assert any("abstract only" in warning for warning in article.warnings)
    assert len(service.asked) == 1


@pytest.mark.parametrize(
    ("written", "text"),
    [
        ("x <5% and n<m of <i>TP53</i>.", "x <5% and n<m of TP53."),
        ('We <a href="x">did</a> p<q as a<b and c>d.<br/>It fell.', "We did p<q as a<b and c>d. It fell."),
    ],
)
def test_a_sign_for_less_than_is_no_tag(service, written, text):
    service.finds(FOUND | {"isOpenAccess": "N", "title": written, "abstractText": written})
    (entry,) = fetch(service, "33")
    assert " ".join([entry.article.title, entry.article.abstract]).replace("\n", " ") == f"{text} {text}"


def test_an_article_without_abstract_is_its_title(service):
    service.finds({"pmid": "33", "title": "A title."})
    (entry,) = fetch(service, "33")
    assert (entry.article.title, list(entry.article.paragraphs())) == ("A title.", [])
    assert "no abstract" in entry.article.warnings


def test_what_the_service_does_not_know_is_said(service):
    service.finds()
    assert [entry.error for entry in fetch(service, "33", "PMC44")] == ["the service knows no such article"] * 2


def test_an_article_that_is_not_found_hinders_no_other(service):
    service.finds(FOUND)
    service.says("PMC44/fullTextXML", (403, {}, b""), full_text())
    first, second = fetch(service, "33", "33")
    assert first.error == "the service answered 403" and first.article is None
    assert second.article.pmid == "33"


def test_an_open_article_without_xml_comes_as_its_abstract(service):
    service.finds(FOUND)
    service.says("PMC44/fullTextXML", (404, {}, b""))
    (entry,) = fetch(service, "33")
    assert {section.kind for section in entry.article.sections} == {SectionKind.ABSTRACT}
    assert entry.article.warnings == ("abstract only: the service has no open full text",)


def test_a_busy_service_is_asked_again(service):
    body = json.dumps({"resultList": {"result": [FOUND]}}).encode()
    service.says("search", (429, {}, b""), (503, {"Retry-After": "0"}, b""), (200, {}, body))
    service.says("PMC44/fullTextXML", (500, {}, b""), full_text())
    (entry,) = fetch(service, "33")
    assert entry.article.pmcid == "PMC44"
    assert len(service.asked) == 5


def test_a_service_that_stays_busy_is_given_up_after_four_repeats(service):
    service.says("search", (429, {}, b""))
    (entry,) = fetch(service, "33")
    assert "cannot be reached" in entry.error and entry.article is None
    assert len(service.asked) == 5


def test_no_answer_makes_the_client_wait_longer_than_a_minute():
    assert RETRIES.retry_after_max <= 60
    assert sum(RETRIES.backoff_factor * 2**n for n in range(RETRIES.total)) <= 60


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_is_never_followed(service, status):
    service.says("elsewhere", full_text())
    service.says("search", (status, {"Location": "/rest/elsewhere"}, b""))
    (entry,) = fetch(service, "33")
    assert entry.error == f"the service answered {status}"
    assert [urlsplit(path).path for path in service.asked] == ["/rest/search"]


def test_another_article_than_the_one_asked_for_is_refused(service):
    service.finds(FOUND | {"pmid": "99", "pmcid": "PMC98"})
    assert [entry.error for entry in fetch(service, "33")] == ["the service answered with another article"]
    service.finds(FOUND)
    service.says("PMC44/fullTextXML", full_text(pmcid="PMC45"))
    (entry,) = fetch(service, "33")
    assert entry.article is None and entry.error == "the service answered with PMC45 instead"


@pytest.mark.parametrize(
    "pmcid", ["PMC44/../../admin", "PMC0", "44", "PMC44?x=", "http://169.254.169.254/", 44, None, ""]
)
def test_an_odd_pmcid_in_an_answer_asks_for_nothing(service, pmcid):
    service.finds(FOUND | {"pmcid": pmcid})
    (entry,) = fetch(service, "33")
    assert len(service.asked) == 1
    assert entry.error or "abstract only" in str(entry.article.warnings)


def test_a_body_that_is_too_large_is_refused_while_it_comes(service, monkeypatch):
    monkeypatch.setattr(annotate.articles.europepmc, "MAX_BYTES", 100_000)
    sent: list[int] = []

    def endless(handler: Answering) -> None:
        handler.send_response(200)
        handler.end_headers()
        try:
            for _ in range(10_000):
                handler.wfile.write(b"x" * 10_000)
                sent.append(10_000)
        except OSError:
            return

    service.says("search", endless)
    (entry,) = fetch(service, "33")
    assert "larger than" in entry.error
    assert sum(sent) < 50_000_000


def test_a_compressed_body_counts_by_what_it_becomes(service, monkeypatch):
    import gzip

    monkeypatch.setattr(annotate.articles.europepmc, "MAX_BYTES", 100_000)
    bomb = gzip.compress(b"x" * 10_000_000)
    assert len(bomb) < 20_000
    service.says("search", (200, {"Content-Encoding": "gzip"}, bomb))
    (entry,) = fetch(service, "33")
    assert "larger than" in entry.error


@pytest.mark.parametrize("size", [1, 1 << 16])
@pytest.mark.parametrize("declared", [True, False])
def test_a_body_that_drips_is_given_up(service, monkeypatch, size, declared):
    monkeypatch.setattr(annotate.articles.europepmc, "BODY_SECONDS", 0.2)
    hung_up = threading.Event()

    def drip(handler: Answering) -> None:
        handler.send_response(200)
        if declared:
            handler.send_header("Content-Length", "10000000")
        handler.end_headers()
        try:
            for _ in range(1_000):
                handler.wfile.write(b"x" * size)
                time.sleep(0.05)
        except OSError:
            hung_up.set()

    service.says("search", drip)
    (entry,) = fetch(service, "33")
    assert "took longer than" in entry.error
    assert hung_up.wait(20)  # long before the 50 seconds that it would have taken


@pytest.mark.parametrize(
    "body",
    [
        b"<html>Service unavailable</html>",
        b"",
        b"[]",
        b"null",
        b"{}",
        b'{"resultList": null}',
        b'{"resultList": {"result": null}}',
        b'{"resultList": {"result": "PMC44"}}',
        b'{"resultList": {"result": {"a": 1}}}',
        b'{"resultList": {"result": [7]}}',
        b"\xff\xfe\x00",
        b"[" * 100_000,
    ],
    ids=range(12),
)
def test_an_answer_that_is_not_what_was_asked_for_is_said_and_not_an_error(service, body):
    service.says("search", (200, {}, body))
    (entry,) = fetch(service, "33")
    assert entry.error and entry.article is None


@pytest.mark.parametrize(
    "body", [b"<html><body>Error</body></html>", b"", b"<article><front>", b"PK\x03\x04", b"%PDF-1.4"]
)
def test_a_full_text_that_is_none_is_said(service, body):
    service.finds(FOUND)
    service.says("PMC44/fullTextXML", (200, {}, body))
    entries = fetch(service, "33")
    assert all(entry.article is None and entry.error for entry in entries)


def test_a_connection_that_breaks_is_said(service):
    def hang_up(handler: Answering) -> None:
        handler.send_response(200)
        handler.send_header("Content-Length", "1000")
        handler.end_headers()
        handler.wfile.write(b"half")
        handler.connection.close()

    service.says("search", hang_up)
    (entry,) = fetch(service, "33")
    assert "cannot be reached" in entry.error


BAD = [
    "PMC1/../..",
    "PMC1@evil",
    "http://169.254.169.254",
    "PMC١٢",
    "PMC0",
    "0",
    "PMC" + "1" * 20,
    "1" * 20,
    "33 OR 1",
    "33\n44",
    "",
    "-1",
    "1.5",
]


def test_an_identifier_that_is_none_makes_no_request(service):
    entries = fetch(service, *BAD)
    assert len(entries) == len(BAD) and all(entry.error and entry.article is None for entry in entries)
    assert service.asked == []


def test_requests_keep_their_distance(service):
    service.finds()
    started = time.monotonic()
    with EuropePmc(service.url, retries=RETRIES, pause=0.1) as client:
        list(client.fetch_all(["33", "34", "35"]))
    assert time.monotonic() - started >= 0.2


def test_the_host_is_fixed_and_encrypted():
    assert SERVICE.startswith("https://www.ebi.ac.uk/europepmc/")
