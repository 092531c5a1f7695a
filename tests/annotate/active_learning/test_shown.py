"""How many proposals are shown at first: those that are probably key, or a share of the sentences."""

import numpy as np
import pytest

import annotate.active_learning.shown
import db.active_learning.heads
import db.review.verdicts
from annotate.active_learning.live_ranking import rank_now, rank_when_opened
from annotate.active_learning.live_state import forget
from annotate.active_learning.shown import shown_by
from annotate.project.home import read, write
from annotate.project.rights import Right
from annotate.proposing.propose import propose
from model.proposing.shown import by_probability
from tests.support.live_world import GENERIC, held_by_anna, live_world, log_odds
from tests.support.making import judge, paper, query, store, store_cosines, verdict

LATEST = "SELECT article_id, k FROM proposal_set WHERE id IN (SELECT max(id) FROM proposal_set GROUP BY article_id)"


@pytest.fixture
def version(home):
    """The world of tests/support/live_world.py: eight articles of nine sentences."""
    yield live_world()
    forget()


def calibrate(version, a: float, b: float) -> None:
    with write(Right.SYSTEM) as session:
        head = db.active_learning.heads.latest_base(session, version.id)
        head.metrics = {"calibration": {"a": a, "b": b}}
    forget()


def test_without_calibrated_probabilities_a_share_of_the_sentences_is_shown(version):
    store(paper(["One sentence about the gene TP53.", "Another sentence about cells."], pmid="77"))
    store_cosines(version, 9, GENERIC, (0.5, 0.25))
    propose(k=5, shown=shown_by(version))
    assert dict(query(LATEST)) == {**dict.fromkeys(range(1, 9), 4), 9: 1}  # of nine and of two sentences


def test_as_many_as_are_probably_key_are_shown_where_the_head_is_calibrated(version, monkeypatch):
    calibrate(version, 1.0, 50.0)
    propose(k=5, shown=shown_by(version))
    assert dict(query(LATEST)) == dict.fromkeys(range(1, 9), 5)
    calibrate(version, 1.0, -50.0)
    propose(k=5, shown=shown_by(version))
    assert dict(query(LATEST)) == dict.fromkeys(range(1, 9), 1)
    odds = np.sort(log_odds(1))[::-1]
    calibrate(version, 1.0, -float(odds[1] + odds[2]) / 2)
    at_half = lambda ranked: by_probability(ranked, 0.5)  # noqa: E731 (short)
    monkeypatch.setattr(annotate.active_learning.shown, "by_probability", at_half)
    propose(k=5, shown=shown_by(version))
    assert dict(query(LATEST))[1] == 2


def test_an_article_that_is_opened_shows_what_is_probably_key_by_now_and_keeps_that_number(version):
    judge("Ben", 2, verdict(2), verdict(5), verdict(1, "reject"), verdict(4, "reject"))
    calibrate(version, 1.0, -50.0)
    article_id = held_by_anna()
    assert article_id != 2 and dict(query(LATEST))[article_id] == 3
    assert rank_when_opened("Anna", article_id)
    assert dict(query(LATEST))[article_id] == 1
    calibrate(version, 1.0, 50.0)
    judge("Anna", article_id, verdict(0, "reject"))
    rank_now("Anna", article_id)
    rank_when_opened("Anna", article_id)
    assert dict(query(LATEST))[article_id] == 1
    with read() as session:
        assert len(db.review.verdicts.judged_articles(session, until=99)) == 2
