"""The light head: it begins as the fixed hybrid, learns as logistic regression does, and knows how sure it is."""

import numpy as np
import pytest
from scipy.special import expit
from sklearn.linear_model import LogisticRegression

from model.active_learning.features import FEATURES
from model.active_learning.head import (
    COLUMNS,
    PROJECTIONS,
    Head,
    first_head,
    projection,
    rows_of,
    teach,
)
from model.active_learning.taught import ARTICLE_WEIGHT, Taught
from model.labelled import KEY, NOT_KEY, UNLABELLED
from tests.support.topics import PRIOR

D = len(COLUMNS)


@pytest.fixture
def rows():
    return np.random.default_rng(0).normal(size=(200, D)).astype(np.float32) * np.linspace(0.5, 2, D, dtype=np.float32)


@pytest.fixture
def head(rows):
    return first_head(rows, PRIOR)


def test_before_any_label_it_ranks_as_the_fixed_hybrid(rows, head):
    hybrid = rows[:, : len(FEATURES)] @ PRIOR
    assert np.array_equal(np.argsort(head.log_odds(rows)), np.argsort(hybrid))
    assert head.log_odds(rows).std() == pytest.approx(1.0, abs=1e-4)
    assert head.log_odds(rows).mean() == pytest.approx(-3.0, abs=1e-4)


def test_the_prior_variance_is_hundredfold_along_the_hybrid_alone(rows):
    simple = np.eye(D, dtype=np.float32)  # columns with the mean 1/d and the deviation s
    head = first_head(simple, PRIOR)
    covariance = np.linalg.inv(head.precision)
    direction = head.mean[:-1]
    along = direction @ covariance[:-1, :-1] @ direction / (direction @ direction)
    assert along == pytest.approx(0.005 + 100 * 0.005 * direction @ direction)
    other = np.zeros(D)
    other[-1] = 1.0  # a projection, of which the hybrid knows nothing
    assert other @ covariance[:-1, :-1] @ other == pytest.approx(0.005)
    assert covariance[-1, -1] == pytest.approx(4.0)


def test_the_map_is_that_of_logistic_regression_where_the_prior_is_round(rows):
    """A prior N(0, v) on every weight is an L2 penalty with C = v; the intercept's is too wide to matter."""
    generator = np.random.default_rng(1)
    truth = (generator.random(200) < expit(rows[:, 0] - 0.5 * rows[:, 1] - 1)).astype(float)
    weights = generator.uniform(0.5, 3, 200)
    variance = 0.3
    precision = np.diag(np.append(np.full(D, 1 / variance), 1e-9))
    plain = Head(np.zeros(D), np.ones(D), np.zeros(D + 1), precision)
    ours = plain.learn(rows, truth, weights)
    theirs = LogisticRegression(C=variance, tol=1e-10, max_iter=1000, solver="newton-cholesky")
    theirs.fit(rows.astype(np.float64), truth, sample_weight=weights)
    assert ours.mean[:-1] == pytest.approx(theirs.coef_[0], abs=1e-6)
    assert ours.mean[-1] == pytest.approx(theirs.intercept_[0], abs=1e-6)
    p = expit(ours.log_odds(rows.astype(np.float64)))
    assert p == pytest.approx(theirs.predict_proba(rows.astype(np.float64))[:, 1], abs=1e-6)


def test_all_at_once_and_in_two_halves_are_nearly_the_same(rows, head):
    truth = (np.random.default_rng(2).random(200) < 0.2).astype(float)
    ones = np.ones(200)
    once = head.learn(rows, truth, ones)
    twice = head.learn(rows[:100], truth[:100], ones[:100]).learn(rows[100:], truth[100:], ones[100:])
    assert np.corrcoef(once.log_odds(rows), twice.log_odds(rows))[0, 1] > 0.99
    assert np.abs(once.log_odds(rows) - twice.log_odds(rows)).mean() < 0.25 * once.log_odds(rows).std()


def test_a_reject_lowers_similar_sentences_and_an_accept_lifts_them(rows, head):
    similar = rows[:1] + 0.1 * rows[1:2]
    before = head.log_odds(similar)
    for value, sign in ((0.0, -1), (1.0, 1)):
        after = head.learn(rows[:1], np.array([value]), np.ones(1)).log_odds(similar)
        assert sign * (after - before) > 0.1


