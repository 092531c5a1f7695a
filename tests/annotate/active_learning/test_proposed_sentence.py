"""A sentence that somebody proposed stands among the first proposals of its article until an expert judges it."""

import pickle

import pytest

import db.team.history
from annotate.active_learning.live_ranking import propose_anew, propose_sentence, rank_now
from annotate.active_learning.live_state import forget
from annotate.project.home import read
from annotate.proposing.propose import propose
from annotate.proposing.wanted import raised, wanted_of
from annotate.review.article_view import NoSuchArticle, reading_view
from tests.support.live_world import TEXT, held_by_anna, live_world
from tests.support.making import judge, paper, query, store, verdict

LAST = len(TEXT) - 1  # which no ranking proposes


@pytest.fixture
def article_id(home):
    """The article in Anna's hands, of which the last sentence is no proposal."""
    live_world()
    found = held_by_anna()
    propose_anew(found)
    yield found
    forget()


def shown_first(article_id: int) -> list[int]:
    view = reading_view(article_id, "Anna")
    return [one["sentence"] for one in view["proposals"]][: view["shown"]]


def noted() -> list[tuple]:
    return query("SELECT done_by, article_id, summary FROM history WHERE kind = 'proposed' ORDER BY id")


def test_it_is_shown_behind_the_first_ones_and_the_history_tells_who_and_why(article_id):
    before = shown_first(article_id)
    assert LAST not in before
    for _ in range(2):
        assert propose_sentence(article_id, LAST, "found by a program") is True
    assert shown_first(article_id) == [*before, LAST]
    ((who, number, summary),) = noted()
    assert who and (number, summary) == (article_id, f"proposed sentence {LAST} as key: found by a program")


@pytest.mark.postgresql
def test_its_reason_is_cleaned_as_a_comment_is(article_id):
    propose_sentence(article_id, LAST, " be\0cause\ud83d\u202e\n")
    assert noted()[-1][2].endswith(": because")


def test_it_stays_when_a_verdict_or_the_propose_job_ranks_the_others_again(article_id):
    propose_sentence(article_id, LAST, "")
    judge("Anna", article_id, verdict(7, "accept"), verdict(6, "reject"))
    assert rank_now("Anna", article_id)["changed"] and LAST in shown_first(article_id)
    propose(k=3)
    assert LAST in shown_first(article_id)
    assert propose(k=3) == 0  # equal sets are not stored again


def test_a_pass_of_proposing_asks_the_history_once_for_what_is_wanted(article_id, monkeypatch):
    propose_sentence(article_id, LAST, "")
    asked, own = [], db.team.history.entries_of
    monkeypatch.setattr(
        db.team.history, "entries_of", lambda session, kind, ids: asked.append(kind) or own(session, kind, ids)
    )
    propose(k=3)
    assert asked == ["proposed"] and LAST in shown_first(article_id)


def test_who_wants_what_is_sent_to_another_process_with_the_articles(article_id):
    propose_sentence(article_id, LAST, "because")
    with read() as session:
        wanted = wanted_of(session, [article_id, 99])
    (by_person,) = (told[LAST] for told in pickle.loads(pickle.dumps(wanted)).values())
    assert list(by_person.values()) == ["because"]


def test_one_that_is_among_the_first_stays_in_its_place(article_id):
    propose(k=5)
    before = shown_first(article_id)
    propose_sentence(article_id, before[0], "")
    assert shown_first(article_id)[0] == before[0]


def test_rows_that_somebody_wants_come_behind_the_first_and_each_has_its_rank():
    rows = [{"rank": rank, "sentence_id": rank} for rank in range(1, 6)]
    found, k = raised(rows, [True, False, False, True, False], 2)
    assert ([row["sentence_id"] for row in found], k) == ([1, 2, 4, 3, 5], 3)
    assert [row["rank"] for row in found] == [1, 2, 3, 4, 5]


def test_an_article_without_proposals_has_it_among_them_after_the_next_propose_job(article_id):
    store(paper(TEXT, pmid="777777"))
    ((number,),) = query("SELECT id FROM article WHERE pmid = '777777'")
    assert propose_sentence(number, 0, "early") is False and noted()[-1][1] == number


def test_what_is_not_there_is_said(article_id):
    with pytest.raises(NoSuchArticle, match="no article 99"):
        propose_sentence(99, 0, "")
    with pytest.raises(ValueError, match=rf"article {article_id} has no sentence 9: it has 9, from 0"):
        propose_sentence(article_id, 9, "")
    assert noted() == []
