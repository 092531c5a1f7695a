"""The stop rule: numbers computed by hand, and simulated reviews whose number of key sentences is known."""

import numpy as np
import pytest
from scipy.stats import gamma

from model.evaluation.intervals import Estimate, clustered_share, others_by_share, wilson
from model.review.blocks import BLOCK, in_block
from model.review.stopping import MIN_DRAWS, Draw, estimated_total, missed_in_judged, run_without, unfound

REVIEWS = 300
JUDGED = 100  # simulated projects of each kind whose missed key sentences are predicted
POOLS = {
    "dense": lambda generator, shape: generator.poisson(3, shape),
    "sparse": lambda generator, shape: (generator.random(shape) < 0.15) * (1 + generator.poisson(2, shape)),
    "skewed": lambda generator, shape: np.floor(generator.lognormal(-0.5, 1.2, shape)).astype(int),
}


def simulate(key: np.ndarray, finished: int, noise: float, generator: np.random.Generator):
    """Reviews of pools, key (reviews, articles): two in each block of twenty articles, as the queue has it, are drawn
    by lot, else the likeliest richest.

    Returns each review's draws, and how many key sentences it found.
    """
    reviews, articles = key.shape
    scores = key + generator.normal(0, noise, key.shape)
    waiting, rows = np.ones(key.shape, dtype=bool), np.arange(reviews)
    found, draws = np.zeros(reviews, dtype=int), [[] for _ in rows]
    for step in range(finished):
        if step % BLOCK == 0:
            block = generator.permuted(np.tile(np.arange(BLOCK) < in_block(0.1, 0), (reviews, 1)), axis=1)
        by_lot = block[:, step % BLOCK]
        order = np.where(by_lot[:, None], generator.random(key.shape), scores)
        chosen = np.where(waiting, order, -np.inf).argmax(axis=1)
        for review in np.flatnonzero(by_lot):
            draws[review].append(Draw(articles - step, int(found[review]), int(key[review, chosen[review]])))
        found += key[rows, chosen]
        waiting[rows, chosen] = False
    return draws, found


@pytest.mark.parametrize("pool", POOLS)
@pytest.mark.parametrize(("finished", "noise"), [(120, 1.0), (300, 3.0)])
def test_the_estimate_is_unbiased_and_its_interval_covers_the_truth(pool, finished, noise):
    generator = np.random.default_rng(11)
    key = POOLS[pool](generator, (REVIEWS, 400))
    draws, found = simulate(key, finished, noise, generator)
    enough = [review for review in range(REVIEWS) if len(draws[review]) >= MIN_DRAWS]
    assert len(enough) > 0.9 * REVIEWS
    typical = [key[review][key[review] > 0].mean() for review in enough]
    totals = [estimated_total(draws[review], one) for review, one in zip(enough, typical, strict=True)]
    left = [unfound(total, found[review]) for total, review in zip(totals, enough, strict=True)]
    truth = key[enough].sum(axis=1)
    error = np.array([total.value for total in totals]) - truth
    assert abs(error.mean()) < 3 * error.std(ddof=1) / np.sqrt(len(enough))
    # The active choice alone finds rich articles first: the mean of all that were finished would be far off.
    assert (found[enough] / finished * 400 - truth).mean() > 0.08 * truth.mean()
    covered = [e.low <= t - found[r] <= e.high for e, t, r in zip(left, truth, enough, strict=True)]
    assert np.mean(covered) >= 0.9


def test_the_estimate_of_five_draws_is_the_one_computed_by_hand():
    draws = [Draw(10, 0, 2), Draw(10, 4, 1), Draw(5, 8, 0), Draw(5, 8, 1), Draw(5, 9, 2)]
    # totals 20, 14, 8, 13, 19 with weights 1 : 1 : 4 : 4 : 4
    total = estimated_total(draws)
    assert total.value == pytest.approx((20 + 14 + 4 * (8 + 13 + 19)) / 14)
    squares = np.array([1, 1, 4, 4, 4]) ** 2 / 14**2 * (np.array([20, 14, 8, 13, 19]) - total.value) ** 2
    assert total.low == pytest.approx(total.value - 2.776445 * np.sqrt(5 / 4 * squares.sum()))
    assert total.high >= total.value + (total.value - total.low) - 1e-9


