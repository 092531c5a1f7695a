"""BioC and PubTator: what PubMed Central, PubTator and Keyline itself write is read, and nothing else passes for it."""

import gzip
import json
from pathlib import Path

import pytest

from annotate.articles.document import ParagraphKind, SectionKind
from annotate.articles.parsing import bioc
from annotate.articles.parsing.entry import ParsedEntry
from annotate.articles.parsing.read import read_articles
from annotate.gold.formats.bioc import as_bioc
from annotate.gold.formats.documents import gold_documents
from annotate.project.home import read
from tests.support.making import judge, paper, store, verdict

FULL_TEXT = [
    ({"section_type": "TITLE", "type": "front", "article-id_pmid": "77", "article-id_pmc": "6207735",
      "article-id_doi": "10.1000/A", "year": "2018", "license": "CC BY"}, "Loss of p53"),
    ({"section_type": "ABSTRACT", "type": "abstract"}, "We deleted TP53."),
    ({"section_type": "METHODS", "type": "title_1"}, "Methods"),
    ({"section_type": "METHODS", "type": "paragraph"}, "Cells were grown."),
    ({"section_type": "FIG", "type": "fig_caption"}, "Figure 1. Cells."),
    ({"section_type": "TABLE", "type": "table"}, "a b"),
    ({"section_type": "REF", "type": "ref"}, "Somebody, 2001."),
]  # fmt: skip


def in_json(passages, **document) -> dict[str, object]:
    return {"passages": [{"offset": 0, "infons": infons, "text": text} for infons, text in passages], **document}


def in_xml(passages, id_: str = "PMC6207735") -> str:
    def infon(key: str, value: str) -> str:
        return f'<infon key="{key}">{value}</infon>'

    parts = (
        f"<passage>{''.join(infon(*one) for one in infons.items())}<offset>0</offset><text>{text}</text></passage>"
        for infons, text in passages
    )
    head = '<?xml version="1.0"?><!DOCTYPE collection SYSTEM "BioC.dtd"><collection><source>PMC</source>'
    return f"{head}<document><id>{id_}</id>{''.join(parts)}</document></collection>"


def entries(tmp_path: Path, name: str, content: str | bytes) -> list[ParsedEntry]:
    path = tmp_path / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return list(read_articles(path))


def told(entry: ParsedEntry) -> list[tuple[str, str, str, str]]:
    assert entry.article is not None, entry.error
    return [(section.kind, section.title, p.kind, p.text) for section, _, p in entry.article.paragraphs()]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.json", json.dumps({"source": "PMC", "documents": [in_json(FULL_TEXT, id="PMC6207735")]})),
        ("list.json", json.dumps([{"documents": [in_json(FULL_TEXT, id="6207735")]}])),
        ("one.json", json.dumps(in_json(FULL_TEXT, id="PMC6207735"))),
        ("p3.json", json.dumps({"PubTator3": [in_json(FULL_TEXT, id="6207735")]})),
        ("a.xml", in_xml(FULL_TEXT)),
        ("a.xml.gz", gzip.compress(in_xml(FULL_TEXT).encode())),
    ],
)
def test_a_full_text_keeps_its_sections_and_loses_its_reference_list(tmp_path, name, content):
    (entry,) = entries(tmp_path, name, content)
    assert told(entry) == [
        (SectionKind.ABSTRACT, "Abstract", ParagraphKind.PARAGRAPH, "We deleted TP53."),
        (SectionKind.BODY, "Methods", ParagraphKind.PARAGRAPH, "Cells were grown."),
        (SectionKind.BODY, "Methods", ParagraphKind.CAPTION, "Figure 1. Cells."),
        (SectionKind.BODY, "Methods", ParagraphKind.TABLE, "a b"),
    ]
    found = entry.article
    assert (found.title, found.pmid, found.pmcid, found.doi, found.year, found.licence) == (
        "Loss of p53", "77", "PMC6207735", "10.1000/a", 2018, "CC BY",
    )  # fmt: skip


def test_pubtator_is_a_title_and_an_abstract_by_pmid(tmp_path):
    text = "12|t|Loss of p53\n12|a|We deleted TP53. It grew.\n"
    text += "12\t8\t11\tp53\tGene\t7157\n\n13|t|Another\n13|a|We saw.\n"
    first, second = entries(tmp_path, "any.txt", text)
    (only,) = told(first)
    assert only == (SectionKind.ABSTRACT, "Abstract", ParagraphKind.PARAGRAPH, "We deleted TP53. It grew.")
    assert (first.article.title, first.article.pmid, second.article.pmid) == ("Loss of p53", "12", "13")
    assert first.article.pmcid is None  # digits are no PMCID


def test_a_title_alone_is_an_article_without_an_abstract_and_rare_line_ends_stay_in_the_text(tmp_path):
    text = "12|t|A title alone\n12|a|\n\n" + "13|t|Another\r\n13|a|We\u2028saw.\r\n" * 2
    alone, other = entries(tmp_path, "a.pubtator", text)
    assert (alone.article.title, alone.article.sections) == ("A title alone", ())
    assert alone.article.warnings == ("the document has no abstract",)
    assert [one[3] for one in told(other)] == ["We\u2028saw."]


