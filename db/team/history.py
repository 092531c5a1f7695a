"""What people did, read from every append-only table, and the entries of events without a table of their own."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy import Select, case, or_, select
from sqlalchemy.orm import Session

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
from db.values import Kind, VerdictRole

# Kinds of jobs that the history shows under a name of their own; all others are shown as jobs.
JOBS_TOLD_AS = {"train": "training", "import": "import"}


@dataclass(frozen=True, slots=True)
class Scope:
    """Which events: of whom, on what, stored from `since` until before `until`; None is everything."""

    person: str | None = None
    article_id: int | None = None
    sentence_id: int | None = None
    since: str | None = None
    until: str | None = None


@dataclass(frozen=True, slots=True)
class Told:
    """An event, made from a row of one of the tables; `row` is that row."""

    id: int
    at: str
    who: str
    article_id: int | None
    position: int | None
    row: Any


def is_noted(session: Session, kind: str, who: str, article_id: int, details: dict[str, Any]) -> bool:
    """Whether somebody's entry of this kind on an article says just this."""
    query = select(HistoryEntry.details).where(HistoryEntry.kind == kind, HistoryEntry.done_by == who)
    return details in session.scalars(query.where(HistoryEntry.article_id == article_id))


def _newest(
    session: Session, query: AnySelect, table: Any, at: Any, scope: Scope, before: int | None, limit: int
) -> Sequence[Any]:
    """The rows with the highest ids below `before`: by the primary key, or by an index that ends with it."""
    if before is not None:
        query = query.where(table.id < before)
    if scope.since is not None:
        query = query.where(at >= scope.since)
    if scope.until is not None:
        query = query.where(at < scope.until)
    return session.execute(query.order_by(table.id.desc()).limit(limit)).all()


def _reviews(
    table: Any, session: Session, scope: Scope, before: int | None, limit: int, *conditions: Any
) -> list[Told]:
    query = select(table, Annotator.name).join(Annotator, Annotator.id == table.annotator_id).where(*conditions)
    # Before the join, so that the index of the one annotator gives the order.
    if scope.person is not None:
        number = session.scalar(select(Annotator.id).where(Annotator.name == scope.person))
        if number is None:
            return []
        query = query.where(table.annotator_id == number)
    if scope.article_id is not None:
        query = query.where(table.article_id == scope.article_id)
    if scope.sentence_id is not None:
        query = query.where(table.sentence_id == scope.sentence_id)
    found = _newest(session, query, table, table.stored_at, scope, before, limit)
    ids = {row.sentence_id for row, _ in found if getattr(row, "sentence_id", None) is not None}
    places = session.execute(select(Sentence.id, Sentence.position).where(Sentence.id.in_(ids)))
    positions: dict[int | None, int] = dict(places.all())
    return [
        Told(row.id, row.stored_at, name, row.article_id, positions.get(getattr(row, "sentence_id", None)), row)
        for row, name in found
    ]


def verdicts(session: Session, scope: Scope, before: int | None, limit: int, kinds: Collection[str]) -> list[Told]:
    """Verdicts of annotators, decisions of adjudicators, or both."""
    roles = {VerdictRole.ANNOTATOR: "verdict" in kinds, VerdictRole.ADJUDICATOR: "decision" in kinds}
    wanted = [role for role, asked in roles.items() if asked]
    conditions = [] if len(wanted) == len(roles) else [Verdict.role.in_(wanted)]
    return _reviews(Verdict, session, scope, before, limit, *conditions)


def comments(session: Session, scope: Scope, before: int | None, limit: int, kinds: Collection[str]) -> list[Told]:
    """Comments on sentences and articles."""
    return _reviews(Comment, session, scope, before, limit)


def readings(session: Session, scope: Scope, before: int | None, limit: int, kinds: Collection[str]) -> list[Told]:
    """Articles read in full, or not after all."""
    return [] if scope.sentence_id is not None else _reviews(Reading, session, scope, before, limit)


def audits(session: Session, scope: Scope, before: int | None, limit: int, kinds: Collection[str]) -> list[Told]:
    """What experts said of the evaluation's mistakes."""
    return _reviews(AuditVerdict, session, scope, before, limit)


def requests(session: Session, scope: Scope, before: int | None, limit: int, kinds: Collection[str]) -> list[Told]:
    """Articles put into the queue, or taken out again, and those assigned; `row` is (request, whose queue)."""
    if scope.sentence_id is not None:
        return []
    found = _reviews(QueueRequest, session, scope, before, limit)
    return [replace(told, who=told.row.assigned_by or told.who, row=(told.row, told.who)) for told in found]


def relevance(session: Session, scope: Scope, before: int | None, limit: int, kinds: Collection[str]) -> list[Told]:
    """Verdicts on articles that were found, stored ones and others; `row` is (relevance, question's name)."""
    if scope.sentence_id is not None:
        return []
    query = (
        select(Relevance, Annotator.name, StoredQuestion.name, Article.id)
        .join(Annotator, Annotator.id == Relevance.annotator_id)
        .join(StoredQuestion, StoredQuestion.id == Relevance.question_id)
        .outerjoin(Article, Article.key == Relevance.article_key)
    )
    if scope.person is not None:
        query = query.where(Annotator.name == scope.person)
    if scope.article_id is not None:
        query = query.where(Article.id == scope.article_id)
    found = _newest(session, query, Relevance, Relevance.stored_at, scope, before, limit)
    return [Told(row.id, row.stored_at, who, article_id, None, (row, name)) for row, who, name, article_id in found]