def test_few_draws_with_much_in_one_are_bounded_by_a_skewed_distribution():
    # Four of 20 waiting articles held nothing, the fifth 5 key sentences: totals 0, 0, 0, 0, 100 with equal weights.
    total = estimated_total([*[Draw(20, 0, 0)] * 4, Draw(20, 0, 5)])
    assert (total.value, total.low) == (pytest.approx(20), 0)
    # Standard error sqrt(5/4 / 25 * (4 * 20^2 + 80^2)) = 20. Student's quantile of 4 degrees, 2.7764, is that of the
    # normal times 1.4166, so the gamma has the mean 20 and the deviation 1.4166 * 20 = 28.331: shape .49836.
    shape = (20 / 28.331) ** 2
    assert total.high == pytest.approx(gamma.ppf(0.975, shape, scale=20 / shape), rel=1e-4)
    assert total.high > 20 + 2.7764 * 20  # more than the symmetric interval
    assert estimated_total([*[Draw(20, 7, 0)] * 4, Draw(20, 7, 5)]).high == pytest.approx(7 + total.high)


def test_the_bound_of_draws_without_any_is_for_articles_as_rich_as_those_seen():
    # Weights 1 : 100 : 100 : 100 : 100, so a draw from 10 may hide 2.9957 * 10 * 100 / 401 articles, with 8 each.
    draws = [Draw(100, 3, 8), *[Draw(10, 11, 0)] * 4]
    seen = estimated_total(draws, key_in_one=50.0)
    assert seen.value == pytest.approx((3 + 800 + 400 * 11) / 401)
    assert seen.high == pytest.approx((3 + 400 * 11) / 401 + 2.9957 * 1000 / 401 * 8, rel=1e-4)
    few = estimated_total([Draw(20, 0, 0)] * 5, key_in_one=0.2)  # an article that holds any holds one or more
    assert few.high == pytest.approx(20 / 5 * 2.9957, rel=1e-4)
    assert estimated_total([Draw(20, 0, 0)] * 5).high == few.high


def test_draws_that_held_nothing_leave_an_upper_bound_by_the_rule_of_three():
    total = estimated_total([Draw(100, 30, 0)] * 10, key_in_one=2.5)
    assert (total.value, total.low) == (30, 30)
    # at most 3 of 10 draws' worth of articles, 2.5 key sentences in each: 100 * 2.9957 / 10 * 2.5
    assert total.high == pytest.approx(30 + 74.89, abs=0.01)
    more = estimated_total([Draw(100, 30, 0)] * 100, key_in_one=2.5)
    assert more.high == pytest.approx(30 + 7.489, abs=0.01)


def test_a_pool_read_to_the_end_by_lot_is_known():
    key = [0, 3, 1, 0, 2, 0]
    draws = [Draw(6 - i, sum(key[:i]), number) for i, number in enumerate(key)]
    found = unfound(estimated_total(draws), 6)
    assert found.low == 0
    assert found.value < 3


def test_fewer_draws_give_no_estimate():
    with pytest.raises(ValueError, match="4 random draws; needs at least 5"):
        estimated_total([Draw(10, 0, 1)] * 4)


def test_nothing_is_ever_less_than_unfound():
    assert unfound(Estimate(10, 4, 31.5), 12) == Estimate(0, 0, 19.5)


@pytest.mark.parametrize(("key", "run"), [([], 0), ([0, 0], 2), ([1, 0, 2, 0, 0, 0], 3), ([0, 1], 0)])
def test_the_run_of_articles_without_a_key_sentence_is_counted_from_the_end(key, run):
    assert run_without(key) == run


def test_a_share_in_clusters_is_wilsons_where_they_are_alike_and_wider_where_they_differ():
    alike = clustered_share([1, 1, 1, 1], [4, 4, 4, 4])
    assert alike == wilson(4, 16)
    # one article holds all: deff = 4/3 * (3^2 + 3 * 1^2) / 16 / (1/4 * 3/4) = 5.33
    apart = clustered_share([4, 0, 0, 0], [4, 4, 4, 4])
    assert apart == wilson(4 / (16 / 3), 3)
    assert clustered_share([4, 0, 0, 0, 0], [4, 4, 4, 4, 0]) == apart  # an empty cluster is none
    assert clustered_share([1, 0], [1, 1]) == wilson(0.5, 1)  # deff = 2/1 * 2 * (1/2)^2 / 2 / (1/4) = 2
    assert apart.value == alike.value
    assert apart.high - apart.low > 1.5 * (alike.high - alike.low)


