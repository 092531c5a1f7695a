"""Which articles wait for whom, which are done, and which two experts annotate."""

from typing import Any

import numpy as np
import pytest

from annotate.active_learning.queue import hand_out, whats_next
from annotate.curation.assigning import assign
from annotate.curation.tags import put_on, take_off
from annotate.project.home import read
from annotate.proposing.propose import propose
from annotate.review.assignments import finish_or_leave, standing_of, why_empty
from annotate.review.queue_settings import QueueSettings
from annotate.review.waiting import SHARED, _done, done_by, experts_wanted, is_done
from db.values import PICKED
from model.proposing.ranking import Ranking
from tests.support.making import judge, paper, reading, store, store_cosines, store_proposed, verdict
from tests.support.queueing import begin, choose_the_first, given, judge_all, set_queue
from tests.support.topics import BEST_GENERIC, GENERIC_QUERIES

pytestmark = pytest.mark.usefixtures("home", "asked")


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Any, ...]]:
    """What annotate.active_learning.live_ranking was asked; it chooses the first article that waits."""
    return choose_the_first(monkeypatch)


def test_where_two_annotate_they_do_so_at_once_and_see_the_same_and_nobody_sees_it_twice():
    begin(1, double_share=1, blind_share=1)
    assert hand_out("Anna").with_proposals is False
    set_queue(double_share=1, blind_share=0)
    handed = hand_out("Ben")
    assert (handed.article_id, handed.strategy, handed.with_proposals) == (1, SHARED, False)
    assert given("Cleo") is None
    judge("Anna", 1, reading())
    assert given("Anna") is None
    assert why_empty("Anna") == "You have reviewed all articles. 1 article of yours waits for another annotator."
    judge("Ben", 1, reading())
    assert [given("Ben"), given("Cleo")] == [None, None]


def test_as_many_annotate_an_article_as_the_settings_say_and_no_more():
    begin(1, double_share=1, experts=3, blind_share=0)
    assert [given(name) for name in ("Anna", "Ben", "Cleo", "Dora")] == [1, 1, 1, None]
    assert why_empty("Dora").startswith("Anna, Ben and Cleo are reviewing the other 1 article")
    judge("Anna", 1, reading())
    assert given("Dora") is None
    finish_or_leave("Ben", 1)  # left unfinished: it waits for whoever comes
    assert given("Dora") == 1
    judge("Cleo", 1, reading())
    judge("Dora", 1, reading())
    assert [given("Ben"), given("Eve")] == [None, None]


def test_what_another_has_begun_comes_before_what_nobody_has():
    begin(3, double_share=1, blind_share=0)
    assert given("Anna") == 1
    judge("Anna", 1, reading())
    assert given("Anna") == 2
    assert [row["article_id"] for row in whats_next("Ben", 3)] == [1, 2, 3]
    assert [row["reason"] for row in whats_next("Ben", 3)][:2] == ["another annotator is wanted for it"] * 2
    assert given("Ben") == 1


def test_a_greater_double_share_only_adds_articles():
    keys = [f"pmid:{number}" for number in range(2000)]
    third, half, none, all_ = (
        {key for key in keys if experts_wanted(key, QueueSettings(double_share=share, experts=3)) == 3}
        for share in (0.3, 0.5, 0.0, 1.0)
    )
    assert third < half and 500 < len(third) < 700 and 900 < len(half) < 1100
    assert not none and all_ == set(keys)


def test_what_is_remembered_of_the_articles_is_what_the_rows_say():
    begin(8)
    rng = np.random.default_rng(0)
    for step in range(40):
        who, article_id = f"Expert {rng.integers(3)}", int(rng.integers(1, 9))
        if step % 10 == 9:
            propose(article_ids=[article_id], k=int(rng.integers(1, 4)))
        else:
            values = ("accept", "reject", "withdrawn")
            events = (verdict(int(rng.integers(3)), values[rng.integers(3)]), reading(bool(rng.integers(2))))
            judge(who, article_id, *events[: 1 + rng.integers(2)])
        with read() as session:
            remembered = done_by(session)
            _done.forget()
            assert remembered == done_by(session)
    assert any(remembered.values()) and not all(remembered.values())


def test_articles_stand_in_the_order_of_their_ids_whenever_they_got_proposals():
    version = store_proposed(2)
    store(*(paper(pmid=str(number)) for number in (3, 4)))
    for number in (4, 3):
        store_cosines(version, number, GENERIC_QUERIES[BEST_GENERIC], [0.1, 0.2, 0.3])
        propose(article_ids=[number], ranking=Ranking.COSINE)
        with read() as session:
            assert list(done_by(session)) == ([1, 2, 4] if number == 4 else [1, 2, 3, 4])


def test_the_standing_of_a_reviewer_counts_every_article_once():
    begin(4)
    given("Ben")
    judge_all("Anna", 2)
    judge_all("Ben", 3)
    with read() as session:
        found = standing_of(session, "Anna")
        nobody = standing_of(session, "Nobody yet")
    assert (found.waiting, found.done, found.elsewhere, found.held, found.total) == ([4], [2], [3], [1], 4)
    assert (nobody.waiting, nobody.elsewhere, nobody.held) == ([4], [2, 3], [1])


def test_the_queue_takes_only_articles_with_the_tags_that_it_is_set_to():
    begin(4)
    put_on([1, 2], ["pilot"])
    put_on([2], ["off topic"])
    set_queue(with_tag=" pilot ", without_tag="off topic")
    with read() as session:
        found = standing_of(session, "Anna")
    assert (found.waiting, found.set_aside, found.total) == ([1], [2, 3, 4], 4)
    assert given("Anna") == 1
    judge_all("Anna", 1)
    assert given("Anna") is None
    assert "Set aside: 3 articles; the queue takes only articles tagged pilot and not tagged off topic." in why_empty(
        "Anna"
    )
    take_off([2], ["off topic"])
    assert given("Anna") == 2


def test_what_is_in_hand_or_asked_for_comes_whatever_its_tags():
    begin(3)
    assert given("Anna") == 1
    judge("Ben", 3, verdict(0))
    assign([3], "Ben")
    set_queue(without_tag="pilot")
    put_on([1, 2, 3], ["pilot"])
    assert [given("Anna"), given("Ben"), given("Cleo")] == [1, 3, None]
    assert [row["article_id"] for row in whats_next("Anna", 5)] == [1]


def test_names_that_are_corrected_in_the_article_leave_it_done():
    begin(1)
    judge("Anna", 1, verdict(1, shown={"ranking": PICKED, "rank": 1}), verdict(0, "reject"))
    with read() as session:
        assert done_by(session) == {1: {1}}
    judge("Anna", 1, {"id": "c" * 32, "kind": "labels", "sentence": 1, "value": {"genes": "TP53"}})
    with read() as session:
        assert done_by(session) == {1: {1}} and is_done(session, 1, 1)
