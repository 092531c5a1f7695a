"""TEI as GROBID writes it of a PDF: https://grobid.readthedocs.io/en/latest/TEI-encoding-of-results/.

Any other TEI with a header and a body of divisions is read in the same way. Rows of tables are read as in JATS.
"""

from collections.abc import Iterator

from lxml import etree

from annotate.articles.document import (
    Article,
    Paragraph,
    ParagraphKind,
    Reference,
    Section,
    SectionKind,
    UnreadableArticle,
)
from annotate.articles.parsing.entry import ParsedEntry, Wanted
from annotate.articles.parsing.identifiers import as_doi, as_pmcid, as_pmid, as_year
from annotate.articles.parsing.inline import child, local_name
from annotate.articles.parsing.limits import ARTICLE_BYTES
from annotate.articles.parsing.outline import kind_of
from annotate.articles.parsing.safe_xml import parse_xml
from annotate.articles.parsing.sniff import Beginning
from annotate.articles.parsing.streams import Source
from annotate.articles.parsing.text_builder import TextBuilder, table_row

_ID = "{http://www.w3.org/XML/1998/namespace}id"
_STYLES = {"italic": "italic", "superscript": "sup", "subscript": "sub", "sup": "sup", "sub": "sub"}
_BACK = {"acknowledgement": "Acknowledgements", "annex": "Appendix", "availability": "Data availability",
         "funding": "Funding", "conflict": "Conflicts of interest", "contribution": "Author contributions"}  # fmt: skip
_LEFT_OUT = frozenset({"note", "graphic", "listBibl", "figDesc", "table"})
_KINDS = {"p": ParagraphKind.PARAGRAPH, "ab": ParagraphKind.PARAGRAPH, "formula": ParagraphKind.FORMULA,
          "item": ParagraphKind.LIST_ITEM, "note": ParagraphKind.NOTE}  # fmt: skip
Block = Paragraph | Section


def is_tei(beginning: Beginning) -> bool:
    """Whether the root is a TEI document."""
    return beginning.root == "TEI"


def read(source: Source, wanted: Wanted) -> Iterator[ParsedEntry]:
    """Yields the article of a TEI file. UnreadableArticle if it is no safe XML or holds neither title nor text."""
    article = _article(parse_xml(source.read(ARTICLE_BYTES)))
    if wanted.takes(article):
        yield ParsedEntry(source.name, article)


def _article(root: etree._Element) -> Article:
    header, text = child(root, "teiHeader"), child(root, "text")
    title = _flat(_first(header, "titleStmt", "title"))
    sections = tuple(_sections(header, text))
    if not title and not sections:
        raise UnreadableArticle("is TEI without a title and without text")
    work = _first(header, "sourceDesc", "biblStruct")
    identifiers = _identifiers(work)
    dates = [] if work is None else [date.get("when") or _flat(date) for date in work.iter("{*}date")]
    published = _first(header, "publicationStmt", "date")
    dates += [] if published is None else [published.get("when") or _flat(published)]
    return Article(
        title=title,
        pmid=identifiers["pmid"],
        pmcid=identifiers["pmcid"],
        doi=identifiers["doi"],
        journal=_flat(_titled(_first(work, "monogr"), "j", "m")) or None,
        year=next((year for date in dates if (year := as_year(date))), None),
        licence=_flat(_first(header, "publicationStmt", "availability", "licence")) or None,
        sections=sections,
        references=tuple(_references(text)),
        warnings=() if title else ("the article has no title",),
    )


def _sections(header: etree._Element | None, text: etree._Element | None) -> Iterator[Section]:
    abstract = _first(header, "profileDesc", "abstract")
    if abstract is not None and (blocks := _blocks(abstract, SectionKind.ABSTRACT)):
        yield Section("Abstract", SectionKind.ABSTRACT, blocks)
    for name in ("body", "back"):
        part = None if text is None else child(text, name)
        for block in () if part is None else _blocks(part, SectionKind.BODY if name == "body" else SectionKind.BACK):
            yield block if isinstance(block, Section) else Section("", SectionKind.BODY, (block,))


