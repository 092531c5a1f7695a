"""Assigning articles: they come to that person next and to nobody else, and what cannot be is told."""

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest

from annotate.active_learning.queue import hand_out, whats_next
from annotate.curation import assigning
from annotate.curation.assigning import assign, unassign
from annotate.curation.tags import add_labels
from annotate.project.acting import Actor, acting
from annotate.project.home import read
from annotate.project.stored_settings import change_settings
from annotate.review.assignments import finish_or_leave, standing_of, take, why_empty
from annotate.review.queue_settings import QueueSettings
from tests.support.labels import gene_labels
from tests.support.making import judge, query, store_proposed, verdict

pytestmark = pytest.mark.usefixtures("home")


def done(person: str, article_id: int) -> None:
    judge(person, article_id, verdict(0), verdict(1))


def waiting(person: str) -> list[int]:
    with read() as session:
        return standing_of(session, person).waiting


@pytest.fixture
def people(home):
    """Six articles with proposals; Anna and Ben are known, each by one they are done with."""
    store_proposed(6)
    done("Anna", 1)
    done("Ben", 2)


def test_assigned_articles_come_first_in_the_order_given_and_to_nobody_else(people):
    with acting(Actor("Clara", operator=True)):
        assert assign([5, 4], "Ben").done == [5, 4]
    assert waiting("Anna") == [3, 6] and waiting("Ben") == [3, 4, 5, 6]
    assert [row["reason"] for row in whats_next("Ben", 2)] == ["Clara assigned it to you"] * 2
    first = hand_out("Ben")
    assert (first.article_id, first.strategy) == (5, "asked for")
    done("Ben", 5)
    finish_or_leave("Ben", 5)
    assert hand_out("Ben").article_id == 4


def test_what_cannot_be_assigned_is_told(people):
    take("Carl", 3)
    assign([4], "Ben")
    outcome = assign([1, 2, 3, 4, 5, 99], "Anna")
    assert outcome.done == [5]
    assert dict(outcome.left_out) == {
        "not stored": 1,
        "reviewed by Anna": 1,
        "reviewed by others": 1,
        "with others than Anna": 2,
    }
    with pytest.raises(ValueError, match="no person is called Zoe"):
        assign([6], "Zoe")


def test_an_assignment_is_taken_back_and_both_are_kept(people):
    assign([4, 5], "Ben")
    outcome = unassign([4, 6])
    assert (outcome.done, dict(outcome.left_out)) == ([4], {"not assigned": 1})
    assert waiting("Anna") == [3, 4, 6]
    assert query("SELECT article_id, wanted, assigned_by FROM queue_request ORDER BY id") == [
        (4, 1, "operator"),
        (5, 1, "operator"),
        (4, 0, "operator"),
    ]
    assert dict(assign([5], "Ben").left_out) == {"assigned to Ben already": 1}


def test_whoever_waits_for_what_is_assigned_to_others_is_told_so(people):
    assign([3, 4, 5, 6], "Ben")
    assert waiting("Anna") == []
    assert "Assigned to others: 4 articles." in why_empty("Anna")


def test_what_two_are_to_read_and_one_is_wanted_for_goes_to_whoever_of_them_comes_first(people):
    change_settings("Clara", QueueSettings(experts=2, double_share=1.0))
    assert (assign([3, 4], "Anna").done, assign([3, 4], "Ben").done) == ([3, 4], [3, 4])
    change_settings("Clara", QueueSettings(experts=2, double_share=0.0))
    assert waiting("Anna") == [3, 4, 5, 6] and waiting("Cleo") == [5, 6]
    assert hand_out("Ben").article_id == 3
    assert waiting("Anna") == [4, 5, 6]


def test_of_two_who_assign_at_once_one_is_told_that_others_have_the_articles(people, monkeypatch):
    met = Barrier(2)
    real = assigning.batches

    def once_both_have_begun(ids):
        met.wait(10)
        return real(ids)

    monkeypatch.setattr(assigning, "batches", once_both_have_begun)
    with ThreadPoolExecutor() as threads:
        outcomes = list(threads.map(lambda person: assign([3], person), ("Anna", "Ben")))
    assert sorted(len(outcome.done) for outcome in outcomes) == [0, 1]
    left_out = sum((outcome.left_out for outcome in outcomes), Counter())
    assert left_out in ({"with others than Anna": 1}, {"with others than Ben": 1})


def test_labels_of_many_are_added_to_what_each_bears(people):
    add_labels([1], gene_labels("TP53", "", ""))
    outcome = add_labels([1, 2, 77], gene_labels("TP53", "", ""))
    assert (outcome.done, dict(outcome.left_out)) == ([2], {"not stored": 1, "labelled so already": 1})
    assert add_labels([1], gene_labels("", "HeLa", "")).done == [1]
    assert query("SELECT kind, name FROM document_label WHERE article_id = 1 ORDER BY kind") == [
        ("cell", "HeLa"),
        ("gene", "TP53"),
    ]
    with pytest.raises(ValueError, match="at least one label"):
        add_labels([1], gene_labels("", "", ""))
