"""The ranking by examples as an estimator of scikit-learn: what its conventions ask for, and what it says of itself."""

import pickle
from itertools import chain

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, GroupKFold, cross_val_score
from sklearn.utils import estimator_checks

from model.active_learning.key_sentence_ranker import KeySentenceRanker, Ranked
from model.files import embedded_encoder
from tests.model.active_learning.test_wording import GENES, KEY, OTHER

ARTICLES = [[OTHER[n], KEY[n], f"The {GENES[n]} gene was cloned before"] for n in range(10)]
LABELS = [[0, 1, 0]] * 10


@pytest.fixture(scope="module")
def ranker() -> KeySentenceRanker:
    return KeySentenceRanker().fit(ARTICLES[:7], LABELS[:7])


@pytest.mark.parametrize(
    "check",
    [
        "check_do_not_raise_errors_in_init_or_set_params",
        "check_estimator_cloneable",
        "check_estimator_repr",
        "check_get_params_invariance",
        "check_no_attributes_set_in_init",
        "check_parameters_default_constructible",
        "check_set_params",
    ],
)
def test_it_passes_the_checks_of_scikit_learn_that_give_it_no_numbers_to_read(check):
    getattr(estimator_checks, check)("KeySentenceRanker", KeySentenceRanker())


def test_the_likeliest_sentences_of_an_article_come_first(ranker):
    first, *others = ranker.rank(ARTICLES[8])
    assert first == Ranked(1, KEY[8], first.log_odds) and first.log_odds > 0 > max(one.log_odds for one in others)
    assert ranker.rank(ARTICLES[8], k=1) == [first] and ranker.rank([]) == []
    assert ranker.score(ARTICLES[7:], LABELS[7:]) == 1.0
    assert ranker.score(ARTICLES[8], LABELS[8]) == 1.0 and np.isnan(ranker.score(ARTICLES[8], [0, 0, 0]))


def test_what_it_says_of_a_sentence_agrees_with_itself(ranker):
    probabilities = ranker.predict_proba(ARTICLES[8])
    assert probabilities.shape == (3, 2) and np.allclose(probabilities.sum(axis=1), 1)
    assert ranker.predict(ARTICLES[8]).tolist() == [0, 1, 0]
    assert np.argmax(probabilities[:, 1]) == np.argmax(ranker.decision_function(ARTICLES[8])) == 1


def test_articles_calibrate_it_and_sentences_that_nobody_judged_teach_nothing(ranker):
    judged = KeySentenceRanker().fit([*ARTICLES[:7], ARTICLES[7]], [*LABELS[:7], [-1, -1, -1]])
    assert np.array_equal(judged.decision_function(ARTICLES[8]), ranker.decision_function(ARTICLES[8]))
    flat = KeySentenceRanker().fit(list(chain(*ARTICLES[:7])), np.array(LABELS[:7]).ravel())
    assert np.array_equal(flat.decision_function(ARTICLES[8]), ranker.decision_function(ARTICLES[8]))
    assert not np.allclose(flat.predict_proba(ARTICLES[8]), ranker.predict_proba(ARTICLES[8]))


def test_a_fine_tuned_encoder_has_half_a_say(ranker, tiny_encoder):
    plain = KeySentenceRanker(tiny_encoder).fit(ARTICLES, LABELS)
    tuned = KeySentenceRanker(tiny_encoder, fine_tune=True).fit([*ARTICLES, ["Who knows?"]], [*LABELS, [-1]])
    both = plain.decision_function(KEY) + tuned.classifier_.log_odds(KEY)
    assert tuned.decision_function(KEY) == pytest.approx(both / 2, rel=1e-4)
    assert tuned.predict_proba(KEY)[:, 1] == pytest.approx(1 / (1 + np.exp(-both / 2)), rel=1e-4)
    kept = pickle.loads(pickle.dumps(tuned))
    assert kept.decision_function(KEY) == pytest.approx(tuned.decision_function(KEY), rel=1e-4)


def test_it_is_copied_kept_validated_and_tuned_as_other_estimators_are(ranker):
    with pytest.raises(NotFittedError):
        clone(ranker).predict(ARTICLES[8])
    kept = pickle.loads(pickle.dumps(ranker))
    assert kept.rank(ARTICLES[8]) == ranker.rank(ARTICLES[8])
    assert cross_val_score(KeySentenceRanker(), ARTICLES, LABELS, cv=2).tolist() == [1.0, 1.0]
    sentences, labels = [*KEY, *OTHER], [1] * 10 + [0] * 10
    by_article = {"cv": GroupKFold(2), "groups": [*range(10)] * 2}
    found = cross_val_score(KeySentenceRanker(), sentences, labels, scoring="average_precision", **by_article)
    assert found.min() > 0.9
    searched = GridSearchCV(KeySentenceRanker(), {"encoder": [str(embedded_encoder())]}, cv=2).fit(ARTICLES, LABELS)
    assert searched.best_score_ == 1.0


@pytest.mark.parametrize(
    ("articles", "labels", "said"),
    [
        (ARTICLES, LABELS[:3], "3 labels for 10 articles"),
        ([["One.", "Two."]], [[1]], "article 0: 1 labels for 2 sentences"),
        ([["One."], "Two."], [[1], [0]], "article 1: "),
        (["One.", "Two."], [1, 2], r"labels \[2\] are none of 1, 0 and -1"),
        (["One.", "Two."], [1, -1], "sentences that count and sentences that do not"),
        ([], [], "sentences that count and sentences that do not"),
    ],
)
def test_what_it_cannot_learn_from_is_said(articles, labels, said):
    with pytest.raises(ValueError, match=said):
        KeySentenceRanker().fit(articles, labels)


def test_a_text_is_no_article(ranker):
    with pytest.raises(ValueError, match="list of sentences"):
        ranker.rank(" ".join(ARTICLES[8]))
