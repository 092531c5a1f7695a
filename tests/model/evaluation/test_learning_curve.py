"""The learning curve: the gain that a logarithm through the points expects, and how sure it is."""

import math

import numpy as np
import pytest

from model.evaluation.learning_curve import expected_gain


def test_points_on_a_logarithm_give_its_gain_and_the_error_of_its_slope():
    # .1 for each doubling: from 40 to 160, two doublings, .2. ln sizes lie ln 2 apart, so their squares about the
    # mean add up to 2 (ln 2)^2; with errors of .05 the slope's error is .05 / (sqrt 2 ln 2), over 2 ln 2 that is
    # .05 sqrt 2 = .0707, and 1.96 of it .1386.
    gain = expected_gain([10, 20, 40], [0.3, 0.4, 0.5], [0.05] * 3, now=40, then=160)
    assert gain.value == pytest.approx(0.2)
    assert (gain.low, gain.high) == (pytest.approx(0.2 - 0.13859, abs=1e-4), pytest.approx(0.2 + 0.13859, abs=1e-4))


def test_points_that_scatter_more_than_their_errors_widen_the_interval():
    sizes, now = [10, 20, 40], {"now": 40, "then": 80}
    still = expected_gain(sizes, [0.3, 0.4, 0.5], [0.01] * 3, **now)
    # .3, .5, .5: slope .1 a doubling, residuals -.0333, .0667, -.0333 of errors .01: chi squared 66.7, 1 degree
    wild = expected_gain(sizes, [0.3, 0.5, 0.5], [0.01] * 3, **now)
    assert wild.value == pytest.approx(still.value) == pytest.approx(0.1)
    assert (wild.high - wild.low) / (still.high - still.low) == pytest.approx(math.sqrt(200 / 3))


def test_a_point_known_more_exactly_counts_more():
    sure = expected_gain([10, 20, 40], [0.3, 0.4, 0.7], [0.01, 0.01, 1.0], now=20, then=40)
    assert sure.value == pytest.approx(0.1, abs=0.001)


def test_fewer_labels_than_now_lose_and_the_ends_stay_in_order():
    gain = expected_gain([10, 20, 40], [0.3, 0.4, 0.5], [0.05] * 3, now=40, then=20)
    assert gain.low < gain.value < 0 and gain.value < gain.high
    assert gain.value == pytest.approx(-0.1)


def test_the_slope_and_its_error_are_those_of_a_weighted_fit():
    """numpy's polynomial fit scales the covariance by chi squared over the degrees of freedom, as is done here."""
    sizes, scores, errors = [10, 20, 40, 90], [0.3, 0.5, 0.4, 0.7], [0.01, 0.02, 0.01, 0.04]
    (slope, _), covariance = np.polyfit(np.log(sizes), scores, 1, w=1 / np.array(errors), cov=True)
    gain = expected_gain(sizes, scores, errors, now=40, then=80)
    step, error = math.log(2), covariance[0, 0] ** 0.5
    assert gain.value == pytest.approx(slope * step)
    assert (gain.low, gain.high) == pytest.approx([(slope + sign * 1.96 * error) * step for sign in (-1, 1)])


@pytest.mark.parametrize(
    ("sizes", "errors", "now", "message"),
    [
        ([0, 1, 2], [0.1] * 3, 1, r"sizes are \[0.0, 1.0, 2.0\]"),
        ([1, 2, 3], [0.0, 0.1, 0.1], 1, r"errors are \[0.0, 0.1, 0.1\]"),
        ([1, 2, 3], [0.1] * 3, 0, r"sizes are \[0.0, 2.0\]"),
    ],
)
def test_what_is_not_above_zero_is_named(sizes, errors, now, message):
    with pytest.raises(ValueError, match=f"^{message}"):
        expected_gain(sizes, [0.1] * 3, errors, now=now, then=2)


@pytest.mark.parametrize(
    ("sizes", "scores", "errors"),
    [
        ([10, 20], [0.3, 0.4], [0.1, 0.1]),
        ([10] * 3, [0.3] * 3, [0.1] * 3),
        ([0, 1, 2], [0.1] * 3, [0.1] * 3),
        ([1, 2, 3], [0.1] * 3, [0.0, 0.1, 0.1]),
        ([1, 2, 3], [0.1] * 2, [0.1] * 3),
    ],
)
def test_too_few_points_equal_sizes_and_impossible_numbers_are_refused(sizes, scores, errors):
    with pytest.raises(ValueError, match=r"curve needs 3 points|must be above 0"):
        expected_gain(sizes, scores, errors, now=1, then=2)
