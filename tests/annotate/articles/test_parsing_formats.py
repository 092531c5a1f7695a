"""What every format of the table holds to, and what a new line in it brings."""

import gzip
import io
from collections.abc import Iterator
from pathlib import Path

import pytest

from annotate.articles.document import Article, Section, SectionKind
from annotate.articles.parsing import (
    FORMATS,
    KNOWN_SUFFIXES,
    ParsedEntry,
    compile_pattern,
    find_files,
    from_bytes,
    read_articles,
)
from annotate.articles.parsing.entry import Wanted
from annotate.articles.parsing.formats import PACKED_SUFFIXES, Format, format_of, one_text
from annotate.articles.parsing.streams import MeteredReader, Source
from tests.support.hostile import jats, zipped
from tests.support.office_files import docx, para, pdf

# One file of each format: (content, its title, a sentence of its text).
SAMPLES: dict[str, tuple[str | bytes, str, str]] = {
    "JATS XML": (jats("<p>Cells <italic>grew</italic> fast.</p>").decode(), "T", "Cells grew fast."),
    "MEDLINE XML": (
        "<PubmedArticleSet><PubmedArticle><MedlineCitation><PMID>12</PMID><Article><ArticleTitle>T</ArticleTitle>"
        "<Abstract><AbstractText>Cells <i>grew</i> fast.</AbstractText></Abstract></Article></MedlineCitation>"
        "</PubmedArticle></PubmedArticleSet>",
        "T",
        "Cells grew fast.",
    ),
    "BioC XML": (
        "<collection><document><id>12</id><passage><infon key='type'>title</infon><text>T</text></passage>"
        "<passage><infon key='type'>abstract</infon><text>Cells grew fast.</text></passage></document></collection>",
        "T",
        "Cells grew fast.",
    ),
    "BioC JSON": (
        '{"documents": [{"id": "12", "passages": [{"infons": {"type": "title"}, "text": "T"}, '
        '{"infons": {"type": "abstract"}, "text": "Cells grew fast."}]}]}',
        "T",
        "Cells grew fast.",
    ),
    "PubTator": ("12|t|T\n12|a|Cells grew fast.\n", "T", "Cells grew fast."),
    "TEI (GROBID)": (
        "<TEI xmlns='http://www.tei-c.org/ns/1.0'><teiHeader><fileDesc><titleStmt><title>T</title></titleStmt></fileDesc>"
        "</teiHeader><text><body><div><p>Cells <hi rend='italic'>grew</hi> fast.</p></div></body></text></TEI>",
        "T",
        "Cells grew fast.",
    ),
    "PDF": (
        pdf([(72, 700, 20, "The story of T"), (72, 640, 10, "Cells grew fast.")]),
        "The story of T",
        "Cells grew fast.",
    ),
    "Word": (docx(para("T", "T"), para("Cells grew fast.")), "T", "Cells grew fast."),
    "HTML": (
        "<!DOCTYPE html><html><title>T</title><body><p>Cells <i>grew</i> fast.</p></body></html>",
        "T",
        "Cells grew fast.",
    ),
    "text": ("T\n\nCells grew fast.\n", "T", "Cells grew fast."),
    "Markdown": ("# T\n\nCells *grew* fast.\n", "T", "Cells grew fast."),
    "CSV": ("title,text\nT,Cells grew fast.\n", "T", "Cells grew fast."),
}
EVERY_SUFFIX = [(name, suffix) for name, known in FORMATS.items() for suffix in known.suffixes]


def content(name: str) -> bytes:
    written = SAMPLES[name][0]
    return written.encode() if isinstance(written, str) else written


def articles(entries: Iterator[ParsedEntry]) -> list[Article]:
    found = list(entries)
    assert [entry.error for entry in found] == [None] * len(found)
    return [entry.article for entry in found if entry.article is not None]


def source(read_bytes, suffix: str) -> Source:
    return Source("a" + suffix, suffix, lambda: MeteredReader(read_bytes()))


def test_every_format_has_a_sample_here():
    assert set(SAMPLES) == set(FORMATS)


@pytest.mark.parametrize(("name", "suffix"), EVERY_SUFFIX)
def test_a_sample_is_recognised_and_read_under_each_suffix_of_its_format(name, suffix):
    assert format_of(content(name), suffix) is FORMATS[name]
    (article,) = articles(from_bytes(f"a{suffix}", content(name)))
    assert article.title == SAMPLES[name][1]
    assert [paragraph.text for _, _, paragraph in article.paragraphs()] == [SAMPLES[name][2]]


