"""Assignments: which expert has which article, until when, and who is done with one; and what the queue was asked for.

Times are as stored, in UTC.
"""

from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, Integer, Select, and_, bindparam, case, func, or_, select, update
from sqlalchemy.orm import Session, aliased

import db.articles
import db.review.verdicts
import db.rows
from db.base import changed_rows, tuples
from db.curation import kept
from db.review.verdicts import latest_verdicts, reading_in_full
from db.tables import (
    Account,
    Annotator,
    Article,
    Assignment,
    Proposal,
    ProposalSet,
    QueueRequest,
    Reading,
    Setting,
    Verdict,
)
from db.values import BY_HAND, PICKED, Origin, Value

_THEIRS = aliased(Assignment)  # made once: making it costs as much as the query, which runs at every verdict
FINISHED, LEFT, EXPIRED = "finished", "left", "expired"
# The id of a verdict, none of one that was given without its article. Labels are only given in the article.
_IN_ARTICLE = case((and_(Verdict.ranking == PICKED, Verdict.labels.is_(None)), None), else_=Verdict.id)


@dataclass(frozen=True, slots=True)
class Clock:
    """The times by which leases are judged: a lease counts where it ends after `now`, and not after `latest`.

    `until` is the end of a lease that begins now. One that ends after `latest` was made before a clock was set back.
    """

    now: str
    until: str
    latest: str

    def active(self, table: type[Assignment] = Assignment) -> ColumnElement[bool]:
        """The condition that an assignment is a lease that counts."""
        return and_(table.ended_at.is_(None), table.leased_until > self.now, table.leased_until <= self.latest)


def open_assignments(session: Session, annotator_id: int, article_id: int | None = None) -> Sequence[Assignment]:
    """What an annotator has not ended, lapsed leases included, the latest first; no removed articles."""
    query = select(Assignment).where(Assignment.annotator_id == annotator_id, Assignment.ended_at.is_(None))
    query = query.where(kept(Assignment.article_id))
    if article_id is not None:
        query = query.where(Assignment.article_id == article_id)
    return session.scalars(query.order_by(Assignment.id.desc())).all()


@dataclass(frozen=True, slots=True)
class Lease:
    """How the latest assignment of an article to an annotator stands, and the queue's settings as they are stored."""

    leased_until: str
    is_open: bool
    ending: str | None
    settings: dict[str, Any] | None


_CHOSEN = select(Setting.content).where(Setting.name == bindparam("settings")).order_by(Setting.id.desc()).limit(1)
_LEASE_OF = (
    select(Assignment.leased_until, Assignment.ended_at, Assignment.ending, _CHOSEN.scalar_subquery())
    .join(Annotator, Annotator.id == Assignment.annotator_id)
    .where(Annotator.name == bindparam("annotator"), Assignment.article_id == bindparam("article_id", type_=Integer))
    .order_by(Assignment.id.desc())
    .limit(1)
)


def lease_of(session: Session, annotator: str, article_id: int, settings_name: str) -> Lease | None:
    """The lease of an annotator on an article, and the settings under a name, in one question: it is asked at every
    verdict. None where the article was never handed to them."""
    given = {"annotator": annotator, "article_id": article_id, "settings": settings_name}
    row = session.connection().execute(_LEASE_OF, given).first()
    return Lease(row[0], row[1] is None, row[2], row[3]) if row else None


def blind_in_block(session: Session, block: int) -> tuple[int, int]:
    """(articles that the queue has handed to anybody, those without proposals in the last block, which is not full)."""
    firsts = select(func.min(Assignment.id)).where(Assignment.strategy != BY_HAND).group_by(Assignment.article_id)
    return _in_block(session, firsts, Assignment.with_proposals.is_(False), block)


def lots_in_block(session: Session, strategies: Collection[str], block: int) -> tuple[int, int]:
    """(articles that one of these strategies has chosen, each once for each expert; those drawn at random among the
    last of them that fill no whole block)."""
    firsts = select(func.min(Assignment.id)).where(Assignment.strategy.in_(strategies))
    firsts = firsts.group_by(Assignment.article_id, Assignment.annotator_id)
    return _in_block(session, firsts, Assignment.at_random.is_(True), block)


