"""Round trips of annotated articles: what the formats' own libraries read back is what was written, span by span."""

import io
import json
import re
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from bioc import biocjson
from cassis import load_cas_from_xmi, load_typesystem
from huggingface_hub import DatasetCard

from annotate.gold.descriptions import CRATE, CROISSANT
from annotate.gold.formats.cas import ENTITY, LABEL, SENTENCE
from annotate.gold.formats.documents import GoldDocument
from annotate.gold.formats.export import DOCUMENT_FORMATS, export_documents
from annotate.gold.rows import gold_columns
from db.tables import Article
from tests.annotate.gold.formats.conftest import KEY, ODD
from tests.support.making import query
from tests.support.topics import TOPIC

Span = tuple[int, int, str]


def spans(document: GoldDocument) -> list[Span]:
    return sorted((span.start, span.end, span.type) for span in document.spans)


def made(documents: list[GoldDocument], name: str) -> bytes:
    return DOCUMENT_FORMATS[name].make(documents)


def unpacked(content: bytes) -> dict[str, str]:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        files = {name: archive.read(name).decode() for name in archive.namelist()}
    return {name: text for name, text in files.items() if name not in (CROISSANT, CRATE)}


def test_an_article_is_its_title_and_paragraphs_with_its_labels_and_names_in_place(documents):
    first, second = documents  # the third article has no labelled sentence
    assert first.text == f"Loss of p53 \U0001f9ec\n{ODD} {KEY}\nA\nB <c>"
    assert [(first.text[s.start : s.end], s.type) for s in first.labelled] == [
        (ODD, "NotKey"), (KEY, "KeySentence"), ("A\nB <c>", "Unsure"),
    ]  # fmt: skip
    assert [first.text[s.start : s.end] for s in first.mentions] == ["TP53", "TP53"]
    assert [first.text[start:end] for start, end in first.sentences] == [ODD, KEY, "A\nB <c>"]
    assert first.address == "https://pubmed.ncbi.nlm.nih.gov/7/" and second.address == f"urn:keyline:{second.key}"
    assert second.identifiers == {}


def test_bioc_gives_back_every_annotation_at_its_offset(documents):
    read = biocjson.loads(made(documents, "bioc").decode())
    assert read.date == max(sentence.row["time"] for document in documents for sentence in document.labelled)[:10]
    assert [document.id for document in read.documents] == [document.key for document in documents]
    for document, found in zip(documents, read.documents, strict=True):
        annotations = [each for passage in found.passages for each in passage.annotations]
        places = [(each.locations[0].offset, each.locations[0].end, each.infons["type"]) for each in annotations]
        assert sorted(places) == spans(document)
        assert all(document.text[a.locations[0].offset : a.locations[0].end] == a.text for a in annotations)
        assert all(document.text[p.offset :].startswith(p.text) for p in found.passages)
    assert read.documents[0].infons == {
        "pmid": "7", "doi": "10.1/a(b)", "journal": "Cells & Genes", "year": "2021", "license": "CC BY 4.0",
    }  # fmt: skip
    assert {a.infons["identifier"] for p in read.documents[0].passages for a in p.annotations if a.text == "TP53"} == {
        "7157"
    }


def test_pubannotation_names_the_source_and_holds_every_denotation(documents):
    first, second = json.loads(made(documents, "pubannotation"))
    assert (first["sourcedb"], first["sourceid"]) == ("PubMed", "7")
    assert (second["sourcedb"], second["sourceid"]) == ("Keyline", documents[1].key)
    for document, found in zip(documents, (first, second), strict=True):
        assert found["text"] == document.text
        denoted = [(each["span"]["begin"], each["span"]["end"], each["obj"]) for each in found["denotations"]]
        assert sorted(denoted) == spans(document)
    subjects = {each["subj"] for each in first["attributes"] if each["obj"] == "7157"}
    assert subjects == {each["id"] for each in first["denotations"] if each["obj"] == "gene"}


