"""Assignments: whose hands an article is in, how it is taken, ended and given back, and why nothing waits."""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy.orm import Session

import db.curation
import db.review.assignments
import db.review.verdicts
import db.rows
from annotate.project.home import read, write
from annotate.project.rights import Right
from annotate.project.stored_settings import settings_now
from annotate.project.words import count_of
from annotate.review.expert_assignments import ExpertAssignments, clock_of, present
from annotate.review.queue_settings import QueueSettings
from annotate.review.waiting import Standing, is_done, standing
from db.review.assignments import EXPIRED, FINISHED, LEFT
from db.tables import Assignment
from db.values import BY_HAND


def take(reviewer: str, article_id: int) -> Assignment | None:
    """Leases an article that was opened by its address, as what it was to this reviewer before, else as "by hand".

    None where enough others hold it, where the reviewer is done with it, or where the project has no such
    article.
    """
    with write(Right.REVIEW) as session:
        expert = ExpertAssignments.of(session, reviewer)
        if not db.curation.is_in(session, article_id) or expert.held_by_others(article_id):
            return None
        if expert.renewed(article_id):
            return assignment_of(session, expert.annotator_id, article_id)
        before = db.rows.find(session, Assignment, annotator_id=expert.annotator_id, article_id=article_id)
        if (before and before.ending == FINISHED) or is_done(session, expert.annotator_id, article_id):
            return None
        expert.put_back_what_was_opened_by_hand()
        if before:
            return expert.again(before)
        return expert.insert(
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
        expert = ExpertAssignments.of(session, reviewer)
        last = db.rows.find(session, Assignment, annotator_id=expert.annotator_id, article_id=article_id)
        # One that ran out while its page was open: the expert is back, and says now what becomes of it.
        if last and (last.ended_at is None or last.ending == EXPIRED):
            # One who goes on from an article whose proposals were all picked before has seen it now.
            expert.end(last, FINISHED if expert.done(last, picked=True) else LEFT)


def release(assignment_id: int) -> None:
    """Ends the assignment, of any expert, so that all can get the article; an ended one stays as it is."""
    with write(Right.QUEUE) as session:
        row = db.rows.get(session, Assignment, assignment_id)
        if row and row.ended_at is None:
            expert = ExpertAssignments(session, row.annotator_id)
            expert.end(row, FINISHED if expert.done(row) else LEFT)


def holder_of(session: Session, article_id: int, annotator_id: int) -> str | None:
    """The name of the expert who holds this article, so that this annotator cannot; None where it is free to them."""
    expert = ExpertAssignments(session, annotator_id)
    if not expert.held_by_others(article_id):
        return None
    leases = db.review.assignments.leases(session, expert.clock, article_id=article_id, except_annotator=annotator_id)
    return leases[0][1]


def assignment_of(session: Session, annotator_id: int, article_id: int) -> Assignment | None:
    """The annotator's assignment of the article that has not ended, or None."""
    return next(iter(db.review.assignments.open_assignments(session, annotator_id, article_id)), None)


def sees_proposals(session: Session, annotator_id: int, article_id: int) -> bool:
    """Whether this annotator is shown the article's proposals: not before the end of an assignment without them."""
    last = db.rows.find(session, Assignment, annotator_id=annotator_id, article_id=article_id)
    if last is None or last.with_proposals or last.ending == FINISHED:
        return True
    return last.ended_at is not None and is_done(session, annotator_id, article_id, with_proposals=False)


def open_leases(session: Session) -> Sequence[tuple[Assignment, str, str]]:
    """Who holds what now, oldest first: (assignment, annotator's name, article's title)."""
    return db.review.assignments.leases(session, clock_of(settings_now(session, QueueSettings)))


def standing_of(session: Session, reviewer: str) -> Standing:
    """How the articles with proposals stand for this reviewer."""
    settings = settings_now(session, QueueSettings)
    return standing(session, db.review.verdicts.find_annotator(session, reviewer) or 0, settings, clock_of(settings))


def why_empty(reviewer: str) -> str:
    """In words, why nothing waits for this reviewer; the empty text where something does."""
    with read() as session:
        found = standing_of(session, reviewer)
        if found.waiting:
            return ""
        if not found.total:
            if articles := db.curation.count_listed(session):
                return f"None of {count_of(articles, 'article')} holds proposals yet."
            return "There are no articles yet."
        theirs = set(found.held)
        held = [(row, name) for row, name, _ in open_leases(session) if row.article_id in theirs]
        reasons = _reasons(found, held)
        if aside := len(found.set_aside):
            tags = settings_now(session, QueueSettings).tags_in_words
            reasons.append(f"Set aside: {count_of(aside, 'article')}; the queue takes only articles {tags}.")
        return " ".join(reasons)


def _reasons(found: Standing, held: Sequence[tuple[Assignment, str]]) -> list[str]:
    reasons = []
    if done := len(found.done):
        reasons.append(f"You are done with {count_of(done, 'article')}{' of' if done < found.total else ', '}"
                       f"{f' {found.total:,}' if done < found.total else 'which is all'}.")  # fmt: skip
    if others := len(found.elsewhere):
        reasons.append(f"Others are done with {count_of(others, 'article')}.")
    if others := len(found.others):
        wait = "wait" if others != 1 else "waits"
        reasons.append(f"{count_of(others, 'article')} of yours {wait} for another person's judgement.")
    if practised := len(found.practised):
        reasons.append(f"You know {count_of(practised, 'article')} from the training round.")
    in_hand = len({row.article_id for row, _ in held})
    if held:
        names = sorted({name for _, name in held})
        who = f"{', '.join(names[:-1])} and {names[-1]} have" if len(names) > 1 else f"{names[0]} has"
        seconds = (datetime.fromisoformat(min(row.leased_until for row, _ in held)) - present()).total_seconds()
        reasons.append(
            f"{who} the other {count_of(in_hand, 'article')} in hand; the first comes back "
            f"in {max(1, round(seconds / 60))} min unless work on it goes on."
        )
    if assigned := len(found.held) - in_hand:
        reasons.append(f"Assigned to others: {count_of(assigned, 'article')}.")
    return reasons
