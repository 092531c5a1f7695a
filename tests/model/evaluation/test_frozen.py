"""Classifiers on frozen features: nothing is chosen on what is tested, units stay whole, views are mixed."""

import numpy as np
import pytest
from scipy.sparse import csr_matrix

from model.evaluation.frozen import (
    ON_VECTORS,
    Classifier,
    Labels,
    learn,
    learn_in_folds,
    log_count_ratios,
    pair_features,
)

GENERATOR = np.random.default_rng(0)
CLASSES = np.arange(90) % 3
ROWS = np.eye(3, dtype=int)[CLASSES]
VECTORS = np.eye(3)[CLASSES] + GENERATOR.normal(scale=0.3, size=(90, 3))
UNITS = np.array([f"a{number // 3}" for number in range(90)])
SEEN, TESTED = np.arange(60), np.arange(60, 90)


def accuracy(truth, guess):
    return float((truth == guess).all(axis=1).mean())


def test_pairs_become_four_blocks():
    found = pair_features(np.array([[1.0, 2.0]]), np.array([[3.0, 1.0]]))
    assert found.tolist() == [[1, 2, 3, 1, 2, 1, 3, 2]]


@pytest.mark.parametrize("kind", ON_VECTORS)
def test_what_can_be_learnt_is_learnt_and_the_choice_is_told(kind):
    labels = Labels(ROWS, UNITS)
    found = learn({kind: VECTORS[SEEN]}, labels.of(SEEN), {kind: VECTORS[TESTED]}, accuracy)
    assert accuracy(ROWS[TESTED], found.predictions) > 0.8
    assert found.predictions.sum(axis=1).tolist() == [1] * 30
    assert 0 < found.chosen[str(kind)]["inner_score"] <= 1


def test_words_and_vectors_are_mixed_in_the_share_that_scores_best():
    words = csr_matrix(np.eye(3)[CLASSES])
    noise = GENERATOR.normal(size=(90, 3))
    one = {Classifier.LOGISTIC: noise[SEEN], Classifier.WORDS: words[SEEN]}
    other = {Classifier.LOGISTIC: noise[TESTED], Classifier.WORDS: words[TESTED]}
    found = learn(one, Labels(ROWS, UNITS).of(SEEN), other, accuracy)
    assert accuracy(ROWS[TESTED], found.predictions) == 1
    assert found.chosen["shares"] == {"logistic": 0.2, "words": 0.8}  # the first of equals


def test_cues_are_mixed_with_words_and_with_both():
    sorted_out = np.column_stack([CLASSES, GENERATOR.normal(size=90)])
    views = {
        Classifier.LOGISTIC: GENERATOR.normal(size=(90, 3)),
        Classifier.WORDS: csr_matrix(GENERATOR.integers(0, 2, size=(90, 4)).astype(float)),
        Classifier.CUES: np.repeat(sorted_out, 4, axis=1),
    }
    many = np.tile(np.arange(90), 6)  # trees ask for many items
    labels = Labels(ROWS[many], np.array([f"{unit}-{n // 90}" for n, unit in enumerate(UNITS[many])]))
    for kinds in (list(views), list(views)[1:]):
        chosen = {kind: views[kind][many] for kind in kinds}
        found = learn(chosen, labels, {kind: views[kind] for kind in kinds}, accuracy)
        assert accuracy(ROWS, found.predictions) > 0.95
        shares = found.chosen["shares"]
        assert set(shares) == set(map(str, kinds)) and sum(shares.values()) == pytest.approx(1)


def test_of_several_classes_each_is_decided_alone():
    several = np.column_stack([CLASSES > 0, CLASSES > 1, np.zeros(90)]).astype(int)
    labels = Labels(several, UNITS, several=True)
    kind = Classifier.LOGISTIC
    found = learn({kind: VECTORS[SEEN]}, labels.of(SEEN), {kind: VECTORS[TESTED]}, accuracy)
    assert accuracy(several[TESTED], found.predictions) > 0.7
    assert found.predictions[:, 2].sum() == 0  # a class that nothing has is never named


def test_each_fold_is_predicted_by_what_never_saw_its_units():
    seen = []

    def views(train, test):
        seen.append((set(UNITS[train]), set(UNITS[test])))
        return {Classifier.LOGISTIC: VECTORS[train]}, {Classifier.LOGISTIC: VECTORS[test]}

    found = learn_in_folds(views, Labels(ROWS, UNITS), accuracy)
    assert len(seen) == len(found.chosen["folds"]) == 10
    assert all(not one & other for one, other in seen)
    assert set.union(*(other for _, other in seen)) == set(UNITS)
    assert accuracy(ROWS, found.predictions) > 0.8


def test_too_few_units_are_refused_by_number():
    with pytest.raises(ValueError, match="2 articles or items to learn from; 3 folds need"):
        learn({Classifier.LOGISTIC: VECTORS[:6]}, Labels(ROWS[:6], UNITS[:6]), {Classifier.LOGISTIC: VECTORS}, accuracy)


def test_log_count_ratios_by_hand():
    rows = csr_matrix(np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]]))
    # Counts and one: 3 and 1 of 4 in positive rows, 1 and 2 of 3 in the others.
    expected = np.log([(3 / 4) / (1 / 3), (1 / 4) / (2 / 3)])
    assert log_count_ratios(rows, np.array([True, True, False])) == pytest.approx(expected)
