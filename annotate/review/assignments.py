"""Assignments: whose hands an article is in, how it is taken, leased, ended, given back and handed out again, and why
nothing waits."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
from sqlalchemy.orm import Session

import db.articles
import db.curation
import db.review.assignments
import db.review.verdicts
import db.rows
from annotate.project.acting import own_name
from annotate.project.home import read, write
from annotate.project.rights import Right
from annotate.project.stored_settings import settings_from, settings_now
from annotate.project.words import count_of
from annotate.review.queue_settings import QueueSettings
from annotate.review.waiting import Standing, experts_wanted, is_done, standing
from db.base import stamp
from db.review.assignments import EXPIRED, FINISHED, LEFT, Clock
from db.tables import Assignment
from db.values import BY_HAND
from model.review.blocks import BLOCK, chance

# Clocks of two machines differ by less than this. A lease that ends still later than its length from now was made
# before a clock was set back.
CLOCK_SLACK = timedelta(minutes=15)
# A lease of which so much is left need not be prolonged yet. Of the shortest, 5 minutes, that is 30 s; a page that lies
# open gives its signs of life 4 minutes apart.
FRESH = 0.9
READ_WITHOUT = "drawn at random to be read without proposals"
# What a later assignment of the same article to the same expert takes over: lots are drawn once.
_KIND = ("strategy", "reason", "score", "waiting", "at_random", "with_proposals", "head_id")


def present() -> datetime:
    """The time by which leases count."""
    return datetime.now(UTC)


def reason_shown(row: Assignment) -> str:
    """Why an article was handed out, as its expert may know it: of one to be read without proposals nothing about
    them."""
    return row.reason if row.with_proposals or row.strategy == BY_HAND else READ_WITHOUT


def clock_of(settings: QueueSettings) -> Clock:
    """When a lease counts, by these settings and the present time."""
    now = present()
    return Clock(stamp(now), stamp(now + settings.lease), stamp(now + settings.lease + CLOCK_SLACK))


class ExpertAssignments:
    """What an expert may do with assignments. Nothing here commits."""

    def __init__(self, session: Session, annotator_id: int) -> None:
        self.session = session
        self.annotator_id = annotator_id
        self.settings = settings_now(session, QueueSettings)
        self.clock = clock_of(self.settings)

    @classmethod
    def of(cls, session: Session, reviewer: str) -> "ExpertAssignments":
        """The assignments of the reviewer of this name; a new name becomes an annotator. Raises Forbidden for another
        person's name."""
        return cls(session, db.review.verdicts.annotator_id(session, own_name(reviewer)))

    def go_on(self) -> Assignment | None:
        """The latest unfinished article in this expert's hands, leased again; finished ones end as finished."""
        for row in db.review.assignments.open_assignments(self.session, self.annotator_id):
            if self.done(row):
                self.end(row, FINISHED)
            elif self.renewed(row.article_id):
                return row
        return None

    def renewed(self, article_id: int) -> bool:
        """Renews the lease of an article that this expert has not ended; False for none, or where enough others hold
        it."""
        most = self.wanted(article_id)
        return bool(
            db.review.assignments.renew_lease(self.session, self.annotator_id, article_id, self.clock, most=most)
        )

    def insert(self, **values: Any) -> Assignment:
        """Hands an article to this expert."""
        whose = {"annotator_id": self.annotator_id, "created_at": self.clock.now, "leased_until": self.clock.until}
        return db.rows.add(self.session, Assignment(**whose, **values))

    def again(self, row: Assignment) -> Assignment:
        """Hands an article to this expert as what it was before."""
        return self.insert(article_id=row.article_id, **{name: getattr(row, name) for name in _KIND})

    def end(self, row: Assignment, ending: str) -> None:
        """Ends an assignment now."""
        db.rows.change(self.session, Assignment, row.id, ending=ending, ended_at=self.clock.now)

    def end_lapsed(self) -> None:
        """Ends leases that ran out; experts who were done before they left have finished."""
        for row in db.review.assignments.lapsed(self.session, self.clock):
            self.end(row, FINISHED if self.done(row) else EXPIRED)

    def put_back_what_was_opened_by_hand(self) -> None:
        """Frees articles that this expert opened by their address: a person who looks around holds one article at a
        time."""
        for row in db.review.assignments.open_assignments(self.session, self.annotator_id):
            if row.strategy == BY_HAND:
                self.end(row, FINISHED if self.done(row) else EXPIRED)

    def done(self, row: Assignment, *, picked: bool = False) -> bool:
        """Whether the expert of this assignment is done with its article; with `picked`, also where the last proposals
        were judged without it."""
        of = (self.session, row.annotator_id, row.article_id)
        return is_done(*of, with_proposals=row.with_proposals, picked=picked)

    def wanted(self, article_id: int) -> int:
        """How many experts annotate the article."""
        article = db.articles.article(self.session, article_id)
        return experts_wanted(article.key, self.settings) if article else 1

    def held_by_others(self, article_id: int) -> bool:
        """Whether as many others hold the article as experts annotate it."""
        others = {"article_id": article_id, "except_annotator": self.annotator_id}
        held = {row.annotator_id for row, _, _ in db.review.assignments.leases(self.session, self.clock, **others)}
        return len(held) >= self.wanted(article_id)

    def draw_arm(self, article_id: int, generator: np.random.Generator) -> bool:
        """Whether the article is shown with its proposals: by lot, and once an article, so that two experts who
        annotate it see the same. To this expert it stays what it was; one that has judged some has seen them.

        Drawn in blocks (model/review/blocks.py), the first of which never is one without, so that no project begins
        with one.
        """
        drawn = self._arm_drawn(article_id)
        return bool(generator.random() >= self._chance_of_blind()) if drawn is None else drawn

    def surely_with_proposals(self, article_id: int) -> bool:
        """Whether the article is shown with its proposals, also where the lot is still to be drawn."""
        drawn = self._arm_drawn(article_id)
        return not self._chance_of_blind() if drawn is None else drawn

    def _arm_drawn(self, article_id: int) -> bool | None:
        """What `draw_arm` answers; None where it draws a lot."""
        mine = db.rows.find(self.session, Assignment, annotator_id=self.annotator_id, article_id=article_id)
        if mine:
            return mine.with_proposals
        if db.review.verdicts.current_verdicts(self.session, article_id=article_id, annotator=self.annotator_id):
            return True
        handed = db.rows.latest(self.session, Assignment, article_id=article_id)
        return handed[-1].with_proposals if handed else None

    def _chance_of_blind(self) -> float:
        handed, blind = db.review.assignments.blind_in_block(self.session, BLOCK)
        return chance(self.settings.blind_share, handed, blind, never_first=True)


