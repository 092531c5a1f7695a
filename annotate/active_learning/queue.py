"""The queue: which article an expert gets next, and why."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import TypedDict

import numpy as np
from sqlalchemy.orm import Session

import db.articles
import db.proposing
import db.review.assignments
import db.review.verdicts
import db.rows
from annotate.active_learning.choosing import choose_next, preview
from annotate.active_learning.live_state import prepare
from annotate.project.home import read, write
from annotate.project.rights import Right
from annotate.project.stored_settings import settings_now
from annotate.review.assignments import ExpertAssignments, reason_shown, standing_of
from annotate.review.queue_settings import QueueSettings
from annotate.review.verdicts import asked_for
from annotate.review.waiting import Choice, standing, started_by_others
from annotate.screening.standing import promises
from db.review.assignments import EXPIRED
from db.tables import Assignment
from db.values import BY_HAND


def hand_out(reviewer: str, rng: np.random.Generator | None = None) -> Assignment | None:
    """The article that this reviewer works on next, leased: the one in hand until it is done, else one newly chosen.

    None where nothing waits. One write transaction, so that no article goes to two at once. `rng` draws the lots;
    without it the article is the one that was announced.
    """
    prepare()
    with write(Right.REVIEW) as session:
        expert = ExpertAssignments.of(session, reviewer)
        if in_hand := expert.go_on():
            return in_hand
        expert.end_lapsed()
        found = standing(session, expert.annotator_id, expert.settings, expert.clock)
        waiting = found.waiting
        if lapsed := _lapsed(session, expert.annotator_id, waiting):
            return expert.again(lapsed)
        left, fresh = _split(session, expert.annotator_id, waiting)
        wanted = asked_for(session, expert.annotator_id, waiting)
        if not fresh and not wanted:
            return expert.again(left[0]) if left else None
        first = wanted or started_by_others(found, fresh)
        choice = first[0] if first else choose_next(session, fresh, expert.settings, rng)
        with_proposals = expert.draw_arm(choice.article_id, rng or np.random.default_rng())
        return expert.insert(**asdict(choice), waiting=max(1, len(fresh)), with_proposals=with_proposals)


class Coming(TypedDict):
    """An article that the queue will hand out: by which strategy and score, why, whether it is in hand already, and in
    words how likely it holds a key sentence."""

    article_id: int
    title: str
    strategy: str
    score: float | None
    reason: str
    in_hand: bool
    promise: str


def whats_next(reviewer: str, n: int) -> list[Coming]:
    """The next n articles, as expected now. Those in hand come first, those left unfinished last."""
    with read() as session:
        annotator_id = db.review.verdicts.find_annotator(session, reviewer) or 0
        settings = settings_now(session, QueueSettings)
        found = standing_of(session, reviewer)
        waiting = found.waiting
        expert = ExpertAssignments(session, annotator_id)
        mine = [
            row
            for row in db.review.assignments.open_assignments(session, annotator_id)
            if not (expert.done(row) or expert.held_by_others(row.article_id))
        ]
        if not mine and (lapsed := _lapsed(session, annotator_id, waiting)):
            mine = [lapsed]
        left, fresh = _split(session, annotator_id, waiting)
        in_hand = {row.article_id for row in mine}
        wanted = [each for each in asked_for(session, annotator_id, waiting) if each.article_id not in in_hand]
        before = in_hand | {each.article_id for each in wanted}
        left = [row for row in left if row.article_id not in before]
        fresh = [article_id for article_id in fresh if article_id not in before]
        chosen = (wanted + started_by_others(found, fresh))[:n]
        fresh = [article_id for article_id in fresh if article_id not in set(found.begun)]
        chosen += preview(session, fresh, settings, n) if fresh else []
        coming: list[Assignment | Choice] = [*mine, *chosen, *left]
        coming = coming[:n]
        titles = db.articles.titles(session, [row.article_id for row in coming])
        known = promises(session, [row.article_id for row in coming])
        blind = [row for row in coming if isinstance(row, Assignment) and not row.with_proposals]
        return [
            Coming(
                article_id=row.article_id,
                title=titles[row.article_id],
                strategy=row.strategy,
                score=row.score,
                reason=reason_shown(row) if isinstance(row, Assignment) else row.reason,
                in_hand=row in mine,
                promise=known[row.article_id].words if row.article_id in known and row not in blind else "–",
            )
            for row in coming
        ]


def first_proposal(reviewer: str, article_id: int) -> str:
    """The likeliest key sentence of an article that the queue will hand to this reviewer.

    Empty where it holds no proposal, or where the reviewer is to read it without any, or a lot may still decide so.
    """
    with read() as session:
        annotator_id = db.review.verdicts.find_annotator(session, reviewer) or 0
        if not ExpertAssignments(session, annotator_id).surely_with_proposals(article_id):
            return ""
        current = db.proposing.current_set(session, article_id)
        proposed = db.proposing.proposals(session, current.id) if current else []
        place = (article_id, proposed[0][1]) if proposed else (article_id, -1)
        found = db.articles.sentences_at(session, {place})
        return found[place].text if place in found else ""


def _lapsed(session: Session, annotator_id: int, waiting: Sequence[int]) -> Assignment | None:
    """The last article that the queue gave this annotator, where its lease ran out and it still waits."""
    last = db.rows.find(session, Assignment, annotator_id=annotator_id)
    comes_again = last and last.ending == EXPIRED and last.strategy != BY_HAND and last.article_id in waiting
    return last if comes_again else None


def _split(session: Session, annotator_id: int, waiting: Sequence[int]) -> tuple[list[Assignment], list[int]]:
    """(what this annotator left unfinished, the longest ago first; the other articles that wait)."""
    known = set(waiting)
    left = [row for row in db.review.assignments.left_by(session, annotator_id) if row.article_id in known]
    passed = {row.article_id for row in left}
    return left, [article_id for article_id in waiting if article_id not in passed]
