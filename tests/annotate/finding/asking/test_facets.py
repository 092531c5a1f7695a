"""Facets of the topic: what their fields offer, and under which other names a name goes."""

import pytest

import db.entities
from annotate.articles.document_labels import store_labels
from annotate.entities import vocabularies
from annotate.entities.vocabularies import is_compiled, vocabulary_names
from annotate.finding.asking import facets
from annotate.finding.asking.facets import (
    LABELS,
    ON,
    RECOGNISED,
    VOCABULARY,
    facet_kinds,
    names_typed,
    offered_names,
    synonyms_of,
)
from annotate.project.home import read, write
from annotate.project.rights import Right
from annotate.topics.file import shipped
from model.entities.kinds import Entry
from model.entities.lexicon import Lexicon
from tests.support.labels import gene_labels
from tests.support.making import paper, store

pytestmark = pytest.mark.usefixtures("home")
GENE, CELL, EDIT = facet_kinds(shipped("gene_editing"))


@pytest.fixture(autouse=True)
def small_vocabularies(monkeypatch: pytest.MonkeyPatch) -> None:
    """Six names in the place of two hundred thousand."""
    genes = [
        Entry("7157", "TP53", ("P53", "LFS1"), ("tumor protein p53",), "9606"),
        Entry("22059", "Trp53", ("p53", "bbl"), (), "10090"),
        Entry("4", "Jurkat", (), (), "9606"),
        Entry("5", "SiHa", (), (), "9606"),
        Entry("6", "REST", ("Rest",), (), "9606"),
        Entry("3", "LONG", tuple(f"NAME{number}" for number in range(40)), (), "9606"),
    ]
    lexicon = Lexicon.build(genes)
    monkeypatch.setattr(vocabularies, "lexicon_of", lambda vocabulary: lexicon)
    monkeypatch.setattr(vocabularies, "is_compiled", lambda vocabulary: True)


def names(kind, name: str) -> list[tuple[str, str]]:
    with read() as session:
        found = synonyms_of(session, kind, name, vocabulary_names(kind, name))
        return [(each.name, each.source) for each in found]


def test_the_facets_are_those_of_the_topic_in_its_order() -> None:
    assert [kind.key for kind in (GENE, CELL, EDIT)] == ["gene", "cell", "edit"]
    assert [kind.key for kind in facet_kinds(shipped("clinical_trial_findings"))] == [
        "intervention",
        "comparator",
        "outcome",
    ]
    assert facet_kinds(shipped("blank")) == []


def test_document_labels_come_before_what_was_recognised_and_that_before_vocabularies() -> None:
    store(paper(pmid="1"), paper(pmid="2"))
    store_labels(1, gene_labels("TP53|Δp53; KRAS", "", ""))
    proposal = {"kind": "gene", "rank": 1, "name": "tp53", "probability": 0.9, "identifiers": [], "sentences": []}
    with write(Right.SYSTEM) as session:
        db.entities.replace_scan(session, 2, "v", 1, [], [proposal | {"synonyms": ["TRP-53"]}])
    assert names(GENE, "TP53") == [
        ("Δp53", LABELS),
        ("TRP-53", RECOGNISED),
        ("P53", VOCABULARY),
        ("LFS1", VOCABULARY),
        ("tumor protein p53", VOCABULARY),
    ]
    assert names(GENE, "Δp53")[0] == ("TP53", LABELS)


@pytest.mark.postgresql
def test_a_name_has_its_synonyms_in_either_form_of_unicode() -> None:
    store(paper(pmid="1"))
    store_labels(1, gene_labels("Mu\u0308ller1|Kru\u0308ppel2", "", ""))
    assert names(GENE, "M\u00fcller1") == [("Kru\u0308ppel2", LABELS)]
    assert names(GENE, "kr\u00fcppel2") == [("Mu\u0308ller1", LABELS)]


def test_a_vocabulary_that_was_not_compiled_keeps_nobody_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vocabularies, "is_compiled", is_compiled)
    assert names(GENE, "TP53") == []


def test_an_official_name_wins_over_a_synonym_and_a_synonym_finds_what_it_may_mean() -> None:
    assert ("bbl", VOCABULARY) not in names(GENE, "TP53")
    assert {"TP53", "LFS1", "Trp53", "bbl"} <= {name for name, _ in names(GENE, "p53")}


def test_few_names_are_on_and_not_too_many_are_offered() -> None:
    with read() as session:
        found = synonyms_of(session, GENE, "LONG", vocabulary_names(GENE, "LONG"))
    assert [each.on for each in found] == [True] * ON + [False] * (facets.MOST_SYNONYMS - ON)


def test_choices_are_offered_in_words_and_go_by_their_key() -> None:
    with read() as session:
        assert offered_names(session, EDIT)[:3] == ["knockout", "knockin", "knockdown"]
    assert names(EDIT, "knockout") == [("KO", "topic")]


@pytest.mark.parametrize(
    ("typed", "left", "found"),
    [
        ("knockout AND growth", "growth", ["knockout"]),
        ("growth AND TP53 AND knockout", "growth", ["TP53", "knockout"]),
        ("TP53 AND (rate OR growth) NOT knockout", "(rate OR growth) NOT knockout", ["TP53"]),
        ("(knockout) growth", "(knockout) growth", []),
        ("TP53 OR growth", "TP53 OR growth", []),
        ("TP53[tw]", "TP53[tw]", []),
        ("growth of SiHa", "growth of", ["SiHa"]),
        ("Jurkat growth", "growth", ["Jurkat"]),
        ("Rest and jurkat", "Rest and jurkat", []),
    ],
)
def test_a_typed_name_goes_with_its_and_and_what_is_left_asks_the_same(typed: str, left: str, found: list[str]) -> None:
    with read() as session:
        rest, names_found = names_typed(session, [GENE, EDIT], typed, vocabulary_names)
    assert (rest, [name for _, name in names_found]) == (left, found)


def test_the_names_that_most_articles_bear_are_offered_first() -> None:
    store(paper(pmid="1"), paper(pmid="2"))
    store_labels(1, gene_labels("KRAS; TP53", "HeLa", ""))
    store_labels(2, gene_labels("TP53", "", ""))
    with read() as session:
        assert offered_names(session, GENE) == ["TP53", "KRAS"] and offered_names(session, CELL) == ["HeLa"]


@pytest.mark.parametrize("name", ["", "100%_x", "a\\b", '"quoted"', "x" * 500])
def test_names_that_nobody_knows_have_no_others(name: str) -> None:
    store(paper(pmid="1"))
    store_labels(1, gene_labels("KRAS|K-Ras", "", ""))
    assert names(GENE, name) == []
