"""Evaluation: means over questions, what each stage adds, runs written and read again."""

import pytest

from annotate.finding.judged.evaluate_search import NothingJudged, evaluate, in_library, measure, score_run, with_facets
from annotate.finding.library import MemoryLibrary
from annotate.finding.question import Facet, Question
from tests.annotate.finding.test_find import DOCUMENTS, ToyEncoder

QUESTIONS = {"1": Question("TP53"), "2": Question("dental"), "3": Question("nobody judged this")}
JUDGED = {"1": {"a": 2, "b": 1}, "2": {"c": 1}, "9": {"a": 1}}


@pytest.fixture
def library():
    return MemoryLibrary(DOCUMENTS, ToyEncoder())


def test_means_are_over_the_questions_with_judgements(library):
    result, whole = evaluate(library, QUESTIONS, JUDGED)
    assert (result["n"], result["questions_without_judgements"], result["relevant"]) == (2, 1, 3)
    assert result["ndcg_at_10"] == pytest.approx(1)
    assert whole.questions == ("1", "2")
    assert 0 < result["seconds_median"] <= result["seconds_worst"]


def test_the_table_tells_what_each_stage_adds(library):
    rows = evaluate(library, QUESTIONS, JUDGED)[0]["table"]
    assert [row["stages"] for row in rows] == [
        ["vectors"],
        ["words"],
        ["words", "vectors"],
        ["words", "vectors", "alike"],
        ["words", "vectors", "alike", "near"],
        ["words", "vectors", "alike", "near", "titles"],
    ]
    assert rows[1]["ndcg_at_10"] < rows[2]["ndcg_at_10"]
    assert [("p" in row) for row in rows] == [False, False, True, True, True, True]
    assert rows[3]["p"] == 1


def test_a_question_that_finds_nothing_counts_nothing(library):
    found = measure(library, QUESTIONS, JUDGED, ["words"])
    assert found.values["ndcg_at_10"][1] == 0 and found.scores["2"] == {}


def test_one_facet_can_be_asked_alone():
    questions = {"1": Question("free", {"gene": (Facet("TP53"),), "cell": (Facet("HeLa"),)}), "2": Question("only")}
    assert {number: each.asked for number, each in with_facets(questions, ["gene"]).items()} == {"1": "TP53"}
    assert with_facets(questions, ["text"])["1"].asked == "free"
    with pytest.raises(ValueError, match="no question has colour; there are text, cell, gene"):
        with_facets(questions, ["colour"])


def test_nothing_in_common_is_told(library):
    with pytest.raises(NothingJudged, match="none of the 1 questions"):
        evaluate(library, QUESTIONS, {"x": {"a": 1}})
    with pytest.raises(NothingJudged):
        score_run({"1": {"a": 1.0}}, {"x": {"a": 1}})


def test_a_run_is_measured_over_all_questions_with_judgements():
    assert score_run({"1": {"a": 2.0, "b": 1.0}}, JUDGED)["recall_at_100"] == pytest.approx(1 / 3)


def test_how_many_judged_documents_are_here_is_told():
    assert in_library(DOCUMENTS, {"1": {"a": 0, "z": 1}}) == {"judged_documents": 2, "judged_documents_here": 1}