def _in_block(session: Session, firsts: Select[int], drawn: ColumnElement[bool], block: int) -> tuple[int, int]:
    """(how many rows are the first of their kind, those drawn among the last of them that fill no whole block)."""
    handed = session.scalar(select(func.count()).select_from(firsts.subquery())) or 0
    last = select(drawn).where(Assignment.id.in_(firsts)).order_by(Assignment.id.desc()).limit(handed % block)
    return handed, sum(session.scalars(last))


def lapsed(session: Session, clock: Clock) -> Sequence[Assignment]:
    """Assignments without an end whose lease does not count any more, oldest first."""
    outside = or_(Assignment.leased_until <= clock.now, Assignment.leased_until > clock.latest)
    return session.scalars(
        select(Assignment).where(Assignment.ended_at.is_(None), outside).order_by(Assignment.id)
    ).all()


def leases(
    session: Session, clock: Clock, *, article_id: int | None = None, except_annotator: int | None = None
) -> Sequence[tuple[Assignment, str, str]]:
    """(assignment, annotator's name, article's title) of the leases that count, oldest first."""
    query = (
        select(Assignment, Annotator.name, Article.title)
        .join(Annotator, Annotator.id == Assignment.annotator_id)
        .join(Article, Article.id == Assignment.article_id)
        .where(clock.active())
    )
    if article_id is not None:
        query = query.where(Assignment.article_id == article_id)
    if except_annotator is not None:
        query = query.where(Assignment.annotator_id != except_annotator)
    return session.execute(query.order_by(Assignment.id)).all()


def renew_lease(session: Session, annotator_id: int, article_id: int, clock: Clock, *, most: int = 1) -> int:
    """Extends the lease of an annotator on an article that they have not ended, unless `most` others hold the article.

    Returns how many rows it changed.
    """
    mine = (Assignment.annotator_id == annotator_id, Assignment.article_id == article_id)
    others = (
        select(func.count(func.distinct(_THEIRS.annotator_id)))
        .where(_THEIRS.article_id == article_id, _THEIRS.annotator_id != annotator_id, clock.active(_THEIRS))
        .scalar_subquery()
    )
    statement = update(Assignment).where(*mine, Assignment.ended_at.is_(None), others < most)
    return changed_rows(session, statement.values(leased_until=clock.until))


def shorten_leases(session: Session, until: str) -> None:
    """Ends leases at this time that would last longer."""
    session.execute(
        update(Assignment)
        .where(Assignment.ended_at.is_(None), Assignment.leased_until > until)
        .values(leased_until=until)
    )


def left_by(session: Session, annotator_id: int) -> list[Assignment]:
    """The latest assignment of each article that this annotator went on from without finishing, oldest first."""
    latest = select(func.max(Assignment.id)).where(Assignment.annotator_id == annotator_id)
    return list(
        session.scalars(
            select(Assignment)
            .where(Assignment.id.in_(latest.group_by(Assignment.article_id)), Assignment.ending == LEFT)
            .order_by(Assignment.id)
        )
    )


def finished(session: Session, article_id: int | None = None) -> list[tuple[int, int]]:
    """(article id, annotator id) of all assignments that ended as finished."""
    query = select(Assignment.article_id, Assignment.annotator_id).where(Assignment.ending == FINISHED)
    if article_id is not None:
        query = query.where(Assignment.article_id == article_id)
    return tuples(session.execute(query.order_by(Assignment.id)))


@dataclass(frozen=True, slots=True)
class Mark:
    """How far the tables were read: the last rows, and how much is finished and stored, which can only become more."""

    until_proposal_set: int
    until_verdict: int
    until_reading: int
    until_removal: int
    finished: int
    text: tuple[int, int]

    def before(self, other: "Mark") -> bool:
        """Whether the other has seen all rows that this one has seen."""
        names = ("until_proposal_set", "until_verdict", "until_reading", "until_removal")
        return all(getattr(self, name) <= getattr(other, name) for name in names)