def _blocks(part: etree._Element, kind: SectionKind) -> tuple[Block, ...]:
    """Paragraphs and sections in reading order. GROBID puts all divisions on one level."""
    found: list[Block] = []
    for inner in part:
        name = local_name(inner)
        if name == "div":
            found += _division(inner, kind)
        elif name == "figure":
            found += _figure(inner)
        elif name == "list":
            found += _paragraphs(item for item in inner if local_name(item) == "item")
        elif name in _KINDS:
            found += _paragraphs([inner])
    return tuple(found)


def _division(div: etree._Element, kind: SectionKind) -> Iterator[Block]:
    title = _flat(child(div, "head")) or (_BACK.get(div.get("type", ""), "") if kind is SectionKind.BACK else "")
    own = kind if kind is not SectionKind.BODY else kind_of(title)
    blocks = _blocks(div, own)
    if not title and kind is not SectionKind.BODY:  # an abstract, or a division within a named one
        yield from blocks
    elif blocks:
        yield Section(title, own, blocks)


def _paragraphs(elements: "Iterator[etree._Element] | list[etree._Element]") -> Iterator[Paragraph]:
    for element in elements:
        run = TextBuilder()
        _write(element, run)
        if paragraph := run.paragraph(_KINDS[local_name(element)]):
            yield paragraph


def _figure(figure: etree._Element) -> Iterator[Paragraph]:
    """The caption, then the rows of the table where there is one."""
    run = TextBuilder()
    for name in ("head", "figDesc"):
        if (part := child(figure, name)) is not None:
            run.add(" ")
            _write(part, run)
    if caption := run.paragraph(ParagraphKind.CAPTION):
        yield caption
    for row in figure.iter("{*}row"):
        cells = [TextBuilder() for _ in row]
        for cell, builder in zip(row, cells, strict=True):
            _write(cell, builder)
        if paragraph := table_row(cells):
            yield paragraph


def _write(element: etree._Element, run: TextBuilder) -> None:
    run.add(element.text)
    for inner in element:
        name = local_name(inner)
        start = run.length
        if name in ("lb", "pb", "cb"):
            run.add(" ")
        elif name and name not in _LEFT_OUT:
            if name == "ref" and inner.get("type") == "bibr" and (target := inner.get("target", "").strip("# ")):
                run.cite(target)
            _write(inner, run)
            run.add(" " if name == "s" else None)
            if style := _STYLES.get(inner.get("rend", "")):
                run.mark(start, style)
        run.add(inner.tail)


def _references(text: etree._Element | None) -> Iterator[Reference]:
    for entry in () if text is None else text.iter("{*}listBibl"):
        for work in entry.iterchildren("{*}biblStruct"):
            title = _titled(child(work, "analytic"), "a") if child(work, "analytic") is not None else None
            named = _flat(title if title is not None else _titled(child(work, "monogr"), "m", "j"))
            anchor = work.get(_ID)
            reference = Reference(named, **_identifiers(work), anchors=(anchor,) if anchor else ())
            if reference != Reference():
                yield reference


def _identifiers(work: etree._Element | None) -> dict[str, str | None]:
    readers = {"pmid": as_pmid, "pmcid": as_pmcid, "pmc": as_pmcid, "doi": as_doi}
    found: dict[str, str | None] = {"pmid": None, "pmcid": None, "doi": None}
    for element in () if work is None else work.iter("{*}idno"):
        kind = element.get("type", "").lower()
        name = "pmcid" if kind == "pmc" else kind
        if kind in readers and found[name] is None:
            found[name] = readers[kind](_flat(element))
    return found


def _titled(part: etree._Element | None, *levels: str) -> etree._Element | None:
    """The first title of one of these levels: a of an article, j of a journal, m of a book."""
    titles = [] if part is None else [one for one in part if local_name(one) == "title"]
    return next((one for level in levels for one in titles if one.get("level") == level), None)


def _first(part: etree._Element | None, *path: str) -> etree._Element | None:
    """The first element at this path below an element; each step may lie at any depth."""
    for name in path:
        part = None if part is None else next(part.iter("{*}" + name), None)
    return part


def _flat(element: etree._Element | None) -> str:
    run = TextBuilder()
    if element is not None:
        _write(element, run)
    return run.text
