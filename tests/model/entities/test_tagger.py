"""The tagger learns a pattern, tells how sure it is, and reads the same weights that CRFsuite wrote."""

from pathlib import Path

import pycrfsuite
import pytest

from model.entities.tagger import BadTagger, Chain, Tagger, labels_of, spans_of

SENTENCES = [
    ([[f"w={word}"] for word in words.split()], labels.split())
    for words, labels in (
        ("the gene TP53 was deleted", "O O B-gene O O"),
        ("the gene IL 2 was lost", "O O B-gene I-gene O O"),
        ("a cell was seen", "O O O O"),
    )
] * 5
CHAIN = Chain(least_seen=1)


def test_it_learns_what_stands_behind_a_word() -> None:
    tagger = Tagger.train(SENTENCES, CHAIN)
    ((labels, inside),) = tagger.tag([[["w=the"], ["w=gene"], ["w=IL"], ["w=2"], ["w=was"]]])
    assert labels == ["O", "O", "B-gene", "I-gene", "O"]
    assert inside[2] > 0.8 and inside[0] < 0.2


def test_its_labels_and_probabilities_are_those_of_crfsuite(tmp_path: Path) -> None:
    trainer = pycrfsuite.Trainer("lbfgs", {"c1": 0.1, "c2": 0.1, "max_iterations": 80}, verbose=False)
    for features, labels in SENTENCES:
        trainer.append(features, labels)
    trainer.train(str(tmp_path / "chain"))
    theirs = pycrfsuite.Tagger()
    theirs.open(str(tmp_path / "chain"))
    ours = Tagger.train(SENTENCES, CHAIN)
    for features, _ in SENTENCES[:3]:
        ((labels, inside),) = ours.tag([features])
        assert labels == theirs.tag(features)
        if not any(inside):
            continue  # nothing is named there
        outside = [theirs.marginal("O", at) for at in range(len(features))]
        assert list(1 - inside) == pytest.approx(outside, abs=1e-4)


def test_a_saved_tagger_tags_alike(tmp_path: Path) -> None:
    tagger = Tagger.train(SENTENCES, CHAIN)
    tagger.save(tmp_path)
    assert Tagger.load(tmp_path).tag([SENTENCES[0][0]])[0][0] == SENTENCES[0][1]


def test_a_damaged_tagger_is_refused(tmp_path: Path) -> None:
    Tagger.train(SENTENCES, CHAIN).save(tmp_path)
    (tmp_path / "features.txt").write_text("other")
    with pytest.raises(BadTagger, match="damaged"):
        Tagger.load(tmp_path)


def test_nothing_marked_cannot_be_learned() -> None:
    with pytest.raises(ValueError, match="nothing"):
        Tagger.train([([["w=a"]], ["O"])])


def test_labels_and_spans_are_each_others_way_back() -> None:
    words = [(0, 3), (4, 6), (6, 7), (8, 10)]
    labels = labels_of(words, [(4, 7, "gene"), (8, 10, "cell")], {"gene": "gene"})
    assert labels == ["O", "B-gene", "I-gene", "O"]
    assert spans_of(labels) == [(1, 3, "gene")]
    assert spans_of(["I-a", "B-a", "I-b", "O"]) == [(0, 1, "a"), (1, 2, "a"), (2, 3, "b")]
