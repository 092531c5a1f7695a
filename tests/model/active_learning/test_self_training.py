"""Self-training: sentences that nobody judged teach words that no example has."""

import numpy as np
import pytest

from model.active_learning.key_sentence_ranker import KeySentenceRanker
from model.active_learning.self_training import FEWEST, LIKELY, UNLIKELY, Labelled, Unlabelled, fit_self_trained
from model.active_learning.taught import UNLABELLED_WEIGHT
from model.active_learning.wording import Wording

KEY = ("Warm feet let people sleep.", "A warm bath let people sleep.", "Warm milk let people sleep.")
OTHER = ("The letter was sent by mail.", "The sample was sent to the clinic.", "Data were sent by the nurse.")
# Six of 300 are like the examples, and tell of hammocks; so do no others.
TEXTS = [
    *(f"Warm hammocks let people sleep on day {n}." for n in range(round(LIKELY * 300))),
    *(f"Forms were sent to ward {n} by mail." for n in range(294)),
]
UNSEEN = ["Hammocks were good.", "Wards were good."]


def labelled(vectors: np.ndarray | None = None) -> Labelled:
    return Labelled([*KEY, *OTHER], vectors, np.array([1] * 3 + [0] * 3), np.ones(6))


def unlabelled(count: int = 300, vectors: np.ndarray | None = None) -> Unlabelled:
    return Unlabelled(TEXTS[:count], vectors, np.zeros(count))


def told(ranker: Wording) -> float:
    """How much likelier the sentence on hammocks is key."""
    hammock, ward = ranker.log_odds(UNSEEN)
    return float(hammock - ward)


def test_unlabelled_sentences_teach_words_that_no_example_has():
    first = labelled().fitted()
    found = unlabelled().self_trained(first, labelled())
    assert abs(told(first)) < 0.1 and told(found) > 0.5
    assert "hammocks" not in first.terms and found.terms["hammocks"] > 0 > found.terms["ward"]


def test_what_else_ranks_a_sentence_says_which_are_taken_as_key():
    other = np.where(np.arange(300) < 6, -100.0, 0.0)
    found = Unlabelled(TEXTS, None, other).self_trained(labelled().fitted(), labelled())
    assert found.terms.get("hammocks", 0.0) <= 0


def test_the_likeliest_are_taken_as_key_and_some_of_the_less_likely_half_as_not(monkeypatch):
    seen = []
    fitted = Labelled.fitted
    monkeypatch.setattr(Labelled, "fitted", lambda one: seen.append(one) or fitted(one))
    first = labelled().fitted()
    assert np.array_equal(unlabelled().self_trained(first, labelled()).structure, seen[-1].fitted().structure)
    taught = seen[1]
    assert taught.texts[6:12] == TEXTS[:6] and len(taught.texts) == 6 + 6 + 6 * UNLIKELY
    assert taught.truth.tolist() == [1] * 3 + [0] * 3 + [1] * 6 + [0] * 6 * UNLIKELY
    assert taught.weights.tolist() == [1.0] * 6 + [UNLABELLED_WEIGHT] * (6 + 6 * UNLIKELY)
    assert not {*taught.texts[12:]} & {*TEXTS[:6]}


def test_what_sentences_mean_counts_where_all_vectors_are_known():
    vectors = np.eye(300, 4)
    first = labelled(np.zeros((6, 4))).fitted()
    assert unlabelled(vectors=vectors).self_trained(first, labelled(np.zeros((6, 4)))).meaning is not None
    assert unlabelled().self_trained(first, labelled(np.zeros((6, 4)))).meaning is None


def test_few_unlabelled_sentences_teach_nothing():
    first = labelled().fitted()
    assert unlabelled(FEWEST - 1).self_trained(first, labelled()) is first
    assert told(fit_self_trained(labelled(), unlabelled(FEWEST - 1))) == told(first)


def test_its_probabilities_are_calibrated_by_article():
    articles = np.array([0, 1, 2, 0, 1, 2])
    platt = fit_self_trained(labelled(), unlabelled(), articles).platt
    assert platt is not None and fit_self_trained(labelled(), unlabelled()).platt is None
    high, low = platt.probability([5.0, -5.0])
    assert high > 0.5 > low


@pytest.mark.parametrize("by_article", [True, False])
def test_the_estimator_learns_from_sentences_that_nobody_judged(by_article):
    sentences, labels = [*KEY, *OTHER, *TEXTS], [1] * 3 + [0] * 3 + [-1] * len(TEXTS)
    if by_article:
        given = [[KEY[n], OTHER[n]] for n in range(3)] + [TEXTS], [[1, 0]] * 3 + [[-1] * len(TEXTS)]
    else:
        given = sentences, labels
    found, bare = KeySentenceRanker().fit(*given), KeySentenceRanker().fit(sentences[:6], labels[:6])
    hammock, ward = found.decision_function(UNSEEN) - bare.decision_function(UNSEEN)
    assert hammock > ward + 0.3
    assert (found.ranker_.platt is not None) == by_article
