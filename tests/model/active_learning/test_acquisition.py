"""Query strategies: what each prefers, and the contract that all keep."""

import numpy as np
import pytest
from scipy.special import expit

from model.active_learning.acquisition import (
    GONE,
    IN_THEIR_PLACE,
    STRATEGIES,
    Waiting,
    article_vectors,
    choose,
    shares,
    strategy_label,
)
from model.active_learning.features import FEATURES
from model.active_learning.head import COLUMNS, Head

WIDTH = len(COLUMNS)


def head(precision: float = 1.0, **weights: float) -> Head:
    """A head with these weights of columns, by name; `precision` of each weight."""
    mean = np.zeros(WIDTH + 1)
    for name, weight in weights.items():
        mean[-1 if name == "intercept" else COLUMNS.index(name)] = weight
    return Head(np.zeros(WIDTH), np.ones(WIDTH), mean, precision * np.eye(WIDTH + 1))


def waiting(rows: np.ndarray, of: Head, mask: np.ndarray | None = None) -> Waiting:
    """The pool of these rows, all of them sentences unless a mask says otherwise."""
    whole = np.ones(rows.shape[:2], dtype=bool) if mask is None else mask
    return Waiting(rows, whole, of)


def with_cosines(*articles: list[float]) -> np.ndarray:
    """Rows whose column "cosine" holds these values, all else 0."""
    rows = np.zeros((len(articles), len(articles[0]), WIDTH), dtype=np.float32)
    rows[:, :, COLUMNS.index("cosine")] = articles
    return rows


def at(places: list[tuple[int, float]]) -> np.ndarray:
    """One-sentence articles whose embeddings have this value at one of the projections."""
    rows = np.zeros((len(places), 1, WIDTH), dtype=np.float32)
    for number, (place, value) in enumerate(places):
        rows[number, 0, len(FEATURES) + place] = value
    return rows


def made_up(articles: int = 30, sentences: int = 6, seed: int = 0) -> Waiting:
    """A pool of random rows in which some articles have fewer sentences than others."""
    generator = np.random.default_rng(seed)
    rows = generator.normal(size=(articles, sentences, WIDTH)).astype(np.float32)
    mask = np.arange(sentences) < generator.integers(1, sentences + 1, articles)[:, None]
    rows[~mask] = 0
    return waiting(rows, head(cosine=1.0, intercept=-1.0), mask)


@pytest.mark.parametrize("name", STRATEGIES)
def test_every_strategy_scores_every_article_with_a_finite_number(name):
    scores = STRATEGIES[name].acquire(made_up(), np.random.default_rng(0))
    assert scores.shape == (30,)
    assert np.isfinite(scores).all()


@pytest.mark.parametrize("name", STRATEGIES)
def test_every_strategy_gives_the_same_order_for_the_same_seed_and_changes_nothing(name):
    pool = made_up()
    before = pool.rows.copy()
    orders = [choose(name, pool, 10, np.random.default_rng(3))[0].tolist() for _ in range(2)]
    assert orders[0] == orders[1]
    assert (pool.rows == before).all()


@pytest.mark.parametrize("name", STRATEGIES)
@pytest.mark.parametrize("articles", [1, 2])
def test_every_strategy_serves_the_end_of_the_queue(name, articles):
    chosen, _ = choose(name, made_up(articles), 5, np.random.default_rng(0))
    assert sorted(chosen) == list(range(articles))


@pytest.mark.parametrize("name", STRATEGIES)
def test_padding_does_not_count(name):
    pool = made_up()
    padded = Waiting(
        np.concatenate([pool.rows, np.zeros_like(pool.rows)], axis=1),
        np.concatenate([pool.mask, np.zeros_like(pool.mask)], axis=1),
        pool.head,
    )
    scores = [STRATEGIES[name].acquire(each, np.random.default_rng(1)) for each in (pool, padded)]
    if name == "committee":  # a member's opinion is one draw, however many sentences there are
        np.testing.assert_allclose(*scores, atol=1e-4)
    else:
        np.testing.assert_allclose(*scores, rtol=1e-4, atol=1e-5)


def test_the_score_is_the_expected_number_of_key_sentences():
    pool = waiting(with_cosines([0.0, 0.0], [2.0, -2.0], [2.0, 0.0]), head(cosine=1.0))
    expected = [1.0, 1.0, 0.5 + 1 / (1 + np.exp(-2))]
    np.testing.assert_allclose(STRATEGIES["score"].acquire(pool, np.random.default_rng(0)), expected, rtol=1e-5)


