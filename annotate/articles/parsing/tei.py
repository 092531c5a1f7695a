"""TEI as GROBID writes it of a PDF: https://grobid.readthedocs.io/en/latest/TEI-encoding-of-results/.

Its text is read as JATS, once each element has the name that JATS has for it. Any other TEI with a header and a body of
divisions is read in the same way.
"""

from collections.abc import Iterator
from dataclasses import replace

from lxml import etree

from annotate.articles.document import Article, Reference, Section, SectionKind, UnreadableArticle
from annotate.articles.parsing.identifiers import Identifiers, as_year, identifiers_of
from annotate.articles.parsing.inline import child, flat_text, local_name
from annotate.articles.parsing.jats import sections_of
from annotate.articles.parsing.jats_blocks import BlockWriter, Reading
from annotate.articles.parsing.limits import ARTICLE_BYTES
from annotate.articles.parsing.outline import kind_of
from annotate.articles.parsing.safe_xml import parse_xml
from annotate.articles.parsing.streams import Source

_ID = "{http://www.w3.org/XML/1998/namespace}id"
_AS_JATS = {"div": "sec", "head": "title", "figure": "fig", "figDesc": "caption", "row": "tr", "cell": "td",
            "item": "list-item", "formula": "disp-formula", "ab": "p", "lb": "break", "pb": "break", "cb": "break",
            "listBibl": "left-out", "fw": "left-out"}  # fmt: skip
_STYLES = {"italic": "italic", "superscript": "sup", "subscript": "sub", "sup": "sup", "sub": "sub"}
_BACK = {"acknowledgement": "Acknowledgements", "annex": "Appendix", "availability": "Data availability",
         "funding": "Funding", "conflict": "Conflicts of interest", "contribution": "Author contributions"}  # fmt: skip


def read(source: Source) -> Article:
    """Returns the article of a TEI file. UnreadableArticle if it is no safe XML or holds neither title nor text."""
    root = parse_xml(source.read(ARTICLE_BYTES))
    header, text = child(root, "teiHeader"), child(root, "text")
    references = tuple(_references(text))
    _write_as_jats(root)
    title = flat_text(_first(header, "titleStmt", "title"))
    sections = tuple(_sections(header, text))
    if not title and not sections:
        raise UnreadableArticle("is TEI without a title and without text")
    work = _first(header, "sourceDesc", "biblStruct")
    dates = [] if work is None else [date.get("when") or flat_text(date) for date in work.iter("{*}date")]
    published = _first(header, "publicationStmt", "date")
    dates += [] if published is None else [published.get("when") or flat_text(published)]
    return Article(
        title=title,
        **_identifiers(work),
        journal=flat_text(_titled(_first(work, "monogr"), "j", "m")) or None,
        year=next((year for date in dates if (year := as_year(date))), None),
        licence=flat_text(_first(header, "publicationStmt", "availability", "licence")) or None,
        sections=sections,
        references=references,
        warnings=() if title else ("the article has no title",),
    )


def _write_as_jats(root: etree._Element) -> None:
    for element in root.iterdescendants("{*}*"):
        name, above = local_name(element), local_name(element.getparent())
        if name == "hi":
            element.tag = _STYLES.get(element.get("rend", ""), name)
        elif name == "note":
            element.tag = "fn" if above in ("sec", "abstract", "body", "back") else "left-out"
        elif above == "fig" and name in ("head", "label"):
            element.tag = "label" if name == "head" else "left-out"
        elif name == "ref":  # in JATS a ref is an entry of the reference list
            element.tag = "xref"
            if element.get("type") == "bibr":
                element.attrib.update({"ref-type": "bibr", "rid": element.get("target", "").strip("# ")})
        elif name == "s":
            element.tail = " " + (element.tail or "")
        else:
            element.tag = _AS_JATS.get(name, element.tag)
        if element.tag == "sec" and above == "back" and element.get("type") in _BACK and child(element, "head") is None:
            etree.SubElement(element, "title").text = _BACK[element.get("type", "")]
    etree.strip_elements(root, "left-out", with_tail=False)


def _sections(header: etree._Element | None, text: etree._Element | None) -> Iterator[Section]:
    abstract = _first(header, "profileDesc", "abstract")
    if abstract is not None and (blocks := BlockWriter(SectionKind.ABSTRACT, Reading({})).blocks_of(abstract)):
        yield Section("Abstract", SectionKind.ABSTRACT, blocks)
    for name, kind in (("body", SectionKind.BODY), ("back", SectionKind.BACK)):
        part = None if text is None else child(text, name)
        for section in sections_of(part, "", kind, Reading({})):
            if section.blocks:
                yield _of_its_kind(section, kind)


def _of_its_kind(section: Section, around: SectionKind) -> Section:
    """The section, and those in it, as what their titles announce; within a part that is no body they are of that."""
    kind = kind_of(section.title) if around is SectionKind.BODY else around
    blocks = (_of_its_kind(each, kind) if isinstance(each, Section) else each for each in section.blocks)
    return replace(section, kind=kind, blocks=tuple(blocks))


def _references(text: etree._Element | None) -> Iterator[Reference]:
    for entry in () if text is None else text.iter("{*}listBibl"):
        for work in entry.iterchildren("{*}biblStruct"):
            title = _titled(child(work, "analytic"), "a") if child(work, "analytic") is not None else None
            named = flat_text(title if title is not None else _titled(child(work, "monogr"), "m", "j"))
            anchor = work.get(_ID)
            reference = Reference(named, **_identifiers(work), anchors=(anchor,) if anchor else ())
            if reference != Reference():
                yield reference


def _identifiers(work: etree._Element | None) -> Identifiers:
    numbers = () if work is None else work.iter("{*}idno")
    return identifiers_of((each.get("type", "").lower(), flat_text(each)) for each in numbers)


def _titled(part: etree._Element | None, *levels: str) -> etree._Element | None:
    """The first title of one of these levels: a of an article, j of a journal, m of a book."""
    titles = [] if part is None else [one for one in part if local_name(one) == "title"]
    return next((one for level in levels for one in titles if one.get("level") == level), None)


def _first(part: etree._Element | None, *path: str) -> etree._Element | None:
    """The first element at this path below an element; each step may lie at any depth."""
    for name in path:
        part = None if part is None else next(part.iter("{*}" + name), None)
    return part
