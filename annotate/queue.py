"""The queue: which article an expert gets next and why, whose hands an article is in, and why nothing waits."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

import numpy as np
from sqlalchemy.orm import Session

import db.articles
import db.assignments
import db.verdicts
from annotate.acting import own_name
from annotate.desk import BY_HAND, Desk, clock_of, present
from annotate.home import read, write
from annotate.queue_settings import queue_settings
from annotate.rights import Right
from annotate.waiting import Standing, begun_by_others, is_done, standing
from db.assignments import EXPIRED, FINISHED, LEFT
from db.learning_tables import Assignment


@dataclass(frozen=True, slots=True)
class Lease:
    """An article in somebody's hands; times are ISO 8601 in UTC."""

    assignment_id: int
    article_id: int
    title: str
    annotator: str
    since: str
    until: str


def hand_out(reviewer: str, rng: np.random.Generator | None = None) -> Assignment | None:
    """The article that this reviewer works on next, leased: the one in hand until it is done, else one newly chosen.

    None where nothing waits. One write transaction, so that no article goes to two at once. `rng` draws the lots.
    """
    from annotate.live import choose_next, prepare  # noqa: PLC0415 (live reads the queue too)

    generator = np.random.default_rng() if rng is None else rng
    prepare()
    with write(Right.REVIEW) as session:
        desk = _desk(session, reviewer)
        if in_hand := desk.go_on():
            return in_hand
        desk.end_lapsed()
        found = standing(session, desk.annotator_id, desk.settings, desk.clock)
        waiting = found.waiting
        last = db.assignments.last_assignment(session, desk.annotator_id)
        if last and last.ending == EXPIRED and last.strategy != BY_HAND and last.article_id in waiting:
            return desk.again(last)
        left, fresh = _split(session, desk.annotator_id, waiting)
        if not fresh:
            return desk.again(left[0]) if left else None
        begun = begun_by_others(found, fresh)
        choice = begun[0] if begun else choose_next(session, fresh, desk.settings, generator)
        return desk.insert(
            **asdict(choice), waiting=len(fresh), with_proposals=desk.draw_arm(choice.article_id, generator)
        )


def take(reviewer: str, article_id: int) -> Assignment | None:
    """Leases an article that was opened by its address, as what it was to this reviewer before, else as "by hand".

    None where enough others hold it, where the reviewer is done with it, or where there is no such article.
    """
    with write(Right.REVIEW) as session:
        desk = _desk(session, reviewer)
        if db.articles.article(session, article_id) is None or desk.held_by_others(article_id):
            return None
        if desk.renewed(article_id):
            return assignment_of(session, desk.annotator_id, article_id)
        before = db.assignments.last_assignment(session, desk.annotator_id, article_id)
        if (before and before.ending == FINISHED) or is_done(session, desk.annotator_id, article_id):
            return None
        desk.put_back_what_was_opened_by_hand()
        if before:
            return desk.again(before)
        return desk.insert(
            article_id=article_id,
            strategy=BY_HAND,
            reason="you opened it yourself",
            score=None,
            waiting=0,
            at_random=False,
            with_proposals=True,
            head_id=None,
        )


def finish_or_leave(reviewer: str, article_id: int) -> None:
    """Ends this reviewer's assignment of the article: finished where it is done, else left for later."""
    with write(Right.REVIEW) as session:
        desk = _desk(session, reviewer)
        last = db.assignments.last_assignment(session, desk.annotator_id, article_id)
        # One that ran out while its page was open: the expert is back, and says now what becomes of it.
        if last and (last.ended_at is None or last.ending == EXPIRED):
            desk.end(last, FINISHED if desk.done(last) else LEFT)


def release(assignment_id: int) -> None:
    """Gives an article back to everybody, whoever holds it; what has ended stays as it is."""
    with write(Right.QUEUE) as session:
        row = db.assignments.assignment(session, assignment_id)
        if row and row.ended_at is None:
            desk = Desk(session, row.annotator_id)
            desk.end(row, FINISHED if desk.done(row) else LEFT)


def holder_of(session: Session, article_id: int, annotator_id: int) -> str | None:
    """The name of whoever holds this article, so that this annotator cannot; None where it is free to them."""
    desk = Desk(session, annotator_id)
    if not desk.held_by_others(article_id):
        return None
    return db.assignments.leases(session, desk.clock, article_id=article_id, except_annotator=annotator_id)[0][1]


def assignment_of(session: Session, annotator_id: int, article_id: int) -> Assignment | None:
    """What this annotator was handed of the article and has not ended."""
    return next(iter(db.assignments.open_assignments(session, annotator_id, article_id)), None)