def test_web_annotation_quotes_each_place_with_what_stands_around_it(documents):
    collection = json.loads(made(documents, "web-annotation"))
    items = collection["first"]["items"]
    assert collection["@context"] == "http://www.w3.org/ns/anno.jsonld" and collection["total"] == len(items)
    assert len({item["id"] for item in items}) == len(items) == sum(len(document.spans) for document in documents)
    for item in items:
        (document,) = (each for each in documents if each.address == item["target"]["source"])
        quote, position = item["target"]["selector"]
        assert document.text[position["start"] : position["end"]] == quote["exact"]
        assert f"{quote['prefix']}{quote['exact']}{quote['suffix']}" in document.text
        assert (position["start"], position["end"], item["body"][0]["value"]) in spans(document)
    (key,) = (i for i in items if i["body"][0]["value"] == "KeySentence" and i["target"]["source"].endswith("/7/"))
    assert key["creator"] == [{"type": "Person", "name": "Anna"}] and key["created"]
    genes = [item for item in items if item["body"][0]["value"] == "gene"]
    assert {item["body"][1]["source"] for item in genes} == {"https://www.ncbi.nlm.nih.gov/gene/7157"}


def standoff(lines: str, text: str) -> Iterator[Span]:
    """As brat's own reader takes it: discontinuous pieces whose texts, with a blank between, are the third column."""
    for line in lines.splitlines():
        if found := re.fullmatch(r"T\d+\t(\w+) ([\d ;]+)\t(.+)", line):
            pieces = [(int(start), int(end)) for start, end in (piece.split() for piece in found[2].split(";"))]
            assert " ".join(text[start:end] for start, end in pieces) == found[3]
            yield pieces[0][0], pieces[-1][1], found[1]


def test_brat_has_a_text_and_its_standoff_for_each_article(documents):
    files = unpacked(made(documents, "brat"))
    types = set(files["annotation.conf"].split("[relations]")[0].split()[1:])
    for document in documents:
        name = re.sub(r"[^\w.-]", "_", document.key)
        assert files[f"{name}.txt"] == document.text
        found = list(standoff(files[f"{name}.ann"], document.text))
        assert sorted(found) == spans(document) and {kind for _, _, kind in found} <= types
        genes = [span for span in document.spans if span.type == "gene"]
        assert files[f"{name}.ann"].count(" NCBIGene:7157\tTP53\n") == len(genes) > 0


def test_a_line_separator_within_a_sentence_parts_no_line_of_brat(documents):
    odd = replace(documents[0], text=documents[0].text.replace("We saw", "We\u2028saw"))
    files = unpacked(made([odd], "brat"))
    (lines,) = (text for name, text in files.items() if name.endswith(".ann"))
    assert sorted(standoff(lines, odd.text)) == spans(odd)


def test_cassis_reads_the_cas_with_sentences_labels_and_entities(documents):
    files = unpacked(made(documents, "cas"))
    types = load_typesystem(io.BytesIO(files.pop("TypeSystem.xml").encode()))
    for document, text in zip(documents, files.values(), strict=True):
        cas = load_cas_from_xmi(io.BytesIO(text.encode()), typesystem=types)
        assert cas.sofa_string == document.text
        assert [(each.begin, each.end) for each in cas.select(SENTENCE)] == list(document.sentences)
        labels = [(each.begin, each.end, each.label) for each in cas.select(LABEL)]
        entities = [(each.begin, each.end, each.value) for each in cas.select(ENTITY)]
        assert sorted(labels + entities) == spans(document)
        assert {each.get_covered_text() for each in cas.select(ENTITY)} == {"TP53"}


def test_what_xml_cannot_hold_is_replaced_and_every_place_stays(documents):
    odd = replace(documents[0], text=documents[0].text.replace("We saw", "We \uffff\x01w"))
    (content,) = (text for name, text in unpacked(made([odd], "cas")).items() if name.endswith(".xmi"))
    types = load_typesystem(io.BytesIO(unpacked(made([odd], "cas"))["TypeSystem.xml"].encode()))
    cas = load_cas_from_xmi(io.BytesIO(content.encode()), typesystem=types)
    assert cas.sofa_string == odd.text.replace("\uffff\x01", "\ufffd\ufffd")
    assert [each.get_covered_text() for each in cas.select(ENTITY)] == ["TP53", "TP53"]


