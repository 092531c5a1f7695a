"""Figures of recognition, with the embedded vocabularies and after training; taggers are versions."""

from pathlib import Path

import pytest

from annotate.entities import train_taggers as training
from annotate.entities.corpora import content_hash, read_corpus
from annotate.entities.recognition import manifest, recogniser, taggers_folder, version_now
from annotate.entities.train_taggers import evaluate, style_of, train
from annotate.registry.versions import listed, roll_back
from db.values import Kind
from model.entities.tagger import BadTagger, Chain
from model.entity_types import EntityType
from tests.support.entities import labelled_texts, write_corpus


@pytest.fixture
def corpus(few_genes: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(training, "LEAST_TO_LEARN", 20)
    monkeypatch.setattr(training, "CHAIN", Chain(rounds=30))
    return write_corpus(tmp_path / "made_train.jsonl.gz", labelled_texts(60))


def test_the_figures_are_those_that_programs_ask_for(few_genes: Path, tmp_path: Path) -> None:
    text = "Loss of TP53 in HeLa cells of patients"
    mentions = [
        [8, 12, "gene", "7157"],
        [16, 20, "cell_line", "CVCL_0030"],
        [30, 38, "organism", "9606"],
        [0, 4, "rna"],
    ]
    figures, seen = evaluate(write_corpus(tmp_path / "a.jsonl.gz", [{"id": "1", "text": text, "mentions": mentions}]))
    whole = {"precision": 1.0, "recall": 1.0, "f1": 1.0}
    kinds = {"gene": whole, "cell_line": whole, "organism": whole}
    assert figures == {"mentions": kinds, "identifiers": kinds, "documents": 1} and seen == 0


def test_types_without_identifiers_have_no_figures_of_them(few_genes: Path, tmp_path: Path) -> None:
    texts: list[dict[str, object]] = [{"id": "1", "text": "TP53", "mentions": [[0, 4, "gene"]]}]
    figures, _ = evaluate(write_corpus(tmp_path / "a.jsonl.gz", texts))
    assert set(figures["mentions"]) == {"gene"} and figures["identifiers"] == {}


def test_a_corpus_without_our_types_is_refused(few_genes: Path, tmp_path: Path) -> None:
    texts: list[dict[str, object]] = [{"id": "1", "text": "TP53", "mentions": [[0, 4, "rna"]]}]
    with pytest.raises(ValueError, match=r"a\.jsonl\.gz marks none of gene"):
        evaluate(write_corpus(tmp_path / "a.jsonl.gz", texts))


def test_a_trained_tagger_finds_what_no_vocabulary_holds(corpus: Path, tmp_path: Path) -> None:
    unseen = [text | {"text": str(text["text"]).replace("Abc", "Xyz")} for text in labelled_texts(20)]
    other = write_corpus(tmp_path / "unseen.jsonl.gz", unseen)
    before, _ = evaluate(other)
    version = version_now()
    told = train([corpus])
    assert told["types"] == ["gene", "organism"] and told["corpora"][0]["documents"] == 60
    after, seen = evaluate(other)
    assert before["mentions"]["gene"]["f1"] == 0 and after["mentions"]["gene"]["f1"] > 0.9
    assert seen == 0 and evaluate(corpus)[1] == 60
    assert version_now() != version


def test_documents_can_be_left_out_of_the_training(corpus: Path) -> None:
    kept = {content_hash(document) for document in list(read_corpus(corpus))[:40]}
    told = train([corpus], keep=lambda document: content_hash(document) in kept)
    assert told["corpora"][0]["documents"] == 40 and set(manifest()["documents"]) == kept


def test_too_few_mentions_teach_nothing_and_change_nothing(corpus: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    train([corpus])
    before = manifest()
    monkeypatch.setattr(training, "LEAST_TO_LEARN", 10_000)
    with pytest.raises(ValueError, match="at least 10000 times"):
        train([corpus])
    assert manifest() == before


def test_a_type_learns_from_those_corpora_alone_that_mark_it(corpus: Path, tmp_path: Path) -> None:
    unmarked = [text | {"mentions": []} for text in labelled_texts(60)]
    other = write_corpus(tmp_path / "unmarked.jsonl.gz", unmarked)
    train([other, corpus], types=[EntityType.GENE])
    assert manifest()["styles"] == {"gene": "made"}
    assert evaluate(corpus)[0]["mentions"]["gene"]["f1"] > 0.9


def test_taggers_are_kept_beside_each_other_and_one_can_go_back(corpus: Path, tmp_path: Path) -> None:
    train([corpus])
    first = version_now()
    train([corpus], types=[EntityType.GENE])
    second = version_now()
    assert len(listed(Kind.TAGGERS)) == 2 and first != second
    roll_back(Kind.TAGGERS, by="Cora")
    assert version_now() == first and set(manifest()["styles"]) == {"gene", "organism"}


def test_a_damaged_tagger_is_told(corpus: Path) -> None:
    train([corpus])
    (taggers_folder() / "gene" / "features.txt").write_text("other")
    with pytest.raises(BadTagger, match="damaged"):
        recogniser()


def test_a_corpus_gives_its_name_to_its_way_of_marking() -> None:
    assert [style_of(Path(name)) for name in ("a/biored_train.jsonl.gz", "X.xml")] == ["biored", "x"]
