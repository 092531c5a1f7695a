"""Evidence that may be looked at after every label: how often it misleads, and what it needs."""

import numpy as np
import pytest

from model.evaluation.evidence import articles_needed, needed_at, sign_evidence


def test_it_grows_with_articles_that_are_better_and_shrinks_with_ones_that_are_worse():
    assert sign_evidence([]) == sign_evidence([0.0] * 5) == pytest.approx(1)
    assert sign_evidence([0.3] * 5) < sign_evidence([0.3] * 10) < 2**10
    assert sign_evidence([-0.3] * 10) < 0.1
    differences = [0.2, -0.1, 0.0, 0.5]
    assert sign_evidence(differences) == pytest.approx(sign_evidence(differences[::-1]))  # no order


def test_a_mean_over_all_signs_is_one():
    differences = np.array([0.3, 0.05, 0.9])
    signs = np.array(np.meshgrid(*[[-1, 1]] * 3)).reshape(3, -1).T
    assert np.mean([sign_evidence(own * differences) for own in signs]) == pytest.approx(1)


def test_equally_good_candidates_seldom_reach_what_is_needed_however_often_they_are_looked_at():
    generator = np.random.default_rng(0)
    misled = 0
    for _ in range(300):
        differences = generator.normal(0, 0.2, 60).clip(-1, 1)
        misled += any(sign_evidence(differences[:n]) >= 20 for n in range(10, 61))
    assert misled / 300 <= 0.05


def test_the_tries_together_use_no_more_than_the_error():
    assert [round(needed_at(n, 0.05)) for n in (1, 2, 3)] == [100, 125, 156]
    assert sum(1 / needed_at(n, 0.05) for n in range(1, 200)) == pytest.approx(0.05)
    with pytest.raises(ValueError, match="0 tries; there must be one at least"):
        needed_at(0, 0.05)


def test_the_fewest_articles_that_can_give_so_much():
    needed = articles_needed(100)
    assert sign_evidence([1.0] * needed) >= 100 > sign_evidence([1.0] * (needed - 1))