@pytest.mark.parametrize("name", ["brat", "cas"])
def test_articles_whose_keys_make_one_name_keep_files_of_their_own(documents, name):
    keys = ["doi:10.1/A", "doi:10.1_a", "doi:10.1(a"]
    files = unpacked(made([replace(documents[0], key=key) for key in keys], name))
    assert len({file.casefold() for file in files}) == len(files) == (7 if name == "brat" else 4)


def test_what_a_doi_holds_and_an_address_may_not_is_escaped(documents):
    doi = "10.1002/(sici)1:3<428::aid-x>3.0.co;2-8"
    odd = replace(documents[1], key=f"doi:{doi}", article=Article(title="", doi=doi))
    assert odd.address == "https://doi.org/10.1002/(sici)1:3%3C428::aid-x%3E3.0.co;2-8"
    (first, *_) = json.loads(made([odd], "web-annotation"))["first"]["items"]
    assert first["id"] == "urn:keyline:doi:10.1002/(sici)1:3%3C428::aid-x%3E3.0.co;2-8:1"


def test_prodigy_gets_a_task_for_each_labelled_sentence(documents):
    tasks = [json.loads(line) for line in made(documents, "prodigy").decode().split("\n")[:-1]]
    assert [(task["text"], task["answer"]) for task in tasks] == [
        (ODD, "reject"), (KEY, "accept"), ("A\nB <c>", "ignore"), (KEY, "accept"),
    ]  # fmt: skip
    named = [task["text"][span["start"] : span["end"]] for task in tasks for span in task["spans"]]
    assert named == ["TP53"] * 3
    assert tasks[0]["meta"]["pmid"] == "7"


def test_a_dataset_folder_has_a_card_that_names_its_files(documents, tmp_path):
    files = unpacked(made(documents, "dataset"))
    card = DatasetCard(files.pop("README.md"))
    told: dict[str, Any] = card.data.to_dict()
    (config,) = told["configs"]
    assert {each["path"] for each in config["data_files"]} == set(files)
    assert told["task_categories"] == ["text-classification"]
    assert "4 labelled sentences of 2 articles" in card.text and "1 CC BY 4.0, 1 not stated" in card.text
    rows = pd.concat([pd.read_json(io.StringIO(text), lines=True, dtype=False) for text in files.values()])
    assert sorted(rows["text"]) == sorted([ODD, KEY, "A\nB <c>", KEY])
    splits = dict(query("SELECT key, split FROM article"))
    for name, text in files.items():
        assert {splits[row["article"]] for row in map(json.loads, text.splitlines())} == {Path(name).stem}
    assert set(gold_columns(TOPIC)) <= set(rows.columns)


@pytest.mark.parametrize("name", DOCUMENT_FORMATS)
def test_a_file_is_written_whole_with_a_manifest_that_counts_what_is_in_it(documents, tmp_path, name):
    path = tmp_path / f"gold{DOCUMENT_FORMATS[name].ending}"
    summary = export_documents(path, name)
    assert path.read_bytes() == made(documents, name) == made(documents, name)
    assert (summary["rows"], summary["articles"], summary["entities"], summary["format"]) == (4, 2, 3, name)
    assert json.loads(path.with_name(f"{path.name}.manifest.json").read_text()) == summary
    assert query("SELECT summary FROM history ORDER BY id DESC LIMIT 1") == [
        (f"exported the gold as {path.name}: 4 rows",)
    ]


@pytest.mark.usefixtures("home")
def test_without_labels_nothing_is_written(tmp_path):
    with pytest.raises(ValueError, match="nothing to export: no sentence has a label"):
        export_documents(tmp_path / "gold.bioc.json", "bioc")
    assert not list(tmp_path.glob("gold*"))
