"""Measures of searches: by hand, and those of ir-measures on random runs and on judgements of TREC-PM."""

import math

import numpy as np
import pytest

from annotate.finding.judged.judged_files import read_judgements
from model.evaluation.retrieval_scores import (
    MEASURES,
    in_order,
    measured,
    permutation_p,
    screened,
)
from tests.support.paths import ROOT

TREC = ROOT.parent / "shared" / "data" / "trec_pm" / "qrels-abstracts-2019.tsv.gz"
OURS_BY_THEIRS = {
    "nDCG@10": "ndcg_at_10",
    "P@10": "precision_at_10",
    "Rprec": "r_precision",
    "R@100": "recall_at_100",
    "AP": "average_precision",
}
GRADES = {"a": 2, "b": 0, "c": 1, "d": 3}


def test_each_measure_by_hand():
    best = 3 + 2 / math.log2(3) + 1 / 2
    assert measured(["b", "a", "x", "d"], GRADES) == {
        "ndcg_at_10": pytest.approx((2 / math.log2(3) + 3 / math.log2(5)) / best),
        "precision_at_10": 0.2,
        "r_precision": pytest.approx(1 / 3),
        "recall_at_100": pytest.approx(2 / 3),
        "average_precision": pytest.approx((1 / 2 + 2 / 4) / 3),
    }
    assert measured(["d", "a", "c"], GRADES)["ndcg_at_10"] == pytest.approx(1)


def test_nothing_relevant_and_nothing_found_count_nothing():
    assert set(measured(["a"], {"a": 0}).values()) == {0}
    assert set(measured([], GRADES).values()) == {0}


def test_a_negative_grade_is_not_relevant():
    assert measured(["a", "b"], {"a": -1, "b": 1}) == measured(["x", "b"], {"b": 1})


def test_of_equal_scores_the_last_in_the_alphabet_comes_first():
    assert in_order({"a": 1.0, "c": 1.0, "b": 2.0}) == ["b", "c", "a"]


def test_the_same_systems_do_not_differ_and_clear_differences_are_seen():
    assert permutation_p([0.1, 0.5], [0.1, 0.5]) == 1
    assert permutation_p([1.0] * 6, [0.0] * 6) == pytest.approx(2 / 2**6)
    assert permutation_p([0.0] * 6, [1.0] * 6) == pytest.approx(2 / 2**6)
    with pytest.raises(ValueError, match="2 values after and 1 before"):
        permutation_p([1.0, 2.0], [1.0])


def test_work_saved_by_hand():
    assert screened([True, False, True] + [False] * 7) == {
        "wss_at_95": pytest.approx(1 - 3 / 10 - 0.05),
        "recall_at_10_percent": 0.5,
        "recall_at_20_percent": 0.5,
        "recall_at_50_percent": 1,
        "loss": 1 / (2 * 8),  # of 16 places by which the two could come later, one was lost
        "atd": 2,  # the places 1 and 3
        "ndcg": pytest.approx((1 + 1 / np.log2(4)) / (1 + 1 / np.log2(3))),
    }
    assert screened([False] * 4)["wss_at_95"] is None


def theirs(run, grades):
    """By question and our name of the measure."""
    ir_measures = pytest.importorskip("ir_measures")
    measures = [ir_measures.parse_measure(name) for name in OURS_BY_THEIRS]
    found = ir_measures.iter_calc(measures, grades, run)
    return {(each.query_id, OURS_BY_THEIRS[str(each.measure)]): each.value for each in found}


def same(run, grades):
    expected = theirs(run, grades)
    ours = {
        (number, name): value
        for number in grades
        for name, value in measured(in_order(run.get(number, {})), grades[number]).items()
    }
    assert expected.keys() == ours.keys()
    assert [ours[key] for key in expected] == pytest.approx(list(expected.values()), abs=1e-9)


@pytest.mark.parametrize("seed", range(5))
def test_as_ir_measures_has_them_on_random_runs_with_ties(seed):
    generator = np.random.default_rng(seed)
    keys = [f"d{number}" for number in range(150)]
    grades = {f"q{n}": {key: int(generator.integers(0, 4)) for key in generator.choice(keys, 40)} for n in range(6)}
    run = {
        number: {str(key): float(generator.integers(0, 12)) for key in generator.choice(keys, 120)} for number in grades
    }
    del run["q5"]
    same(run, grades)


@pytest.mark.skipif(not TREC.exists(), reason="the judgements of TREC-PM are not at hand")
def test_as_ir_measures_has_them_on_the_judgements_of_trec_pm():
    grades = read_judgements(TREC)
    generator = np.random.default_rng(0)
    run = {
        number: {
            key: round(float(generator.normal() + grade), 1) for key, grade in own.items() if generator.random() < 0.7
        }
        for number, own in grades.items()
    }
    same(run, grades)


def test_every_measure_has_a_name_in_commands():
    assert set(OURS_BY_THEIRS.values()) == set(MEASURES)
