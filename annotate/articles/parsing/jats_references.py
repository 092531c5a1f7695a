"""The reference list of a JATS article."""

from collections.abc import Iterator

from lxml import etree

from annotate.articles.document import Reference
from annotate.articles.parsing.identifiers import as_doi, as_pmcid, as_pmid
from annotate.articles.parsing.inline import child, flat_text, local_name

_CITATIONS = ("element-citation", "mixed-citation", "nlm-citation", "citation", "citation-alternatives")
_TITLES = ("article-title", "chapter-title", "data-title", "part-title", "source")
_HREF = "{http://www.w3.org/1999/xlink}href"


def read_references(article: etree._Element) -> Iterator[Reference]:
    """Yields the article's own references in order, without its sub-articles' references; empty ones are left out."""
    for ref in article.iter("{*}ref"):
        if next(ref.iterancestors("{*}sub-article", "{*}response"), None) is None:
            for citation in ref:
                if local_name(citation) in _CITATIONS:
                    reference = _reference(citation, ref)
                    if reference != Reference():
                        yield reference


def _reference(citation: etree._Element, ref: etree._Element) -> Reference:
    pmid = pmcid = doi = None
    for element in citation.iter("{*}pub-id", "{*}object-id", "{*}article-id", "{*}ext-link"):
        text, href = flat_text(element), element.get(_HREF)
        kind = element.get("pub-id-type") or element.get("ext-link-type") or ""
        if kind == "pmid":
            pmid = pmid or as_pmid(text) or as_pmid(href)
        elif kind in ("pmc", "pmcid"):
            pmcid = pmcid or as_pmcid(text) or as_pmcid(href)
        else:
            doi = doi or as_doi(text) or as_doi(href)
    anchors = tuple(name for element in (ref, citation) if (name := element.get("id")))
    return Reference(_title(citation), pmid, pmcid, doi, anchors)


def _title(citation: etree._Element) -> str:
    for name in _TITLES:
        found = next(citation.iter("{*}" + name), None)
        if found is not None and (text := flat_text(found)):
            return text
    return flat_text(citation) if child(citation, "name", "person-group", "source") is None else ""
