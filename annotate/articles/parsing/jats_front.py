"""What a JATS article says about itself, and its reference list."""

import re
from collections.abc import Iterator

from lxml import etree

from annotate.articles.document import Reference
from annotate.articles.parsing.identifiers import Identifiers, as_year, identifiers_of
from annotate.articles.parsing.inline import InlineWriter, child, flat_run, flat_text, local_name
from annotate.articles.parsing.jats_blocks import Reading

_HREF = "{http://www.w3.org/1999/xlink}href"
_CITATIONS = ("element-citation", "mixed-citation", "nlm-citation", "citation", "citation-alternatives")
_TITLES = ("article-title", "chapter-title", "data-title", "part-title", "source")


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


def identifiers(meta: etree._Element | None) -> Identifiers:
    """Returns pmid, pmcid and doi, normalised; None where missing or malformed."""
    ids = () if meta is None else (each for each in meta if local_name(each) == "article-id")
    return identifiers_of((each.get("pub-id-type", ""), flat_text(each)) for each in ids)


def journal(front: etree._Element | None) -> str | None:
    """Returns the journal's title, or None."""
    meta = None if front is None else child(front, "journal-meta")
    return None if meta is None else flat_text(next(meta.iter("{*}journal-title"), None)) or None


def year(meta: etree._Element | None) -> int | None:
    """Returns the earliest year of publication given (electronic, print or collection), or None."""
    dates = () if meta is None else (each for each in meta if local_name(each) == "pub-date")
    return min(filter(None, (as_year(flat_text(child(date, "year"))) for date in dates)), default=None)


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


def references(article: etree._Element) -> Iterator[Reference]:
    """Yields the article's own references in order, without its sub-articles' references; empty ones are left out."""
    for ref in article.iter("{*}ref"):
        if next(ref.iterancestors("{*}sub-article", "{*}response"), None) is None:
            for citation in ref:
                if local_name(citation) in _CITATIONS:
                    reference = _reference(citation, ref)
                    if reference != Reference():
                        yield reference


def _reference(citation: etree._Element, ref: etree._Element) -> Reference:
    named: list[tuple[str, str | None]] = []
    for element in citation.iter("{*}pub-id", "{*}object-id", "{*}article-id", "{*}ext-link"):
        named_kind = element.get("pub-id-type") or element.get("ext-link-type")
        kind = named_kind if named_kind in ("pmid", "pmc", "pmcid") else "doi"
        named += (kind, flat_text(element)), (kind, element.get(_HREF))
    anchors = tuple(name for element in (ref, citation) if (name := element.get("id")))
    return Reference(_title(citation), **identifiers_of(named), anchors=anchors)


def _title(citation: etree._Element) -> str:
    for name in _TITLES:
        found = next(citation.iter("{*}" + name), None)
        if found is not None and (text := flat_text(found)):
            return text
    return flat_text(citation) if child(citation, "name", "person-group", "source") is None else ""
