"""MEDLINE citations (PubmedArticleSet) of articles and chapters of books, in memory that does not grow with the file.

A file from strangers is read twice: first to its end without making articles, so that a broken or hostile one
yields none at all; then for its articles. Elements: https://www.nlm.nih.gov/bsd/licensee/elements_descriptions.html
"""

import re
from collections.abc import Iterator
from functools import partial

from lxml import etree

from annotate.articles.document import Article, Paragraph, Reference, Section, SectionKind, UnreadableArticle
from annotate.articles.parsing.encoding import xml_codec
from annotate.articles.parsing.entry import SEPARATOR, ParsedEntry, Wanted
from annotate.articles.parsing.identifiers import Identifiers, as_doi, as_pmid, as_year, identifiers_of
from annotate.articles.parsing.inline import flat_run, flat_text
from annotate.articles.parsing.limits import CITATION_BYTES, CITATION_ENTITIES, MB, MEDLINE_BYTES
from annotate.articles.parsing.safe_xml import SAFE_OPTIONS, broken_xml, named_character, refuse_entities, refuse_excess
from annotate.articles.parsing.streams import Source

_YEARS = ("Journal/JournalIssue/PubDate/Year", "Journal/JournalIssue/PubDate/MedlineDate", "Book/PubDate/Year")
_MESH_CODE = re.compile(r"[DC]\d{6,9}")


def read(source: Source, wanted: Wanted) -> Iterator[ParsedEntry]:
    """Yields the wanted articles of a MEDLINE file. UnreadableArticle, before any article, if it is refused."""
    count = 0
    for citation in _citations(source, check=True):
        refuse_excess(citation)
        for number, entity in enumerate(citation.iter(etree.Entity)):
            if number == CITATION_ENTITIES:
                raise UnreadableArticle(f"uses more than {CITATION_ENTITIES:,} named entities in one citation")
            named_character(entity.name)
        count += 1
    if not count:
        raise UnreadableArticle("holds no PubMed citation")
    yield from read_once(source, wanted)


def read_once(source: Source, wanted: Wanted) -> Iterator[ParsedEntry]:
    """Yields the wanted articles of a MEDLINE file that is known to be whole. UnreadableArticle, maybe behind some."""
    for citation in _citations(source, check=False):
        pmid = as_pmid(citation.findtext("*/PMID"))
        if wanted.takes_what_says(pmid, partial(_searched, citation)):
            article = _article(citation, pmid)
            yield ParsedEntry(f"{source.name}{SEPARATOR}PMID {article.pmid}", article)


def _citations(source: Source, check: bool) -> Iterator[etree._Element]:
    """Yields each article or chapter of a book once complete; it is emptied as soon as the next one is asked for."""
    parser = etree.XMLPullParser(events=("end",), tag=("PubmedArticle", "PubmedBookArticle"), **SAFE_OPTIONS)
    since_last = 0
    codec_checked = dtd_checked = not check
    try:
        for piece in source.chunks(MEDLINE_BYTES):
            if not codec_checked:
                xml_codec(piece[:1024])
                codec_checked = True
            parser.feed(piece)
            since_last += len(piece)
            for _, citation in parser.read_events():
                since_last = 0
                if not dtd_checked:
                    refuse_entities(citation)
                    dtd_checked = True
                yield citation
                citation.clear()
                while (before := citation.getprevious()) is not None:
                    before.getparent().remove(before)
            if since_last > CITATION_BYTES:
                raise UnreadableArticle(f"holds more than {CITATION_BYTES // MB} MB without the end of a citation")
        root = parser.close()
    except etree.XMLSyntaxError as error:
        raise UnreadableArticle(broken_xml(error)) from error
    if check:
        refuse_entities(root)
        refuse_excess(root)


def _article_in(citation: etree._Element) -> etree._Element | None:
    """What holds title and abstract: of a chapter of a book, such as GeneReviews, its document."""
    found = citation.find("MedlineCitation/Article")
    return citation.find("BookDocument") if found is None else found


def _searched(citation: etree._Element) -> str:
    article = _article_in(citation)
    if article is None:
        return ""
    parts = [article.find("ArticleTitle"), *article.iterfind("Abstract/AbstractText")]
    return "\n".join("".join(part.itertext()) for part in parts if part is not None)


def _article(citation: etree._Element, pmid: str | None) -> Article:
    for entity in list(citation.iter(etree.Entity)):
        _replace_entity(entity)
    article = _article_in(citation)
    if article is None:
        return Article("", pmid=pmid, warnings=("the citation holds no article",))
    ids = _identifiers(citation, "*/ArticleIdList/ArticleId")
    sections = _abstract(citation, article)
    references = (
        Reference(flat_text(each.find("Citation")), **_identifiers(each, "ArticleIdList/ArticleId"))
        for each in citation.iterfind("PubmedData/ReferenceList//Reference")
    )
    return Article(
        title=flat_text(article.find("ArticleTitle")) or flat_text(article.find("VernacularTitle")),
        pmid=pmid or ids["pmid"],
        pmcid=ids["pmcid"],
        doi=ids["doi"] or as_doi(article.findtext("ELocationID[@EIdType='doi']")),
        journal=flat_text(article.find("Journal/Title")) or flat_text(article.find("Book/BookTitle")) or None,
        year=next(filter(None, (as_year(article.findtext(path)) for path in _YEARS)), None),
        licence=flat_text(article.find("Abstract/CopyrightInformation")) or None,
        sections=sections,
        references=tuple(each for each in references if each != Reference()),
        mesh=tuple(dict.fromkeys(_mesh(citation))),
        warnings=() if sections else ("the citation has no abstract",),
    )


def _abstract(citation: etree._Element, article: etree._Element) -> tuple[Section, ...]:
    abstract = article.find("Abstract")
    if abstract is not None:
        blocks = tuple(_abstract_blocks(abstract))
        return (Section("Abstract", SectionKind.ABSTRACT, blocks),) if blocks else ()
    others = citation.iterfind("MedlineCitation/OtherAbstract")
    found = ((other.get("Language") or other.get("Type"), tuple(_abstract_blocks(other))) for other in others)
    return tuple(
        Section(f"Abstract ({note})" if note else "Abstract", SectionKind.ABSTRACT, blocks)
        for note, blocks in found
        if blocks
    )


def _abstract_blocks(abstract: etree._Element) -> Iterator[Paragraph | Section]:
    for element in abstract.iterfind("AbstractText"):
        paragraph = flat_run(element).paragraph()
        label = " ".join((element.get("Label") or "").split())
        if paragraph is not None:
            yield Section(label, SectionKind.ABSTRACT, (paragraph,)) if label else paragraph


def _identifiers(within: etree._Element, path: str) -> Identifiers:
    return identifiers_of((each.get("IdType", ""), each.text) for each in within.iterfind(path))


def _mesh(citation: etree._Element) -> Iterator[str]:
    """What the article is indexed with; what it only supplements, as the names of substances, is left out."""
    for element in citation.iterfind("MedlineCitation/MeshHeadingList/MeshHeading/DescriptorName"):
        name, code = flat_text(element), element.get("UI") or ""
        if name:
            yield f"{code}:{name}" if _MESH_CODE.fullmatch(code) else name


def _replace_entity(entity: etree._Entity) -> None:
    text = named_character(entity.name) + (entity.tail or "")
    parent, before = entity.getparent(), entity.getprevious()
    if before is not None:
        before.tail = (before.tail or "") + text
    else:
        parent.text = (parent.text or "") + text
    entity.tail = None
    parent.remove(entity)
