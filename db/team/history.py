"""What people did, read from every append-only table, and the entries of events without a table of their own."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Any, cast

from sqlalchemy import ColumnElement, Select, and_, case, func, literal, null, or_, select
from sqlalchemy.orm import Session, aliased, load_only

from db.base import AnySelect
from db.registry import ROLLED_BACK
from db.tables import (
    Annotator,
    Article,
    AuditVerdict,
    Comment,
    HistoryEntry,
    Job,
    ModelVersion,
    Promotion,
    QueueRequest,
    Reading,
    RelatedVerdict,
    Relevance,
    Sentence,
    Setting,
    StoredQuestion,
    Verdict,
)
from db.values import BOOKKEEPING, Kind, VerdictRole


@dataclass(frozen=True, slots=True)
class Filter:
    """Which events: of these kinds (none: all), of whom, on what, stored from `since` until before `until`."""

    kinds: frozenset[str] = frozenset()
    person: str | None = None
    article_id: int | None = None
    sentence_id: int | None = None
    since: str | None = None
    until: str | None = None


@dataclass(frozen=True, slots=True)
class StoredEvent:
    """An event, made from a row of one of the tables; `row` is that row, `extra` the further column of its branch."""

    id: int
    at: str
    kind: str
    who: str
    article_id: int | None
    position: int | None
    row: Any
    extra: Any


def is_noted(session: Session, kind: str, who: str, article_id: int, details: dict[str, Any]) -> bool:
    """Whether somebody's entry of this kind on an article says just this."""
    query = select(HistoryEntry.details).where(HistoryEntry.kind == kind, HistoryEntry.done_by == who)
    return details in session.scalars(query.where(HistoryEntry.article_id == article_id))


@dataclass(frozen=True, slots=True)
class Branch:
    """Where the history finds events of some kinds: a table and its columns. They tell when a row was stored, what kind
    of event it is, who did it, and on which article and sentence. None where its rows are on none."""

    table: Any
    at: Any
    kind: Any
    who: Any
    article: Any = None
    sentence: Any = None
    extra: Any = None  # what its words need in addition to the row
    joined: Callable[[AnySelect], AnySelect] = lambda query: query

    def did(self, person: str) -> ColumnElement[bool]:
        """The condition that this person did it."""
        if not hasattr(self.table, "annotator_id"):
            return cast("ColumnElement[bool]", self.who == person)
        # By the number, so that the index of the one annotator gives the order.
        number = select(Annotator.id).where(Annotator.name == person).scalar_subquery()
        own = self.table.annotator_id == number
        if self.table is QueueRequest:  # of which the annotator may be the one whom it was assigned to
            own = or_(QueueRequest.assigned_by == person, and_(QueueRequest.assigned_by.is_(None), own))
        return cast("ColumnElement[bool]", own)


def _by_annotators(table: Any, kind: Any, **columns: Any) -> Branch:
    """A branch whose rows annotators stored."""
    joined = columns.pop("joined", lambda query: query)
    return Branch(
        table,
        table.stored_at,
        kind,
        joined=lambda query: joined(query.join(Annotator, Annotator.id == table.annotator_id)),
        **{"who": Annotator.name, "article": getattr(table, "article_id", Article.id)} | columns,
    )


_earlier = aliased(Setting)

BRANCHES: dict[str, Branch] = {
    "verdict": _by_annotators(
        Verdict,
        case({VerdictRole.ADJUDICATOR: "decision"}, value=Verdict.role, else_="verdict"),
        sentence=Verdict.sentence_id,
    ),
    "comment": _by_annotators(Comment, literal("comment"), sentence=Comment.sentence_id),
    "reading": _by_annotators(Reading, literal("reading")),
    "audit": _by_annotators(AuditVerdict, literal("audit"), sentence=AuditVerdict.sentence_id),
    "request": _by_annotators(
        QueueRequest,
        literal("queued"),
        who=func.coalesce(QueueRequest.assigned_by, Annotator.name),
        extra=Annotator.name,
    ),
    "relevance": _by_annotators(
        Relevance,
        literal("relevance"),
        extra=StoredQuestion.name,
        joined=lambda query: query.join(StoredQuestion, StoredQuestion.id == Relevance.question_id).outerjoin(
            Article, Article.key == Relevance.article_key
        ),
    ),
    "related": _by_annotators(
        RelatedVerdict,
        literal("related"),
        joined=lambda query: query.outerjoin(Article, Article.key == RelatedVerdict.asked),
    ),
    "setting": Branch(
        Setting,
        Setting.created_at,
        literal("settings"),
        Setting.changed_by,
        extra=select(_earlier.content)  # what held before
        .where(_earlier.name == Setting.name, _earlier.id < Setting.id, _earlier.owner_id.is_(None))
        .order_by(_earlier.id.desc())
        .limit(1)
        .correlate(Setting)
        .scalar_subquery(),
        # What people chose for themselves is theirs.
        joined=lambda query: query.where(Setting.owner_id.is_(None), Setting.name.not_in(BOOKKEEPING)),
    ),
    "promotion": Branch(
        Promotion,
        Promotion.created_at,
        case((Promotion.reason.startswith(ROLLED_BACK), "rollback"), else_="promotion"),
        Promotion.promoted_by,
        extra=ModelVersion.name,
        # Promotions of earlier releases that have no reason are told by a note or a setting of then.
        joined=lambda query: query.outerjoin(ModelVersion, ModelVersion.id == Promotion.version_id).where(
            or_(Promotion.kind == Kind.ENCODER, Promotion.reason != "")
        ),
    ),
    "job": Branch(
        Job,
        Job.created_at,
        # Kinds of jobs that the history shows under a name of their own; all others are shown as jobs.
        case({"train": "training", "import": "import"}, value=Job.kind, else_="job"),
        func.coalesce(Job.asked_by, ""),
        extra=Job.result["counts"],
        # Payloads and results may be large.
        joined=lambda query: query.options(load_only(Job.kind, Job.state, Job.host, Job.error)),
    ),
    "entry": Branch(
        HistoryEntry, HistoryEntry.done_at, HistoryEntry.kind, HistoryEntry.done_by, article=HistoryEntry.article_id
    ),
}


