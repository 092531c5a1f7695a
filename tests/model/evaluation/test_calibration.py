"""Calibration against numbers computed by hand, known slopes and scikit-learn's own fit."""

import numpy as np
import pytest
from scipy.special import expit, logit

from model.evaluation.calibration import Platt, cross_calibrated, expected_calibration_error, fit_platt, reliability
from model.evaluation.intervals import wilson


def brier(p, truth):
    """Mean of (p - truth)^2, 0 (good) to 1 (Brier 1950)."""
    return np.mean((p - truth) ** 2)


def test_the_calibration_error_is_that_computed_by_hand():
    p, truth = [0.05, 0.05, 0.25, 0.25, 0.95], [0, 1, 0, 0, 1]
    # bins: 2 of 5 at .05 with share .5, 2 of 5 at .25 with share 0, 1 of 5 at .95 with share 1
    assert expected_calibration_error(p, truth) == pytest.approx(0.4 * 0.45 + 0.4 * 0.25 + 0.2 * 0.05)
    assert expected_calibration_error([], []) is None


def test_a_bin_holds_its_lower_edge_and_the_last_one_holds_both():
    found = reliability([0.0, 0.1, 0.3, 0.7, 1.0], [0, 0, 0, 1, 1])
    assert [(b["low"], b["high"], b["count"], b["share"]) for b in found] == [
        (0.0, 0.1, 1, 0.0),
        (0.1, 0.2, 1, 0.0),
        (0.3, 0.4, 1, 0.0),
        (0.7, 0.8, 1, 1.0),
        (0.9, 1.0, 1, 1.0),
    ]
    assert all(b["share_low"] <= b["share"] <= b["share_high"] for b in found)


@pytest.mark.parametrize(("p", "truth"), [([0.5], [0, 1]), ([1.5], [1])])
def test_what_is_no_probability_is_refused(p, truth):
    with pytest.raises(ValueError, match="probabilities"):
        reliability(p, truth)


def test_wilson_is_the_published_numbers():
    # Newcombe 1998, table I: 81 of 263 and 0 of 20
    for hits, n, low, high in ((81, 263, 0.2553, 0.3662), (0, 20, 0.0, 0.1611)):
        found = wilson(hits, n)
        assert (found.low, found.high) == (pytest.approx(low, abs=5e-5), pytest.approx(high, abs=5e-5))
    assert wilson(5, 5).high == 1
    for hits, n in ((3, 2), (0, 0), (-1, 4)):
        with pytest.raises(ValueError, match="not a share"):
            wilson(hits, n)


def test_the_fit_finds_the_slope_and_offset_that_the_labels_were_drawn_with():
    generator = np.random.default_rng(0)
    x = generator.normal(0, 2, 40_000)
    truth = generator.random(x.size) < expit(0.5 * x - 1)
    fit = fit_platt(x, truth)
    assert (fit.a, fit.b) == (pytest.approx(0.5, abs=0.02), pytest.approx(-1, abs=0.04))
    raw, calibrated = expit(x), fit.probability(x)
    assert expected_calibration_error(raw, truth) > 0.1
    assert expected_calibration_error(calibrated, truth) < 0.01
    assert brier(calibrated, truth) < brier(raw, truth)


def test_the_fit_equals_that_of_scikit_learn():
    from sklearn.calibration import _sigmoid_calibration

    generator = np.random.default_rng(1)
    x = generator.normal(3, 5, 300)
    truth = (generator.random(300) < expit(0.3 * x)).astype(int)
    a, b = _sigmoid_calibration(x, truth)  # 1 / (1 + exp(a x + b))
    fit = fit_platt(x, truth)
    assert (fit.a, fit.b) == (pytest.approx(-a, rel=1e-3), pytest.approx(-b, rel=1e-3))


def test_classes_that_are_apart_still_get_finite_probabilities():
    fit = fit_platt([-900.0, -800.0, 800.0, 900.0], [0, 0, 1, 1])
    p = fit.probability([-900, 900])
    assert 0 < fit.a < 1
    # Platt's targets: 3/4 for two key sentences, 1/4 for two others
    assert p == pytest.approx([0.25, 0.75], abs=0.05)


def test_the_order_is_kept_even_where_the_labels_contradict_it():
    generator = np.random.default_rng(2)
    x = generator.normal(0, 1, 2000)
    truth = generator.random(2000) < expit(-2 * x)
    fit = fit_platt(x, truth)
    assert 0 < fit.a < 0.01
    assert fit.probability(x).mean() == pytest.approx(truth.mean(), abs=0.01)
    flat = fit_platt(np.zeros(10), [1] * 3 + [0] * 7)
    assert flat.a > 0
    assert logit(flat.probability([0.0])[0]) == pytest.approx(flat.b)


@pytest.mark.parametrize(("x", "truth"), [([1.0, 2.0], [1, 1]), ([1.0], [0]), ([], []), ([np.nan, 1], [0, 1])])
def test_a_fit_needs_both_classes_and_finite_numbers(x, truth):
    with pytest.raises(ValueError, match="needs"):
        fit_platt(x, truth)


def test_cross_calibration_never_learns_from_the_article_it_judges():
    x = np.array([2.0, -2.0, 2.0, -2.0, 2.0, -2.0])
    truth, groups = np.array([1, 0, 1, 0, 0, 1]), np.array([7, 7, 8, 8, 9, 9])
    p = cross_calibrated(x, truth, groups, folds=3)
    for group in (7, 8, 9):
        others = groups != group
        fit = fit_platt(x[others], truth[others])
        assert p[~others] == pytest.approx(fit.probability(x[~others]))
    assert p[0] != pytest.approx(p[4], abs=0.01)


def test_cross_calibration_needs_two_articles_and_takes_the_log_odds_where_a_class_is_lacking():
    with pytest.raises(ValueError, match="1 groups"):
        cross_calibrated([0.0, 1.0], [0, 1], [3, 3], folds=5)
    p = cross_calibrated([0.0, 1.0, 2.0], [0, 1, 0], [1, 1, 2], folds=2)
    assert p[:2] == pytest.approx(expit([0.0, 1.0]))
    p = cross_calibrated([0.0, 1.0, 2.0], [1, 1, 0], [1, 1, 2], folds=2)  # two are calibrated by key sentences alone
    assert p == pytest.approx(expit([0.0, 1.0, 2.0]))
    assert Platt(1.0, 0.0).probability([0.0]) == pytest.approx([0.5])