def sees_proposals(session: Session, annotator_id: int, article_id: int) -> bool:
    """Whether this annotator is shown the article's proposals: not before the end of what was handed out without."""
    last = db.assignments.last_assignment(session, annotator_id, article_id)
    if last is None or last.with_proposals or last.ending == FINISHED:
        return True
    return last.ended_at is not None and is_done(session, annotator_id, article_id, with_proposals=False)


def open_leases(session: Session) -> list[Lease]:
    """Who holds what now, oldest first."""
    return [
        Lease(row.id, row.article_id, title, name, row.created_at, row.leased_until)
        for row, name, title in db.assignments.leases(session, clock_of(queue_settings(session)))
    ]


def standing_of(session: Session, reviewer: str) -> Standing:
    """How the articles with proposals stand for this reviewer."""
    settings = queue_settings(session)
    return standing(session, _known(session, reviewer), settings, clock_of(settings))


def whats_next(reviewer: str, n: int) -> list[dict[str, Any]]:
    """The next n articles as far as can be told now: {article_id, title, strategy, score, reason, in_hand}.

    Those in hand come first, those left unfinished last. Lots are drawn only when an article is handed out.
    """
    from annotate.live import preview  # noqa: PLC0415 (live reads the queue too)

    with read() as session:
        annotator_id = _known(session, reviewer)
        settings = queue_settings(session)
        found = standing_of(session, reviewer)
        waiting = found.waiting
        mine = [row for row in db.assignments.open_assignments(session, annotator_id) if row.article_id in set(waiting)]
        left, fresh = _split(session, annotator_id, waiting)
        in_hand = {row.article_id for row in mine}
        fresh = [article_id for article_id in fresh if article_id not in in_hand]
        chosen = begun_by_others(found, fresh)[:n]
        fresh = [article_id for article_id in fresh if article_id not in set(found.begun)]
        chosen += preview(session, fresh, settings, n) if fresh else []
        titles = db.articles.titles(session, [row.article_id for row in (*mine, *chosen, *left)])
        return [
            {
                "article_id": row.article_id,
                "title": titles[row.article_id],
                "strategy": row.strategy,
                "score": row.score,
                "reason": row.reason,
                "in_hand": row in mine,
            }
            for row in (*mine, *chosen, *left)
        ][:n]


def why_empty(reviewer: str) -> str:
    """In words, why nothing waits for this reviewer; the empty text where something does."""
    with read() as session:
        found = standing_of(session, reviewer)
        if found.waiting:
            return ""
        if not found.total:
            articles = db.articles.count_articles(session)
            return f"None of {_articles(articles)} holds proposals yet." if articles else "There are no articles yet."
        held = [lease for lease in open_leases(session) if lease.article_id in set(found.held)]
        return " ".join(_reasons(found, held))


def _reasons(found: Standing, held: Sequence[Lease]) -> list[str]:
    reasons = []
    if done := len(found.done):
        reasons.append(f"You are done with {_articles(done)}{' of' if done < found.total else ', '}"
                       f"{f' {found.total:,}' if done < found.total else 'which is all'}.")  # fmt: skip
    if others := len(found.elsewhere):
        reasons.append(f"Others are done with {_articles(others)}.")
    if others := len(found.others):
        reasons.append(f"{_articles(others)} of yours {_wait(others)} for another person's judgement.")
    if held:
        names = sorted({lease.annotator for lease in held})
        who = f"{', '.join(names[:-1])} and {names[-1]} have" if len(names) > 1 else f"{names[0]} has"
        seconds = (datetime.fromisoformat(min(lease.until for lease in held)) - present()).total_seconds()
        reasons.append(
            f"{who} the other {_articles(len(found.held))} in hand; the first comes back "
            f"in {max(1, round(seconds / 60))} min unless work on it goes on."
        )
    return reasons


def _articles(number: int) -> str:
    return f"{number:,} article{'s' if number != 1 else ''}"


def _wait(number: int) -> str:
    return "wait" if number != 1 else "waits"


def _split(session: Session, annotator_id: int, waiting: Sequence[int]) -> tuple[list[Assignment], list[int]]:
    """(what this annotator left unfinished, the longest ago first; the other articles that wait)."""
    known = set(waiting)
    left = [row for row in db.assignments.left_by(session, annotator_id) if row.article_id in known]
    passed = {row.article_id for row in left}
    return left, [article_id for article_id in waiting if article_id not in passed]


def _desk(session: Session, reviewer: str) -> Desk:
    return Desk(session, db.verdicts.annotator_id(session, own_name(reviewer)))


def _known(session: Session, reviewer: str) -> int:
    """The id of an annotator; 0, which nobody has, for one not seen before."""
    return db.verdicts.find_annotator(session, reviewer) or 0