def test_a_committee_disagrees_where_the_posterior_is_wide():
    pool = waiting(at([(0, 0.0), (0, 4.0)]), head(precision=4.0))
    still, wide = STRATEGIES["committee"].acquire(pool, np.random.default_rng(0))
    assert wide > still


def test_disagreement_is_that_of_scikit_activeml():
    from skactiveml.pool import average_kl_divergence

    pool = made_up()
    opinions = expit(pool.committee(np.random.default_rng(5)).astype(np.float64))
    pairs = np.stack([opinions, 1 - opinions], axis=-1).reshape(len(opinions), -1, 2)
    theirs = np.where(pool.mask, average_kl_divergence(pairs).reshape(pool.mask.shape), 0).sum(axis=1)
    np.testing.assert_allclose(STRATEGIES["committee"].acquire(pool, np.random.default_rng(5)), theirs, rtol=1e-3)


def test_a_strategy_of_an_earlier_release_has_a_name_and_one_that_takes_its_place():
    assert not {*GONE} & {*STRATEGIES} and IN_THEIR_PLACE in STRATEGIES
    assert [strategy_label(name) for name in ("core-set", "score")] == ["Core-set", "Model score"]


def test_near_duplicates_come_only_where_nothing_else_is_left():
    rows = at([(0, 3.0), (0, 3.0), (1, 3.0)])
    rows[:, 0, COLUMNS.index("cosine")] = [2.0, 1.9, 0.0]
    pool = waiting(rows, head(cosine=1.0))
    generator = np.random.default_rng(0)
    assert choose("score", pool, 3, generator)[0].tolist() == [0, 2, 1]
    assert choose("score", pool, 1, generator, held=article_vectors(rows[:1], pool.mask[:1]))[0].tolist() == [2]


@pytest.mark.parametrize(("cosine", "order"), [(0.979, [0, 1, 2]), (0.981, [0, 2, 1])])
def test_articles_are_near_duplicates_from_a_cosine_of_98_per_cent(cosine, order):
    rows = at([(0, 1.0), (0, cosine), (5, 1.0)])
    rows[1, 0, len(FEATURES) + 1] = (1 - cosine**2) ** 0.5
    rows[:, 0, COLUMNS.index("cosine")] = [2.0, 1.0, 0.0]
    pool = waiting(rows, head(cosine=1.0))
    assert choose("score", pool, 3, np.random.default_rng(0))[0].tolist() == order
    held = choose("score", pool, 1, np.random.default_rng(0), held=7 * article_vectors(rows[:1], pool.mask[:1]))
    assert held[0].tolist() == [order[1]]


def test_articles_without_any_vector_are_no_duplicates_of_each_other():
    pool = waiting(with_cosines([1.0], [0.5], [0.0]), head(cosine=1.0))
    assert choose("score", pool, 3, np.random.default_rng(0))[0].tolist() == [0, 1, 2]


def test_an_unknown_strategy_is_named_with_those_there_are():
    with pytest.raises(ValueError, match="'luck' is none of random, score"):
        choose("luck", made_up(), 1, np.random.default_rng(0))


def test_random_order_favours_nobody():
    pool = made_up(5)
    firsts = [int(choose("random", pool, 1, np.random.default_rng(seed))[0][0]) for seed in range(500)]
    assert min(np.bincount(firsts, minlength=5)) > 60


@pytest.mark.parametrize("name", [name for name in STRATEGIES if name != "random"])
def test_every_strategy_chooses_among_the_articles_that_matter(name):
    pool = made_up()
    matter = np.where(np.arange(30) % 3, 0.001, 0.9)
    order, scores = choose(name, pool, 30, np.random.default_rng(0), matter=matter)
    same = choose(name, pool, 30, np.random.default_rng(0))[1]
    assert set(order[:10]) == set(range(0, 30, 3))
    assert scores.tolist() == same.tolist()  # what the strategy itself says


def test_the_lot_stays_a_lot_whatever_matters():
    order = choose("random", made_up(), 30, np.random.default_rng(0), matter=np.linspace(0, 1, 30))[0]
    assert order.tolist() == choose("random", made_up(), 30, np.random.default_rng(0))[0].tolist()


def test_of_articles_that_matter_alike_the_strategys_own_order_holds():
    order = choose("score", made_up(), 30, np.random.default_rng(0), matter=np.full(30, 0.4))[0]
    assert order.tolist() == choose("score", made_up(), 30, np.random.default_rng(0))[0].tolist()


def test_the_share_of_a_value_counts_those_no_higher():
    assert shares(np.array([3.0, 1.0, 3.0, 2.0])).tolist() == [1.0, 0.25, 1.0, 0.5]
    assert shares(np.array([])).size == 0