def test_labels_make_it_surer_where_they_are(rows, head):
    learnt = head.learn(rows[:50], np.zeros(50), np.ones(50))
    assert (learnt.variance(rows[:50]) < head.variance(rows[:50])).all()
    standard = head.standardised(rows[:3].astype(float))
    exact = np.diag(standard @ np.linalg.inv(head.precision) @ standard.T)
    assert head.variance(rows[:3]) == pytest.approx(exact, rel=1e-4)
    drawn = standard @ head.draws(4000, np.random.default_rng(0))
    assert drawn.mean(axis=1) == pytest.approx(head.log_odds(rows[:3]), abs=4 * (exact.max() / 4000) ** 0.5)
    assert drawn.var(axis=1) == pytest.approx(exact, rel=0.1)


def test_labels_that_part_the_classes_wholly_stay_finite(rows, head):
    learnt = head.learn(rows, (rows[:, 0] > 0).astype(float), np.full(200, 1e4))
    assert np.isfinite(learnt.mean).all() and np.isfinite(learnt.root).all()
    assert ((learnt.log_odds(rows) > 0) == (rows[:, 0] > 0)).mean() > 0.97


def test_nothing_to_learn_is_the_same_head(rows, head):
    assert head.learn(rows[:0], np.zeros(0), np.zeros(0)) is head
    assert teach(head, []) is head
    empty = teach(head, [Taught(rows[:0], np.zeros(0))])
    assert empty is head


def test_the_order_of_sentences_does_not_matter(rows, head):
    truth = (np.arange(200) % 7 == 0).astype(float)
    order = np.random.default_rng(3).permutation(200)
    one = head.learn(rows, truth, np.ones(200))
    other = head.learn(rows[order], truth[order], np.ones(200))
    assert one.mean == pytest.approx(other.mean, abs=1e-8)


def test_an_article_teaches_by_what_is_known_of_its_sentences(rows):
    article = Taught(rows[:4], np.array([KEY, NOT_KEY, UNLABELLED, UNLABELLED]))
    assert article.truth.tolist() == [1, 0, 0, 0]
    assert article.weights.tolist() == [1, 1, 0.5, 0.5]
    assert article.judged.labels.tolist() == [KEY, NOT_KEY] and np.array_equal(article.judged.rows, rows[:2])
    long = Taught(np.zeros((300, D)), np.full(300, NOT_KEY))
    assert long.weights.sum() == pytest.approx(ARTICLE_WEIGHT) == 150


def test_rows_are_features_beside_projections_whose_mean_square_is_one():
    vectors = np.random.default_rng(4).normal(size=(400, 384))
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    rows = rows_of(np.zeros((400, len(FEATURES))), vectors)
    assert rows.shape == (400, D) and rows.dtype == np.float32
    assert (rows[:, -PROJECTIONS:] ** 2).mean() == pytest.approx(1.0, abs=0.05)
    assert not rows_of(np.ones((3, len(FEATURES))), None)[:, -PROJECTIONS:].any()
    assert projection(384)[0, :4].tolist() == projection(384)[0, :4].tolist()
    assert set(np.unique(projection(384))) == {-1.0, 1.0}


def test_stored_weights_give_the_same_log_odds(rows, head):
    learnt = head.learn(rows, (np.arange(200) % 9 == 0).astype(float), np.ones(200))
    stored = learnt.as_dict()
    assert tuple(stored["weights"]) == COLUMNS
    unscaled = rows @ np.array(list(stored["weights"].values())) + stored["intercept"]
    assert unscaled == pytest.approx(learnt.log_odds(rows), abs=1e-4)


def test_sentences_that_are_all_alike_begin_with_the_hybrids_own_weights():
    head = first_head(np.ones((4, D), dtype=np.float32), PRIOR)
    assert head.mean[: len(FEATURES)] == pytest.approx(PRIOR)
    assert head.mean[len(FEATURES) : -1].tolist() == [0] * PROJECTIONS


def test_a_column_that_is_always_the_same_does_no_harm(rows):
    flat = rows.copy()
    flat[:, 3] = 7.0
    head = first_head(flat, PRIOR).learn(flat, (np.arange(200) % 5 == 0).astype(float), np.ones(200))
    assert np.isfinite(head.log_odds(flat)).all()