def test_the_heading_of_an_abstract_is_none_of_the_body(tmp_path):
    passages = [
        ({"section_type": "ABSTRACT", "type": "abstract_title_1"}, "Findings"),
        ({"section_type": "ABSTRACT", "type": "abstract"}, "We deleted TP53."),
        ({"section_type": "INTRO", "type": "paragraph"}, "It grew."),
    ]
    (entry,) = entries(tmp_path, "a.json", json.dumps(in_json(passages, id="7")))
    assert [one[:2] for one in told(entry)] == [(SectionKind.ABSTRACT, "Findings"), (SectionKind.BODY, "")]


def test_an_id_that_deceives_is_shown_in_full_and_cut(tmp_path):
    (entry,) = entries(tmp_path, "a.json", json.dumps(in_json(FULL_TEXT[1:2], id="\u202e" + "x" * 1_000)))
    assert "\\u202exxx" in entry.source and len(entry.source) < 300 and len(entry.article.title) < 300


def test_sentences_make_the_text_of_a_passage_that_has_none_of_its_own(tmp_path):
    passage = "<passage><infon key='type'>abstract</infon><sentence><text>One.</text></sentence>"
    passage += "<sentence><text>Two.</text></sentence></passage>"
    (entry,) = entries(tmp_path, "a.xml", f"<collection><document><id>5</id>{passage}</document></collection>")
    assert told(entry)[0][3] == "One. Two." and (entry.article.pmid, entry.article.title) == ("5", "Document 5")
    abstract = {"infons": {"type": "abstract"}, "offset": 0, "sentences": [{"text": "One."}, {"text": "Two."}]}
    (entry,) = entries(tmp_path, "a.json", json.dumps({"documents": [{"id": "5", "passages": [abstract]}]}))
    assert told(entry)[0][3] == "One. Two."


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("a.json", '{"documents": [', "is not valid JSON"),
        ("a.json", '{"documents": [3]}', "are not as BioC writes them"),
        ("a.json", '{"documents": []}', "holds no document"),
        ("a.json", '{"a": 1}', "are not as BioC writes them"),
        ("a.json", "[" * 100_000, "is not valid JSON"),
        ("a.json", json.dumps({"documents": [in_json([], id="7")]}), "holds a document without text: 7"),
        ("a.xml", "<collection></collection>", "holds no document"),
        ("a.xml", in_xml(FULL_TEXT).replace("</collection>", ""), "is not well-formed XML"),
        ("a.xml", '<!DOCTYPE collection [<!ENTITY a "b">]><collection/>', "ENTITY"),
        ("a.pubtator", "12|t|\n", "holds a document without text: 12"),
        ("a.json", json.dumps(in_json([({}, 5)])), "holds a document whose text is no text: 5"),
        ("a.json", json.dumps(in_json([({}, ["a"])])), "holds a document whose text is no text: ['a']"),
        ("a.json", json.dumps(in_json([({}, "a")], id={"a": 1})), "holds a document whose id is no text"),
        ("a.json", json.dumps(in_json([(["a"], "a")])), "are not as BioC writes them"),
        ("a.json", json.dumps(in_json([({}, "half: \ud83d")])), "half of a surrogate pair"),
        ("a.json", json.dumps(in_json([({"year": "20\x0018"}, "a")])), "holds a NUL or half"),
    ],
)
def test_what_is_no_bioc_is_refused_with_the_reason(tmp_path, name, content, reason):
    (entry,) = entries(tmp_path, name, content)
    assert entry.article is None and reason in entry.error and entry.source == name


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("a.json", json.dumps({"documents": [in_json([({}, "a")])] * 4}), "holds more than 10 objects and lists"),
        ("a.pubtator", "12|t|A title\n" * 10, "holds more than 10 lines"),
    ],
)
def test_what_would_take_too_much_memory_is_refused_before_it_is_read(tmp_path, monkeypatch, name, content, reason):
    monkeypatch.setattr(bioc, "JSON_PARTS", 10)
    monkeypatch.setattr(bioc, "TEXT_LINES", 10)
    (entry,) = entries(tmp_path, name, content)
    assert entry.article is None and reason in entry.error


@pytest.mark.usefixtures("home")
def test_what_keyline_exports_comes_back_as_the_same_text(tmp_path):
    store(paper(("We deleted TP53.", "It grew."), body=("Cells died.",), pmid="8", title="Loss of p53"))
    judge("Anna", 1, verdict(0))
    with read() as session:
        (entry,) = entries(tmp_path, "gold.bioc.json", as_bioc(gold_documents(session)))
    assert [one[:2] + one[3:] for one in told(entry)] == [
        ("abstract", "Abstract", "We deleted TP53. It grew."),
        ("body", "Results", "Cells died."),
    ]
    assert (entry.article.title, entry.article.pmid) == ("Loss of p53", "8")
