"""Chance against equally good versions: of one try, and over all tries that are made."""

import numpy as np
import pytest

from model.evaluation.intervals import sign_flip, spent


def test_so_many_better_articles_and_none_worse_are_a_coin_s_luck():
    for better in (1, 4, 6, 10):
        assert sign_flip([0.5] * better + [0.0] * 3) == pytest.approx(2.0**-better)
    assert sign_flip([]) == sign_flip([0.0, 0.0]) == 1.0
    assert sign_flip([1.0, -1.0]) == 0.75  # three of four choices of signs sum to 0 or more


def test_many_articles_are_judged_by_random_signs_as_by_all_of_them():
    differences = np.random.default_rng(1).normal(0.2, 0.5, 15).tolist()
    exact = sign_flip(differences)
    assert sign_flip(differences, rounds=20_000) == pytest.approx(exact, abs=0.01)
    assert sign_flip(differences, rounds=20_000) == sign_flip(differences, rounds=20_000)
    assert 0 < sign_flip([1.0] * 40, rounds=1_000) == 1 / 1_001


def test_of_equally_good_versions_no_more_pass_than_the_error_of_a_try():
    generator = np.random.default_rng(0)
    tries = [sign_flip(generator.normal(0, 0.3, 12).tolist()) for _ in range(400)]
    assert sum(p <= 0.05 for p in tries) <= 0.05 * 400 + 3 * np.sqrt(400 * 0.05 * 0.95)
    assert min(tries) < 0.05 < max(tries)


def test_what_all_tries_may_spend_stays_below_the_error():
    assert [spent(0.05, n) for n in (1, 2, 3)] == pytest.approx([0.05 / 2, 0.05 / 6, 0.05 / 12])
    assert sum(spent(0.05, n) for n in range(1, 10_000)) < 0.05
    with pytest.raises(ValueError, match="0 tries"):
        spent(0.05, 0)