def mark_of(session: Session) -> Mark:
    """How far this session can read the tables."""
    proposal_set = db.rows.last_id(session, ProposalSet)
    finished = session.scalar(select(func.count()).where(Assignment.ending == FINISHED)) or 0
    text = db.articles.text_mark(session)
    return Mark(proposal_set, **db.review.verdicts.last_events(session), finished=finished, text=text)


def touched(session: Session, since: Mark) -> set[int]:
    """The articles that got proposals, a verdict or a reading, or left or came back, after this."""
    proposed = session.scalars(select(ProposalSet.article_id).where(ProposalSet.id > since.until_proposal_set))
    rest = db.review.verdicts.touched(session, since.until_verdict, since.until_reading, since.until_removal)
    return {*proposed, *rest}


def article_marks(
    session: Session, article_ids: Collection[int] | None = None
) -> list[tuple[int, int, int | None, int | None, int]]:
    """(article id, its latest proposal set, verdict and reading, sentence count) of all articles of the project with
    proposals, or of those among some.

    Rows are only ever added: as long as these numbers stay the same, so do the experts who are done with the article.
    """
    verdict = select(func.max(Verdict.id)).where(Verdict.article_id == ProposalSet.article_id).scalar_subquery()
    reading = select(func.max(Reading.id)).where(Reading.article_id == ProposalSet.article_id).scalar_subquery()
    sentences = select(Article.sentence_count).where(Article.id == ProposalSet.article_id).scalar_subquery()
    query = select(ProposalSet.article_id, func.max(ProposalSet.id), verdict, reading, sentences)
    query = query.where(kept(ProposalSet.article_id))
    if article_ids is not None:
        query = query.where(ProposalSet.article_id.in_(article_ids))
    return tuples(session.execute(query.group_by(ProposalSet.article_id).order_by(ProposalSet.article_id)))


def judged_whole(
    session: Session, article_ids: Collection[int] | None = None, *, picked: bool = False
) -> list[tuple[int, int]]:
    """(article id, annotator id) of those who judged every current proposal that an article shows at first, the last
    of them in the article; or, with `picked`, wherever."""
    current = db.rows.latest_ids(ProposalSet, ProposalSet.article_id)
    conditions = []
    if article_ids is not None:
        current = current.where(ProposalSet.article_id.in_(article_ids))
        conditions.append(Verdict.article_id.in_(article_ids))
    at_first = and_(Proposal.set_id == ProposalSet.id, Proposal.rank <= ProposalSet.k)
    size = select(func.count()).where(at_first).correlate(ProposalSet).scalar_subquery()
    query = (
        select(ProposalSet.article_id, Verdict.annotator_id)
        .select_from(ProposalSet)
        .join(Proposal, at_first)
        .join(Verdict, and_(Verdict.article_id == ProposalSet.article_id, Verdict.sentence_id == Proposal.sentence_id))
        .where(ProposalSet.id.in_(current))
        # Plus nothing, so that SQLite looks each verdict up in the latest ones, not all of these for each proposal.
        .where((Verdict.id + 0).in_(latest_verdicts(*conditions)))
        .where(Verdict.value != Value.WITHDRAWN)
        .group_by(ProposalSet.article_id, ProposalSet.id, ProposalSet.k, Verdict.annotator_id)
        .having(func.count() == size, *([] if picked else [func.max(Verdict.id) == func.max(_IN_ARTICLE)]))
        .order_by(ProposalSet.article_id, Verdict.annotator_id)
    )
    return tuples(session.execute(query))


def read_blind(session: Session) -> set[int]:
    """The articles that were handed to anybody to be read without proposals."""
    return set(session.scalars(select(Assignment.article_id).where(Assignment.with_proposals.is_(False)).distinct()))


