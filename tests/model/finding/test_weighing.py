"""The weights of scores: what is learnt from judged questions."""

import numpy as np
import pytest

from model.finding.fusion import fit_weights, standardised


def test_scores_are_standardised_within_the_candidates() -> None:
    found = standardised(np.array([[1.0, 5.0], [3.0, 5.0]]))
    assert found.tolist() == [[-1.0, 0.0], [1.0, 0.0]]


def test_a_score_that_tells_gets_the_weight_and_one_by_lot_gets_little() -> None:
    rng = np.random.default_rng(0)
    questions = []
    for _ in range(20):
        grades = (rng.random(30) < 0.2).astype(float)
        grades[0] = 1.0
        scores = np.stack([grades + rng.normal(0, 0.3, 30), rng.normal(0, 1, 30)], axis=1)
        questions.append((standardised(scores), grades))
    telling, by_lot = fit_weights(questions)
    assert telling > 1.0 and abs(by_lot) < 0.2


def test_two_candidates_give_the_weight_that_was_computed_by_hand() -> None:
    # loss(w) = log(1 + e^(-2w)) + .01 w^2 is least where 2 / (1 + e^(2w)) = .02 w
    (weight,) = fit_weights([(np.array([[1.0], [-1.0]]), np.array([1.0, 0.0]))])
    assert 2 / (1 + np.exp(2 * weight)) == pytest.approx(0.02 * weight, abs=1e-4)


def test_without_any_relevant_candidate_nothing_is_learnt() -> None:
    with pytest.raises(ValueError, match="no question has a relevant document"):
        fit_weights([(np.ones((2, 1)), np.zeros(2))])