def events(session: Session, branch: Branch, wanted: Filter, *, before: int | None, limit: int) -> list[StoredEvent]:
    """The newest events of a filter that names kinds in a branch, the newest first: by the primary key, or by an index
    that ends with it. `before`: only events whose row has a lower id."""
    table, extra = branch.table, branch.extra
    columns = (branch.at, branch.kind, branch.who)
    query = branch.joined(select(table, *columns, *(null() if c is None else c for c in (branch.article, extra))))
    conditions = [branch.kind.in_(wanted.kinds)]
    for column, number in ((branch.article, wanted.article_id), (branch.sentence, wanted.sentence_id)):
        if number is not None:
            if column is None:
                return []
            conditions.append(column == number)
    if wanted.person is not None:
        conditions.append(branch.did(wanted.person))
    if before is not None:
        conditions.append(table.id < before)
    if wanted.since is not None:
        conditions.append(branch.at >= wanted.since)
    if wanted.until is not None:
        conditions.append(branch.at < wanted.until)
    found = session.execute(query.where(*conditions).order_by(table.id.desc()).limit(limit)).all()
    ids = {number for row in found if (number := getattr(row[0], "sentence_id", None)) is not None}
    places = session.execute(select(Sentence.id, Sentence.position).where(Sentence.id.in_(ids)))
    positions: dict[int | None, int] = dict(places.all())
    return [
        StoredEvent(
            row[0].id, at, kind, who, article_id, positions.get(getattr(row[0], "sentence_id", None)), row[0], extra
        )
        for row in found
        for at, kind, who, article_id, extra in [row[1:]]
    ]


def entries_of(session: Session, kind: str, article_ids: Collection[int]) -> Sequence[HistoryEntry]:
    """All that was noted of a kind on these articles, oldest first."""
    query = select(HistoryEntry).where(HistoryEntry.article_id.in_(article_ids), HistoryEntry.kind == kind)
    return session.scalars(query.order_by(HistoryEntry.id)).all()


def finished_practice(session: Session, kind: str, annotator_id: int) -> set[int]:
    """The articles of practice rounds that an annotator has ended, by the entries of this kind."""
    query = (
        select(HistoryEntry.article_id)
        .join(Annotator, Annotator.name == HistoryEntry.details["annotator"].as_string())
        .where(Annotator.id == annotator_id, HistoryEntry.kind == kind, HistoryEntry.article_id.is_not(None))
        .where(HistoryEntry.details["said_as"].as_string() == "finished")
    )
    return {number for number in session.scalars(query) if number is not None}


def people(session: Session) -> list[str]:
    """Everybody who did anything, in order of the alphabet."""
    names = set(session.scalars(select(Annotator.name)))
    for column in (Setting.changed_by, Promotion.promoted_by, Job.asked_by, HistoryEntry.done_by):
        names.update(name for name in session.scalars(select(column).distinct()) if name)
    return sorted(names, key=str.lower)


def verdict(session: Session, verdict_id: int) -> tuple[Verdict, str] | None:
    """(verdict, who gave it) of this id."""
    query = select(Verdict, Annotator.name).join(Annotator, Annotator.id == Verdict.annotator_id)
    return session.execute(query.where(Verdict.id == verdict_id)).tuples().one_or_none()


def _alongside(verdict: Verdict) -> Select[Verdict]:
    """The verdicts that replace one another on the sentence: of an annotator their own, of adjudicators everybody's."""
    article_id = verdict.article_id
    by_annotator = verdict.role == VerdictRole.ANNOTATOR
    whose = (
        Verdict.of_article_by(article_id, verdict.annotator_id) if by_annotator else Verdict.article_id == article_id
    )
    return select(Verdict).where(whose, Verdict.sentence_id == verdict.sentence_id, Verdict.role == verdict.role)


def previous_verdict(session: Session, verdict: Verdict) -> Verdict | None:
    """What counted right before this verdict; None where nothing did."""
    return session.scalar(_alongside(verdict).where(Verdict.id < verdict.id).order_by(Verdict.id.desc()).limit(1))


def is_current(session: Session, verdict: Verdict) -> bool:
    """Whether nothing has replaced the verdict since."""
    return session.scalar(_alongside(verdict).where(Verdict.id > verdict.id).limit(1)) is None