def only_imported(session: Session, article_ids: Collection[int] | None = None) -> list[tuple[int, int]]:
    """(article id, annotator id) wherever all verdicts of an annotator on an article came from a file of labels."""
    query = select(Verdict.article_id, Verdict.annotator_id)
    if article_ids is not None:
        query = query.where(Verdict.article_id.in_(article_ids))
    given_here = func.sum(case((Verdict.origin == Origin.IMPORTED, 0), else_=1))
    query = query.group_by(Verdict.article_id, Verdict.annotator_id).having(given_here == 0)
    return tuples(session.execute(query.order_by(Verdict.article_id, Verdict.annotator_id)))


def read_whole(session: Session, article_ids: Collection[int] | None = None) -> list[tuple[int, int]]:
    """(article id, annotator id) wherever an annotator has read an article in full as it stands now."""
    query = reading_in_full(Reading.article_id, Reading.annotator_id, article_ids=article_ids)
    return tuples(session.execute(query.order_by(Reading.article_id, Reading.annotator_id)))


def _holding(annotator_id: int, *, own: bool) -> Select[int]:
    """The ids of the requests that hold for an annotator: their own, and, unless only these are asked for, those for
    all."""
    latest = db.rows.latest_ids(QueueRequest, QueueRequest.annotator_id, QueueRequest.article_id)
    whose = or_(QueueRequest.annotator_id == annotator_id, QueueRequest.for_all & (not own))
    return select(QueueRequest.id).where(QueueRequest.id.in_(latest), QueueRequest.wanted, whose)


def open_requests(
    session: Session, annotator_id: int, article_ids: Collection[int] | None = None, *, own: bool = False
) -> list[Any]:
    """What this annotator is to get next, in the order in which it was asked for: requests of theirs and, unless `own`
    ones alone, for all, but for articles that they were handed since. One that they merely opened by its address, and
    left, was not handed. Rows of article_id, annotator_id, name (of who asked), reason and assigned_by."""
    met = _met(Assignment.annotator_id == annotator_id)
    columns = (QueueRequest.article_id, QueueRequest.annotator_id, Annotator.name, QueueRequest.reason)
    query = (
        select(*columns, QueueRequest.assigned_by)
        .join(Annotator, Annotator.id == QueueRequest.annotator_id)
        .where(QueueRequest.id.in_(_holding(annotator_id, own=own)), ~met)
        .order_by(QueueRequest.id)
    )
    found: dict[int, Any] = {}
    for row in session.execute(query):
        if article_ids is None or row.article_id in article_ids:
            found.setdefault(row.article_id, row)
    return list(found.values())


def _met(whose: ColumnElement[bool]) -> ColumnElement[bool]:
    """The condition that the article of a request was handed out since."""
    return (
        select(Assignment.id)
        .where(
            Assignment.article_id == QueueRequest.article_id,
            whose,
            Assignment.id > QueueRequest.assignments_before,
            or_(Assignment.strategy != BY_HAND, Assignment.ending.is_(None), Assignment.ending != EXPIRED),
        )
        .exists()
    )


def assigned(session: Session, article_ids: Collection[int] | None = None) -> dict[int, set[int]]:
    """The annotators to whom each article, or each of these, is assigned and was not handed since, by article."""
    latest = db.rows.latest_ids(QueueRequest, QueueRequest.annotator_id, QueueRequest.article_id)
    if article_ids is not None:
        latest = latest.where(QueueRequest.article_id.in_(article_ids))
    query = select(QueueRequest.article_id, QueueRequest.annotator_id).where(
        QueueRequest.assigned_by.is_not(None),
        QueueRequest.wanted,
        QueueRequest.id.in_(latest),
        ~_met(Assignment.annotator_id == QueueRequest.annotator_id),
    )
    found: dict[int, set[int]] = defaultdict(set)
    for article_id, annotator_id in session.execute(query):
        found[article_id].add(annotator_id)
    return dict(found)


def reserved(session: Session) -> dict[int, set[int]]:
    """As `assigned`, of those whose account is not disabled: articles do not wait for the others."""
    away = set(session.scalars(select(Account.annotator_id).where(Account.disabled)))
    return {number: there for number, people in assigned(session).items() if (there := people - away)}