def needs_renewal(session: Session, annotator: str, article_id: int) -> bool:
    """Whether a sign of life changes anything: not where the article was never handed to this expert, nor where their
    lease was prolonged a moment ago."""
    lease = db.review.assignments.lease_of(session, annotator, article_id, QueueSettings.NAME)
    if lease is None or not lease.is_open:
        return lease is not None and lease.ending != FINISHED
    settings = settings_from(QueueSettings, lease.settings or {})
    return not stamp(present() + FRESH * settings.lease) < lease.leased_until <= clock_of(settings).latest


def renew(session: Session, annotator_id: int, article_id: int) -> None:
    """Prolongs a lease at a sign of life. One that ran out begins again, unless enough others hold the article, or
    another had it since where a single expert annotates it. An unfinished assignment ends as finished where the last
    verdicts came late.
    """
    expert = ExpertAssignments(session, annotator_id)
    if expert.renewed(article_id):
        return
    mine = db.rows.find(session, Assignment, annotator_id=annotator_id, article_id=article_id)
    if mine and mine.ending == EXPIRED:
        several = expert.wanted(article_id) > 1
        if not expert.held_by_others(article_id) and (
            several or db.rows.find(session, Assignment, article_id=article_id) is mine
        ):
            expert.again(mine)
    elif mine and mine.ending == LEFT and expert.done(mine):
        expert.end(mine, FINISHED)


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


def hidden_from(session: Session, annotator_id: int) -> set[int]:
    """The articles whose proposals this annotator is not shown."""
    blind = db.rows.latest(session, Assignment, annotator_id=annotator_id, with_proposals=False)
    return {row.article_id for row in blind if not sees_proposals(session, annotator_id, row.article_id)}


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
                return f"None of {count_of(articles, 'article')} has proposals yet."
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
        what = f"{done:,} of {count_of(found.total, 'article')}" if done < found.total else "all articles"
        reasons.append(f"You have reviewed {what}.")
    if others := len(found.elsewhere):
        reasons.append(f"Others have reviewed {count_of(others, 'article')}.")
    if others := len(found.others):
        wait = "wait" if others != 1 else "waits"
        reasons.append(f"{count_of(others, 'article')} of yours {wait} for another annotator.")
    if practised := len(found.practised):
        reasons.append(f"You know {count_of(practised, 'article')} from the practice round.")
    in_hand = len({row.article_id for row, _ in held})
    if held:
        names = sorted({name for _, name in held})
        who = f"{', '.join(names[:-1])} and {names[-1]} are reviewing" if len(names) > 1 else f"{names[0]} is reviewing"
        seconds = (datetime.fromisoformat(min(row.leased_until for row, _ in held)) - present()).total_seconds()
        reasons.append(
            f"{who} the other {count_of(in_hand, 'article')}; the first comes back "
            f"in {max(1, round(seconds / 60))} min if that work stops."
        )
    if assigned := len(found.held) - in_hand:
        reasons.append(f"Assigned to others: {count_of(assigned, 'article')}.")
    return reasons
