"""The practice round: what a newcomer says is no verdict, is never lost, and is compared with what is known."""

import pytest

from annotate.active_learning.queue import hand_out
from annotate.gold.label_sets import labels_now
from annotate.gold.practice import (
    Answers,
    PracticeRound,
    answers,
    candidates,
    feedback,
    finish,
    is_newcomer,
    left_of,
    practice_view,
    record,
    round_now,
    score,
    scores,
)
from annotate.project.home import read
from annotate.project.stored_settings import change_settings
from annotate.review.article_view import reading_view
from annotate.review.assignments import standing_of, why_empty
from annotate.review.queue_settings import QueueSettings
from tests.support.making import comment, judge, query, reading, store_proposed, verdict

pytestmark = pytest.mark.usefixtures("labelled")


@pytest.fixture
def labelled(home) -> None:
    """Two of three articles are a round; of the first all three sentences are known, the second of them as key."""
    store_proposed(3)
    judge("Gina", 1, verdict(1), verdict(0, "reject"), comment(1, "names gene and cells"), reading())
    judge("Gina", 2, verdict(0))
    change_settings("Cora", PracticeRound(article_ids=[1, 2]))


def given(name: str) -> dict[int, Answers]:
    with read() as session:
        return dict(answers(session).get(name, {}))


def test_what_is_said_in_the_round_is_no_verdict_and_teaches_nothing():
    before = query("SELECT count(*) FROM verdict")
    with read() as session:
        known = labels_now(session).sha256
    said = [verdict(1), verdict(0, "reject"), comment(0, "hm"), reading()]
    stored, refused = record("Nora", 1, said)
    assert (len(stored), refused) == (4, [])
    assert query("SELECT count(*) FROM verdict") == before
    with read() as session:
        assert labels_now(session).sha256 == known
    mine = given("Nora")[1]
    assert (mine.values, mine.comments, mine.read, mine.finished) == (
        {1: "accept", 0: "reject"},
        {"0": "hm"},
        True,
        False,
    )
    named = verdict(1, {"genes": "TP53", "cells": "", "edit": ""}, kind="labels")
    assert record("Nora", 1, [named]) == ([named["id"]], [])
    state = practice_view(1, "Nora")["state"]
    assert state["labels"] == {"1": {"gene": "TP53", "cell": "", "edit": ""}}
    assert (state["verdicts"], state["read_in_full"]) == ({"1": "accept", "0": "reject"}, True)


def test_the_first_verdict_of_the_round_ends_the_tour_in_all_browsers():
    record("Nora", 1, [comment(0, "hm")])
    assert practice_view(1, "Nora")["first_visit"]
    record("Nora", 1, [verdict(0), verdict(1)])
    assert not practice_view(1, "Nora")["first_visit"] and not reading_view(3, "Nora")["first_visit"]
    assert query("SELECT changed_by FROM setting WHERE name = 'tour'") == [("Nora",)]


def test_an_answer_sent_twice_is_stored_once_and_none_is_taken_after_the_end():
    said = verdict(1)
    record("Nora", 1, [said])
    assert record("Nora", 1, [said]) == ([said["id"]], [])
    assert len(given("Nora")[1].events) == 1
    finish("Nora", 1)
    finish("Nora", 1)
    assert record("Nora", 1, [said]) == ([said["id"]], [])  # a late repetition is no news
    (refusal,) = record("Nora", 1, [verdict(0)])[1]
    assert refusal["reason"] == "this article of the practice round is finished"
    (other,) = record("Nora", 3, [verdict(0)])[1]
    assert other["reason"] == "article 3 is not of the practice round"
    assert query("SELECT count(*) FROM history WHERE kind = 'practice'") == [(2,)]


def test_the_score_is_precision_recall_and_kappa_over_the_sentences_that_are_known():
    record("Nora", 1, [verdict(1), verdict(2)])
    finish("Nora", 1)
    with read() as session:
        found = score(session, "Nora", given("Nora"))
    assert found is not None
    # Known: 0, 1, 0. Said: 0, 1, 1. Alike in 2 of 3; by chance 1/3 * 2/3 + 2/3 * 1/3 = 4/9.
    assert (found.n, found.articles, found.precision, found.recall) == (3, 1, 0.5, 1.0)
    assert found.kappa.value == pytest.approx((2 / 3 - 4 / 9) / (1 - 4 / 9))


def test_the_feedback_shows_what_differs_with_the_reason_that_was_noted():
    record("Nora", 1, [verdict(2)])
    with read() as session:
        rows = feedback(session, 1, given("Nora")[1])
    assert [(row.position, row.called_key, row.is_key, row.about) for row in rows] == [
        (1, False, True, "names gene and cells"),
        (2, True, False, ""),
    ]


def test_the_round_comes_first_for_whoever_has_given_no_verdict_until_it_is_done():
    with read() as session:
        assert is_newcomer(session, "Nora") and not is_newcomer(session, "Gina") and not is_newcomer(session, None)
    finish("Nora", 1)
    with read() as session:
        assert left_of(session, "Nora") == [2] and is_newcomer(session, "Nora")
    finish("Nora", 2)
    with read() as session:
        assert not left_of(session, "Nora") and not is_newcomer(session, "Nora")


def test_what_somebody_is_still_to_judge_blind_is_of_no_round():
    with read() as session:
        assert round_now(session) == [1, 2] and set(candidates(session)) == {1, 2}
    change_settings("Cora", QueueSettings(double_share=1.0))
    with read() as session:
        assert not round_now(session) and not candidates(session) and not is_newcomer(session, "Nora")
    judge("Ben", 1, reading())
    with read() as session:
        assert round_now(session) == [1] and set(candidates(session)) == {1}


def test_nothing_that_is_sent_hinders_the_next_one_or_the_queue():
    """PostgreSQL reads no entry of the history any more by which it was told NUL."""
    no_kind, named, other = verdict(0, kind=["verdict"]), verdict(1, {"gene": "TP\x0053"}, kind="labels"), verdict(1)
    stored, (refused,) = record("Nora", 2, [no_kind, named, other])
    assert stored == [named["id"], other["id"]] and refused["id"] == no_kind["id"]
    finish("Nora", 2)
    with read() as session:
        assert standing_of(session, "Nora").practised == [2]
    assert practice_view(2, "Nora")["state"]["labels"] == {"1": {"gene": "TP53"}}


def test_everybody_who_finished_an_article_has_a_score():
    record("Nora", 1, [verdict(1)])
    finish("Nora", 1)
    record("Otto", 1, [verdict(1)])
    with read() as session:
        said = answers(session)
        assert scores(session, said) == {"Nora": score(session, "Nora", said["Nora"])}


def test_an_article_that_was_ended_in_the_round_is_not_handed_out_as_work_where_it_is_labelled_in_part():
    with read() as session:
        assert 2 in standing_of(session, "Nora").waiting
    record("Nora", 2, [verdict(0)])
    finish("Nora", 2)
    with read() as session:
        found, others = standing_of(session, "Nora"), standing_of(session, "Otto")
    assert (found.waiting, found.practised, found.total) == ([3], [2], 3)
    assert (others.waiting, others.practised) == ([2, 3], [])
    change_settings("Cora", PracticeRound(article_ids=[1]))
    judge("Nora", 3, verdict(0), verdict(1), reading())
    assert why_empty("Nora") == (
        "You have reviewed 1 of 3 articles. Others have reviewed 1 article. You know 1 article from the practice round."
    )
    assert hand_out("Nora") is None
