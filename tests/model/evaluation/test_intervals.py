"""Chance against equally good versions, how many hits a further sample holds, and how ranges are told."""

import numpy as np
import pytest
from scipy.stats import nbinom

from model.evaluation.intervals import Estimate, others_by_share, sign_flip


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


def test_a_range_of_things_is_rounded_outwards():
    assert Estimate(2.4, 0.9, 3.1).in_things() == "2 (0 to 4)"
    assert Estimate(1200.0, 900.0, 1541.0 + 1e-12).in_things() == "1,200 (900 to 1,541)"
    assert Estimate(2.4, 0.9, 3.1).whole(most=3) == (2, 0, 3)


@pytest.mark.parametrize(("hits", "n", "rest"), [(3, 33, 60), (0, 20, 9), (10, 40, 0)])
def test_further_hits_are_those_of_shares_drawn_from_the_posterior(hits, n, rest):
    generator = np.random.default_rng(2)
    shares = generator.beta(hits + 0.5, n - hits + 0.5, 20_000)
    found = others_by_share(rest, hits, n)
    below = nbinom.cdf(found.low - 1, rest + 0.5, 1 - shares).mean()
    above = nbinom.sf(found.high, rest + 0.5, 1 - shares).mean()
    assert below < 0.027 and above < 0.027
    assert nbinom.sf(found.high - 1, rest + 0.5, 1 - shares).mean() > 0.023  # and no longer than need be
    assert found.value == pytest.approx(rest * hits / (n - hits))


def test_hits_that_are_known_to_be_there_leave_room_for_more():
    free, known = others_by_share(20, 1, 30), others_by_share(20, 1, 30, least=6)
    assert free.high < 6 <= known.low < known.high


def test_a_share_of_all_tells_nothing_of_the_rest():
    with pytest.raises(ValueError, match="5 of 5"):
        others_by_share(3, 5, 5)
