"""Words alone: rows that know the training texts only, cosines and overlaps by hand."""

import numpy as np
import pytest

from model.evaluation.words import overlap, word_cosines, word_rows

TRAIN = [("the gene was cut",), ("the gene was not cut",), ("the gene was seen",)]


def test_rows_hold_what_the_training_texts_hold_twice():
    one, other = word_rows(TRAIN, [("the gene flies",)])
    assert one.shape == (3, 7)  # the, gene, was, cut, the gene, gene was, the gene was
    assert other.toarray().sum() == 3  # the, gene, the gene


def test_rows_of_pairs_tell_what_differs_what_is_shared_and_how_much():
    pairs = [("a gene here", "a gene here"), ("a gene here", "no word")]
    one, _ = word_rows(pairs, pairs)
    same, other = one.toarray()
    assert same[-20:].sum() == 20 and other[-20:].sum() == 0
    half = (one.shape[1] - 20) // 2
    assert same[:half].sum() == 0 and same[half : 2 * half].sum() > 0 and other[:half].sum() > 0


def test_cosines_are_1_for_the_same_and_0_for_nothing_in_common():
    assert word_cosines([("gene cut", "gene cut"), ("gene cut", "42 17"), ("", "gene")]) == pytest.approx(
        np.array([1.0, 0.0, 0.0])
    )


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [("a b", "b c", (1 / 3, 1 / 2)), ("a", "a b c d", (1 / 4, 1.0)), ("", "a", (0.0, 0.0)), ("A", "a", (1.0, 1.0))],
)
def test_overlaps_by_hand(one, other, expected):
    assert overlap(one, other) == pytest.approx(expected)