def related(session: Session, scope: Scope, before: int | None, limit: int, kinds: Collection[str]) -> list[Told]:
    """Verdicts on works that were suggested for an article, a text or a BibTeX file."""
    if scope.sentence_id is not None:
        return []
    query = (
        select(RelatedVerdict, Annotator.name, Article.id)
        .join(Annotator, Annotator.id == RelatedVerdict.annotator_id)
        .outerjoin(Article, Article.key == RelatedVerdict.asked)
    )
    if scope.person is not None:
        query = query.where(Annotator.name == scope.person)
    if scope.article_id is not None:
        query = query.where(Article.id == scope.article_id)
    found = _newest(session, query, RelatedVerdict, RelatedVerdict.stored_at, scope, before, limit)
    return [Told(row.id, row.stored_at, who, article_id, None, row) for row, who, article_id in found]


def _elsewhere(scope: Scope) -> bool:
    """Whether one article or sentence is asked for: events of the whole project belong to none."""
    return scope.article_id is not None or scope.sentence_id is not None


def settings(session: Session, scope: Scope, before: int | None, limit: int, kinds: Collection[str]) -> list[Told]:
    """The changes of the project's settings."""
    if _elsewhere(scope):
        return []
    query = select(Setting) if scope.person is None else select(Setting).where(Setting.changed_by == scope.person)
    found = _newest(session, query, Setting, Setting.created_at, scope, before, limit)
    return [Told(row.id, row.created_at, row.changed_by, None, None, row) for (row,) in found]


def promotions(session: Session, scope: Scope, before: int | None, limit: int, kinds: Collection[str]) -> list[Told]:
    """Versions that came into use, by promotion, rollback or both; `row` is (promotion, version's name or None).

    Promotions of earlier releases that have no reason are told by a note or a setting of then.
    """
    if _elsewhere(scope):
        return []
    query = select(Promotion, ModelVersion.name).where(or_(Promotion.kind == Kind.ENCODER, Promotion.reason != ""))
    query = query.outerjoin(ModelVersion, ModelVersion.id == Promotion.version_id)
    back = Promotion.reason.startswith(ROLLED_BACK)
    if not {"promotion", "rollback"} <= {*kinds}:
        query = query.where(back if "rollback" in kinds else ~back)
    if scope.person is not None:
        query = query.where(Promotion.promoted_by == scope.person)
    found = _newest(session, query, Promotion, Promotion.created_at, scope, before, limit)
    return [Told(row.id, row.created_at, row.promoted_by, None, None, (row, name)) for row, name in found]


def jobs(session: Session, scope: Scope, before: int | None, limit: int, kinds: Collection[str]) -> list[Told]:
    """Long work at the time when it was asked for: trainings, imports, others. Without results, which may be large,
    but for what an import counted."""
    if _elsewhere(scope):
        return []
    columns = (Job.id, Job.kind, Job.state, Job.created_at, Job.finished_at, Job.asked_by, Job.host, Job.error)
    query = select(*columns, Job.result["counts"].label("counts"))
    told_as = case(JOBS_TOLD_AS, value=Job.kind, else_="job")
    query = query.where(told_as.in_(kinds))
    if scope.person is not None:
        query = query.where(Job.asked_by == scope.person)
    found = _newest(session, query, Job, Job.created_at, scope, before, limit)
    return [Told(row.id, row.created_at, row.asked_by or "", None, None, row) for row in found]


def entries(session: Session, scope: Scope, before: int | None, limit: int, kinds: Collection[str]) -> list[Told]:
    """The noted events."""
    if scope.sentence_id is not None:
        return []
    query = select(HistoryEntry).where(HistoryEntry.kind.in_(kinds))
    if scope.person is not None:
        query = query.where(HistoryEntry.done_by == scope.person)
    if scope.article_id is not None:
        query = query.where(HistoryEntry.article_id == scope.article_id)
    found = _newest(session, query, HistoryEntry, HistoryEntry.done_at, scope, before, limit)
    return [Told(row.id, row.done_at, row.done_by, row.article_id, None, row) for (row,) in found]


def entries_of(session: Session, kind: str, article_ids: Collection[int]) -> Sequence[HistoryEntry]:
    """All that was noted of a kind on these articles, oldest first."""
    query = select(HistoryEntry).where(HistoryEntry.article_id.in_(article_ids), HistoryEntry.kind == kind)
    return session.scalars(query.order_by(HistoryEntry.id)).all()


def finished_practice(session: Session, kind: str, annotator_id: int) -> set[int]:
    """The articles of training rounds that an annotator has ended, by the entries of this kind."""
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


Branch = Callable[[Session, Scope, int | None, int, Collection[str]], list[Told]]


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


def said_before(session: Session, verdict: Verdict) -> Verdict | None:
    """What counted right before this verdict; None where nothing did."""
    return session.scalar(_alongside(verdict).where(Verdict.id < verdict.id).order_by(Verdict.id.desc()).limit(1))


def is_current(session: Session, verdict: Verdict) -> bool:
    """Whether nothing has replaced the verdict since."""
    return session.scalar(_alongside(verdict).where(Verdict.id > verdict.id).limit(1)) is None
