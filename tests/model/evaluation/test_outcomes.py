"""Outcomes, places and cut-offs against numbers computed by hand."""

import pytest

from model.evaluation.outcomes import (
    MEASURES,
    PredictionOutcome,
    by_place,
    confidence,
    outcomes,
    top_r,
)

# By score the positions read 1, 0, 2, 3, 4: R = 2, position 1 is found, position 0 is not key, position 4 is missed.
LABELS, SCORES = [0, 1, 0, 0, 1], [0.8, 0.9, 0.7, 0.6, 0.5]


def test_the_predictions_are_the_r_best_with_ties_in_reading_order():
    assert top_r(LABELS, SCORES).tolist() == [1, 0]
    assert top_r([0, 1], [0.5, 0.5]).tolist() == [0]
    assert top_r([0, 0], [0.5, 0.4]).tolist() == []
    tied = [0.5, 1.0] * 20
    assert top_r([0, 1, 1, 1] * 10, tied).tolist() == [*range(1, 40, 2), *range(0, 20, 2)]
    assert [entry[:2] for entry in outcomes([1, 0] * 20, tied, {})][20:] == [(n, 21 + n // 2) for n in range(0, 40, 2)]


def test_every_prediction_and_every_missed_key_sentence_has_an_outcome():
    assert outcomes(LABELS, SCORES, {}) == [
        (1, 1, PredictionOutcome.TRUE),
        (0, 2, PredictionOutcome.NOT_AUDITED),
        (4, 5, PredictionOutcome.MISSED),
    ]


@pytest.mark.parametrize(
    ("word", "outcome"),
    [
        ("correct", PredictionOutcome.CORRECT),
        ("inconclusive", PredictionOutcome.INCONCLUSIVE),
        ("wrong", PredictionOutcome.WRONG),
    ],
)
def test_the_audit_names_the_outcome_of_wrong_predictions_alone(word, outcome):
    found = outcomes(LABELS, SCORES, {0: word, 1: "wrong", 2: "wrong"})
    assert [entry[2] for entry in found] == [PredictionOutcome.TRUE, outcome, PredictionOutcome.MISSED]


def test_an_unknown_audit_verdict_is_named():
    with pytest.raises(ValueError, match=r"\['maybe'\] are none of correct, inconclusive, wrong"):
        outcomes(LABELS, SCORES, {0: "maybe"})


def test_places_count_sentences_key_predictions_and_the_true_ones():
    found = by_place(["here", "there", "nowhere"], [0, 0, 1, 1, 1], LABELS, [1, 1, 0, 0, 0])
    assert found == [
        {"name": "here", "sentences": 2, "key": 1, "predicted": 2, "true": 1},
        {"name": "there", "sentences": 3, "key": 1, "predicted": 0, "true": 0},
        {"name": "nowhere", "sentences": 0, "key": 0, "predicted": 0, "true": 0},
    ]


@pytest.mark.parametrize("name", MEASURES)
def test_every_measure_of_a_report_ranks_a_better_order_higher(name):
    good, bad = (MEASURES[name]([0] * 11 + [1], scores) for scores in (range(12), range(12, 0, -1)))
    assert good is not None and bad is not None and good > bad


def test_confidence_is_the_spread_of_the_cosines_of_each_outcome_also_of_one_that_no_sentence_has():
    found = confidence([("wrong", 0.25), ("true", 0.5), ("wrong", 0.75)], ("true", "missed", "wrong"))
    assert list(found) == ["true", "missed", "wrong"]
    assert found["true"] == {"n": 1, "mean": 0.5, "sd": None}
    assert found["missed"] == {"n": 0, "mean": None, "sd": None}
    assert found["wrong"] == {"n": 2, "mean": 0.5, "sd": pytest.approx(0.125**0.5)}
    with pytest.raises(KeyError):
        confidence([("unheard of", 0.5)], ("true",))
