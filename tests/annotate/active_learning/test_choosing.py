"""Which article is next: what the strategy says of those that wait, what is drawn by lot, and the reason in words."""

import re
from dataclasses import replace

import numpy as np
import pytest

from annotate.active_learning.article_features import rows_for
from annotate.active_learning.choosing import choose_next, preview
from annotate.active_learning.live_state import forget, open_articles, prepare, state_of
from annotate.active_learning.queue import hand_out, whats_next
from annotate.active_learning.reasons import TOO_WIDE
from annotate.project.home import read, write
from annotate.project.rights import Right
from annotate.project.stored_settings import change_settings
from annotate.review.assignments import finish_or_leave
from model.active_learning.acquisition import STRATEGIES
from tests.support.live_world import RANDOM_NEVER, TEXT, judge_all, live_world
from tests.support.making import paper, store


@pytest.fixture
def version(home):
    """The world of tests/support/live_world.py."""
    yield live_world()
    forget()


def waiting(settings=RANDOM_NEVER, ids=range(1, 9), seed=0):
    with write(Right.SYSTEM) as session:
        return choose_next(session, list(ids), settings, np.random.default_rng(seed))


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_every_strategy_chooses_an_article_and_says_why(version, strategy):
    judge_all("Anna", 1)
    choice = waiting(replace(RANDOM_NEVER, strategy=strategy), range(2, 9))
    assert choice.article_id in range(2, 9) and choice.strategy == strategy
    assert 10 < len(choice.reason) <= 90
    assert choice.at_random == (strategy == "random")
    assert (choice.head_id is None) == (strategy == "random") == (choice.score is None)
    with read() as session:
        settings = replace(RANDOM_NEVER, strategy=strategy)
        ahead = preview(session, list(range(2, 9)), settings, 3)
        assert preview(session, list(range(2, 9)), settings, 3) == ahead
    assert len({found.article_id for found in ahead}) == 3


@pytest.mark.parametrize("strategy", [name for name in STRATEGIES if name != "random"])
def test_articles_are_told_by_their_own_figures(version, strategy):
    judge_all("Anna", 1)
    with read() as session:
        ahead = preview(session, list(range(2, 9)), replace(RANDOM_NEVER, strategy=strategy), 7)
    told = [choice.reason for choice in ahead]
    assert all(STRATEGIES[strategy].explanation not in reason for reason in told)
    assert all(re.search(r"\d", reason) or reason == TOO_WIDE for reason in told)
    shares = [re.search(r"(\d+)–(\d+)%", reason) for reason in told]
    assert all(int(found[2]) - int(found[1]) <= 50 for found in shares if found)


def test_the_score_strategy_takes_the_article_with_the_most_expected_key_sentences(version):
    judge_all("Anna", 1)
    with read() as session:
        state = state_of(session)
        head = state.learnt(session).head
        rows = rows_for(session, version.id, range(2, 9))
        held = open_articles(session)
    expected = {
        number: (1 / (1 + np.exp(-head.log_odds(own)))).sum() for number, own in rows.items() if number not in held
    }
    choice = waiting(ids=expected)
    assert choice.score == pytest.approx(max(expected.values()), rel=1e-3)
    assert choice.reason == f"probably holds {max(expected.values()):.1f} key sentences"


def test_the_random_share_is_drawn_from_all_that_wait(version):
    store(paper(TEXT, pmid="5"))  # not embedded
    choices = [waiting(replace(RANDOM_NEVER, random_share=1.0), range(1, 10), seed) for seed in range(60)]
    assert {choice.article_id for choice in choices} == set(range(1, 10))
    assert all(choice.at_random and choice.strategy == "random" for choice in choices)
    half = [waiting(replace(RANDOM_NEVER, random_share=0.5), range(1, 10), seed).at_random for seed in range(100)]
    assert 35 <= sum(half) <= 65


def test_each_twenty_articles_that_are_handed_out_hold_the_random_share_exactly(version):
    change_settings("Mary", replace(RANDOM_NEVER, random_share=0.1))
    rng = np.random.default_rng(5)
    drawn = [False]  # Anna's, in the world as it is
    for expert in ("Ben", "Cleo", "Dora"):
        for _ in range(7):  # all that Anna does not hold, each put aside
            handed = hand_out(expert, rng)
            drawn.append(handed.at_random)
            finish_or_leave(expert, handed.article_id)
    assert sum(drawn[:20]) == 2
    assert 2 <= sum(drawn) <= 4


def test_what_is_announced_is_what_comes_by_lot_and_by_strategy(version):
    change_settings("Mary", replace(RANDOM_NEVER, random_share=0.5))
    by_lot = []
    for expert in ("Ben", "Cleo", "Dora"):
        for _ in range(6):
            announced = whats_next(expert, 3)
            handed = hand_out(expert)
            assert handed.article_id == announced[0]["article_id"]
            assert (handed.strategy, handed.reason) == (announced[0]["strategy"], announced[0]["reason"])
            by_lot.append(handed.at_random)
            finish_or_leave(expert, handed.article_id)
    assert 5 <= sum(by_lot) <= 13  # about half, so that both were seen


def test_each_data_folder_draws_its_own_lots_and_each_article_may_come(version, monkeypatch):
    settings = replace(RANDOM_NEVER, random_share=1.0)
    drawn = []
    for secret in range(60):
        monkeypatch.setattr("annotate.active_learning.choosing.signing_secret", lambda key=secret: bytes([key]) * 32)
        with read() as session:
            drawn.append(preview(session, list(range(1, 9)), settings, 1)[0].article_id)
    assert set(drawn) == set(range(1, 9))


def test_what_is_not_embedded_comes_by_lot_where_nothing_else_is_left(version):
    store(paper(TEXT, pmid="5"))
    assert waiting(ids=[3, 9]).article_id == 3
    last = waiting(ids=[9])
    assert (last.article_id, last.at_random, last.head_id) == (9, True, None)
    with read() as session:
        assert [choice.article_id for choice in preview(session, [9], RANDOM_NEVER, 5)] == [9]
    with pytest.raises(ValueError, match="no article waits"):
        waiting(ids=[])


def test_where_nothing_is_known_all_is_by_lot(home):
    store(*(paper(pmid=str(number)) for number in range(1, 6)))
    prepare()
    drawn = {waiting(ids=range(1, 6), seed=seed).article_id for seed in range(40)}
    assert drawn == set(range(1, 6))
