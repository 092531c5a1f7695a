"""What the front matter of a JATS article says about it."""

import re
from collections.abc import Iterator

from lxml import etree

from annotate.articles.parsing.identifiers import as_doi, as_pmcid, as_pmid, as_year
from annotate.articles.parsing.inline import InlineWriter, child, flat_run, flat_text, local_name
from annotate.articles.parsing.jats_headings import Reading

_HREF = "{http://www.w3.org/1999/xlink}href"
_ID_TYPES = {"pmid": "pmid", "pmc": "pmcid", "pmcid": "pmcid", "doi": "doi"}
_READERS = {"pmid": as_pmid, "pmcid": as_pmcid, "doi": as_doi}


def article_meta(front: etree._Element | None) -> etree._Element | None:
    """Returns the element that holds title, ids and abstract; a front-stub is that element itself."""
    if front is None or local_name(front) == "front-stub":
        return front
    return child(front, "article-meta")


def title(meta: etree._Element | None) -> str:
    """Returns the article title, with a subtitle after a colon; without footnote signs."""
    group = None if meta is None else child(meta, "title-group")
    parts = [] if group is None else [_title_text(group, "article-title"), _title_text(group, "subtitle")]
    return ": ".join(part for part in parts if part)


def identifiers(meta: etree._Element | None) -> dict[str, str | None]:
    """Returns pmid, pmcid and doi, normalised; None where missing or malformed."""
    found: dict[str, str | None] = dict.fromkeys(_READERS)
    for element in () if meta is None else meta:
        name = _ID_TYPES.get(element.get("pub-id-type", ""))
        if local_name(element) == "article-id" and name and found[name] is None:
            found[name] = _READERS[name](flat_text(element))
    return found


def journal(front: etree._Element | None) -> str | None:
    """Returns the journal's title, or None."""
    meta = None if front is None else child(front, "journal-meta")
    return None if meta is None else flat_text(next(meta.iter("{*}journal-title"), None)) or None


def year(meta: etree._Element | None) -> int | None:
    """Returns the earliest year of publication given (electronic, print or collection), or None."""
    return min(_years(meta), default=None) if meta is not None else None


def licence(meta: etree._Element | None, reading: Reading) -> str | None:
    """Returns the licence text, with its URL in parentheses where the text lacks it; else the copyright line."""
    permissions = None if meta is None else child(meta, "permissions")
    place = meta if permissions is None else permissions
    found = None if place is None else child(place, "license")
    if found is None:
        return None if place is None else flat_text(child(place, "copyright-statement")) or None
    text = re.sub(" +", " ", flat_run(found, reading.unread).text)
    url = found.get(_HREF) or next((flat_text(ref) for ref in found.iter("{*}license_ref")), "")
    if url and url not in text:
        text = f"{text} ({url})" if text else url
    return text or None


def _title_text(group: etree._Element, name: str) -> str:
    writer = _TitleWriter()
    element = child(group, name)
    if element is not None:
        writer.walk(element)
    return writer.run.text


class _TitleWriter(InlineWriter):
    """Leaves out the footnotes of a title and the signs that point at them."""

    def visit(self, element: etree._Element) -> None:
        is_sign = local_name(element) == "xref" and element.get("ref-type") in ("fn", "author-notes")
        if not is_sign and local_name(element) != "fn":
            super().visit(element)


def _years(meta: etree._Element) -> Iterator[int]:
    for element in meta:
        if local_name(element) == "pub-date":
            found = as_year(flat_text(child(element, "year")))
            if found is not None:
                yield found