@pytest.mark.parametrize(("name", "suffix"), EVERY_SUFFIX)
def test_packing_a_file_changes_nothing_of_its_article(name, suffix):
    plain = articles(from_bytes(f"a{suffix}", content(name)))
    assert articles(from_bytes(f"a{suffix}.gz", gzip.compress(content(name)))) == plain
    assert articles(from_bytes("a.zip", zipped({f"folder/a{suffix}": content(name), "b.jpg": b"no"}))) == plain


@pytest.mark.parametrize(("name", "suffix"), EVERY_SUFFIX)
def test_a_folder_is_searched_for_every_suffix_and_the_name_shown_is_the_files(name, suffix, tmp_path):
    path = tmp_path / f"a{suffix.upper()}"
    path.write_bytes(content(name))
    assert find_files([tmp_path]) == [path]
    assert suffix in KNOWN_SUFFIXES
    assert all(entry.source.startswith(path.name) for entry in read_articles(path))


@pytest.mark.parametrize("name", FORMATS)
def test_only_wanted_articles_are_returned(name):
    def found(wanted: Wanted) -> list[Article]:
        return articles(
            FORMATS[name].read(source(lambda: io.BytesIO(content(name)), FORMATS[name].suffixes[0]), wanted)
        )

    assert len(found(Wanted())) == 1
    assert len(found(Wanted(match=compile_pattern("T")))) == 1
    assert found(Wanted(match=compile_pattern("no such word"))) == []
    assert found(Wanted(pmids=frozenset({"99"}))) == []


@pytest.mark.parametrize("name", FORMATS)
def test_a_file_cut_short_anywhere_gives_an_article_or_one_reason(name):
    whole = content(name)
    suffix = FORMATS[name].suffixes[0]
    for length in range(0, len(whole), 150 if name == "PDF" else 1):  # each starts the reader of PDFs
        for entry in from_bytes(f"a{suffix}", whole[:length]):
            assert (entry.article is None) != (entry.error is None)
    assert [entry.error for entry in from_bytes(f"a{suffix}", b" \n")] == ["is empty"]


@pytest.mark.parametrize("name", FORMATS)
def test_a_file_that_never_ends_is_refused(name):
    class Endless(io.RawIOBase):
        def __init__(self) -> None:
            self.start = io.BytesIO(content(name)[:-5] if "XML" in name else content(name))

        def read(self, size: int = -1) -> bytes:
            return self.start.read(size) or b" " * size

    endless = source(Endless, FORMATS[name].suffixes[0])
    with pytest.raises(ValueError, match=r"holds more than \d+ MB"):
        list(FORMATS[name].read(endless, Wanted()))


@pytest.mark.parametrize("name", sorted(set(FORMATS) - {"PDF", "Word"}))  # those hold bytes of all kinds
def test_a_nul_character_is_refused(name):
    broken = content(name).replace(b"grew", b"gr\0ew")
    (entry,) = from_bytes("a" + FORMATS[name].suffixes[0], broken)
    assert entry.article is None and entry.error


def test_packings_are_no_formats_and_are_known_too():
    assert PACKED_SUFFIXES == KNOWN_SUFFIXES[-2:] == (".gz", ".zip")
    assert len(set(KNOWN_SUFFIXES)) == len(KNOWN_SUFFIXES)


def test_a_text_of_unknown_suffix_is_plain_text():
    assert format_of(b"Some words.", ".log") is FORMATS["text"]


def test_a_new_format_is_one_function_and_one_line(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    def read_numbered(text: str, file_name: str, warning: str | None) -> Article:
        return Article(file_name, sections=(Section(text[:4], SectionKind.BODY),))

    line = Format(one_text(read_numbered), (".num",), lambda beginning: beginning.text.startswith("%NUM"))
    monkeypatch.setitem(FORMATS, "numbered", line)
    (tmp_path / "a.txt").write_text("%NUM 1\n")  # by what it holds, whatever its name
    assert [article.sections[0].title for article in articles(read_articles(tmp_path / "a.txt"))] == ["%NUM"]
    assert [article.title for article in articles(from_bytes("b.num", b"by its name alone"))] == ["b"]
