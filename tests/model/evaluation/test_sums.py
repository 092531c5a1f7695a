"""Measures as sums: the values of scikit-learn and scipy, and intervals that hold units together."""

import numpy as np
import pytest
from scipy.stats import pearsonr, spearmanr
from sklearn.metrics import accuracy_score, f1_score

from model.evaluation.sums import MEASURES, difference, estimate, unit_sums

GENERATOR = np.random.default_rng(1)
TRUTH = GENERATOR.integers(0, 3, 60)
GUESS = np.where(GENERATOR.random(60) < 0.7, TRUTH, GENERATOR.integers(0, 3, 60))
ONE_HOT = np.eye(3, dtype=int)


def value(name, truth, guess):
    return float(MEASURES[name].value(MEASURES[name].statistics(truth, guess).sum(axis=0)))


def test_measures_of_classes_are_those_of_scikit_learn():
    rows, guessed = ONE_HOT[TRUTH], ONE_HOT[GUESS]
    assert value("accuracy", rows, guessed) == pytest.approx(accuracy_score(TRUTH, GUESS))
    assert value("macro_f1", rows, guessed) == pytest.approx(f1_score(TRUTH, GUESS, average="macro"))
    assert value("positive_f1", rows, guessed) == pytest.approx(f1_score(TRUTH, GUESS, average=None)[2])


def test_measures_of_several_classes_are_those_of_scikit_learn():
    truth, guess = GENERATOR.integers(0, 2, (2, 40, 4))
    assert value("micro_f1", truth, guess) == pytest.approx(f1_score(truth, guess, average="micro"))
    assert value("macro_f1", truth, guess) == pytest.approx(f1_score(truth, guess, average="macro"))


def test_a_class_that_nobody_names_or_has_counts_as_0():
    assert value("macro_f1", np.array([[1, 0], [1, 0]]), np.array([[1, 0], [1, 0]])) == 0.5


def test_correlations_are_those_of_scipy_and_0_where_nothing_varies():
    x = GENERATOR.normal(size=50)
    y = x + GENERATOR.normal(size=50)
    assert value("pearson", x, y) == pytest.approx(pearsonr(x, y)[0])
    assert value("spearman", x, y) == pytest.approx(spearmanr(x, y)[0])
    assert value("pearson", x, np.ones(50)) == 0


def test_an_interval_holds_the_value_and_widens_where_items_belong_together():
    hits = MEASURES["accuracy"].statistics(np.repeat([1, 0], 20), np.ones(40, dtype=int))
    apart = estimate("accuracy", unit_sums(hits, [str(n) for n in range(40)]))
    together = estimate("accuracy", unit_sums(hits, [str(n // 10) for n in range(40)]))
    assert apart.value == together.value == 0.5
    assert apart.low < 0.5 < apart.high and together.high - together.low > apart.high - apart.low


def test_a_difference_is_drawn_on_the_same_units():
    base = np.array([[1.0, 1.0], [0.0, 1.0]] * 20)
    better = base.copy()
    better[1, 0] = 1
    assert difference("accuracy", base, base).high == difference("accuracy", base, base).low == 0
    found = difference("accuracy", better, base)
    assert found.value == pytest.approx(1 / 40) and found.low >= 0 and found.high < 0.15
    with pytest.raises(ValueError, match=r"\(40, 2\) and \(39, 2\)"):
        difference("accuracy", base, base[1:])


def test_sums_keep_units_in_the_order_of_their_first_items():
    assert unit_sums(np.array([[1.0], [2.0], [4.0]]), ["b", "a", "b"]).tolist() == [[5.0], [2.0]]
