"""P@1, MAP@R and the others by numbers computed by hand."""

import numpy as np
import pytest

from model.roles.retrieval import nearer_same, nearest_same, right_labels


def at(*degrees: float) -> np.ndarray:
    radians = np.radians(degrees)
    return np.column_stack([np.cos(radians), np.sin(radians)])


def test_p_at_1_and_map_at_r_are_those_computed_by_hand():
    # a at 0, a at 10, b at 25, a at 60, b at 100; nearest: 10 (a), 0 (a), 10 (a, wrong), 25 (b, wrong), 60 (a, wrong)
    found = nearest_same(at(0, 10, 25, 60, 100), list("aabab"))
    assert found["p_at_1"] == pytest.approx(2 / 5)
    # a at 0, R 2: 10 right, 25 wrong: 1/2. a at 10: 0 right, 25 wrong: 1/2. b at 25, R 1: wrong. a at 60,
    # R 2: 25 wrong, 100 wrong (40 degrees, 10 is 50 away): 0. b at 100: 60 wrong: 0
    assert found["map_at_r"] == pytest.approx((1 / 2 + 1 / 2) / 5)


def test_lengths_do_not_matter_and_a_label_that_stands_alone_is_left_out():
    vectors = at(0, 5, 90) * np.array([[1], [100], [3]])
    assert nearest_same(vectors, list("aab")) == {"p_at_1": 1.0, "map_at_r": 1.0}


def test_labels_that_nobody_shares_cannot_be_measured():
    with pytest.raises(ValueError, match="no two sentences"):
        nearest_same(at(0, 1), ["a", "b"])


def test_triplets_count_a_tie_half():
    sentence, same, other = at(0, 0, 0), at(10, 30, 20), at(20, 10, 20)
    assert nearer_same(sentence, same, other) == pytest.approx(1.5 / 3)


def test_accuracy_and_weighted_f1_are_those_computed_by_hand():
    # label 0: 1 hit, found 1, wanted 2: F1 2/3; label 1: 1 hit, found 2, wanted 1: F1 2/3
    figures = right_labels(np.array([0, 1, 1]), np.array([0, 0, 1]))
    assert figures == {"accuracy": pytest.approx(2 / 3), "weighted_f1": pytest.approx(2 / 3)}