def test_missed_key_sentences_follow_from_what_readers_added():
    read = [(3, 1)] * 10  # a quarter of the key sentences is not among the proposals
    missed = missed_in_judged(read, proposed=60, added=4)
    assert missed.value == pytest.approx(60 / 0.75 * 0.25 - 4)
    assert missed == unfound(others_by_share(60, 10, 40, 4), 4)
    nothing_added = missed_in_judged([(3, 0)] * 10, 60, 0)
    assert nothing_added.value == 0
    assert 3 < nothing_added.high < 10


def test_chance_moves_what_was_missed_in_few_articles_however_many_were_read():
    missed = missed_in_judged([(9, 1)] * 1000, proposed=9, added=1)
    assert (missed.value, missed.low) == (0, 0)
    assert 2 <= missed.high <= 4  # one missed in the mean, and no more than four in 39 of 40 cases


def test_articles_that_differ_in_what_was_added_widen_the_range():
    alike = missed_in_judged([(3, 1)] * 8, 60, 0)
    apart = missed_in_judged([(4, 0)] * 6 + [(0, 4)] * 2, 60, 0)
    assert alike.value == apart.value == 20
    assert apart.high - apart.low > 1.5 * (alike.high - alike.low)


def test_five_articles_read_in_full_are_enough():
    assert missed_in_judged([(3, 1)] * 5, 60, 4).value == pytest.approx(60 / 3 - 4)


@pytest.mark.parametrize("read", [[], [(3, 1)] * 4, [(0, 0)] * 20, [(0, 2)] * 9])
def test_too_few_read_articles_say_nothing_of_what_was_missed(read):
    assert missed_in_judged(read, 60, 4) is None


@pytest.mark.parametrize("share", [0.05, 0.2])
@pytest.mark.parametrize("alike", [True, False])
@pytest.mark.parametrize(("whole", "judged"), [(6, 12), (15, 10), (30, 60)])
@pytest.mark.parametrize("noticed", [0.0, 0.5])
def test_missed_key_sentences_are_covered_in_simulated_articles(share, alike, whole, judged, noticed):
    """A share outside the proposals, the same in every article or not; readers notice some of those by themselves."""
    generator = np.random.default_rng(5)
    covered = []
    for _ in range(JUDGED):
        outside = share if alike else generator.beta(10 * share, 10 * (1 - share), whole + judged)
        key = 1 + generator.poisson(2, whole + judged)
        more = generator.binomial(key, outside)
        read = [(int(k - a), int(a)) for k, a in zip(key[:whole], more[:whole], strict=True)]
        there = int(more[whole:].sum())
        added = int(generator.binomial(there, noticed))
        missed = missed_in_judged(read, int((key - more)[whole:].sum()), added)
        covered.append(missed.low <= there - added <= missed.high)
    assert np.mean(covered) >= 0.925


def test_a_spread_of_what_was_found_before_widens_the_interval_symmetrically():
    # Totals 0, 0, 0, 0, 510: mean 102, standard error sqrt(5/4 / 25 * (4 * 102^2 + 408^2)) = 102. Of the mean, 100 is
    # known and 2 is the rest, of which the gamma says nearly nothing.
    total = estimated_total([*[Draw(10, 0, 0)] * 4, Draw(10, 500, 1)])
    assert total.value == pytest.approx(102)
    assert total.high == pytest.approx(102 + 2.776445 * 102)


def test_draws_that_all_say_the_same_leave_no_doubt():
    assert estimated_total([Draw(1, 0, 1)] * 5) == Estimate(*[pytest.approx(1)] * 3)


def test_the_bound_scales_with_what_waits():
    one, twenty = (estimated_total([*[Draw(n, 0, 0)] * 4, Draw(n, 0, k)]) for n, k in ((1, 1), (20, 5)))
    assert one.high == pytest.approx(twenty.high / 100)


def test_articles_with_one_key_sentence_count_among_those_that_hold_any():
    # Weights 1 : 1 : 100 : 100 : 100, that is of 302; those that hold any hold 5 in the mean.
    total = estimated_total([Draw(100, 0, 1), Draw(100, 0, 9), *[Draw(10, 0, 0)] * 3])
    assert total.high == pytest.approx(2.9957 * 1000 / 302 * 5, rel=1e-4)


def test_as_many_added_as_proposed_is_a_share_of_one_half():
    missed = missed_in_judged([(1, 1)] * 10, proposed=60, added=4)
    assert missed.value == pytest.approx(60 - 4)
