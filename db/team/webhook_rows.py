"""The rows that a webhook tells of, in the order of their ids, from where it was; never an article's text."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import func, or_, select
from sqlalchemy.orm import Session

from db.base import Base
from db.review.assignments import FINISHED
from db.review.listed_verdicts import verdicts_after
from db.tables import (
    Annotator,
    Article,
    Assignment,
    GoldSnapshot,
    HistoryEntry,
    Job,
    ModelVersion,
    Promotion,
    Reading,
    Verdict,
)
from db.values import Kind

# Tables whose rows are only ever added, and tables whose rows change when they end.
ADDED: dict[str, type[Base]] = {
    "verdict": Verdict,
    "reading": Reading,
    "promotion": Promotion,
    "snapshot": GoldSnapshot,
}
ENDING: dict[str, type[Base]] = {"job": Job, "assignment": Assignment}


@dataclass(frozen=True, slots=True)
class Row:
    """One row of a branch: when what it tells of happened, and what may be told of it."""

    branch: str
    id: int
    at: str
    told: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Restoration:
    """A restored backup: its time, a name of its own, and the highest id of each branch in it."""

    name: str
    made_at: str
    branches: Mapping[str, int]


def restorations(session: Session) -> list[Restoration]:
    """Every one, in order; of those before their names were kept none."""
    query = select(HistoryEntry.details).where(HistoryEntry.kind == "restore").order_by(HistoryEntry.id)
    kept = [details for details in session.scalars(query) if "after" in details]
    return [Restoration(each["after"]["name"], each["made_at"], each["after"]["branches"]) for each in kept]


def newest_ids(session: Session) -> dict[str, int]:
    """The highest id of each branch, 0 where it is empty."""
    tables: dict[str, Any] = {**ADDED, **ENDING}
    return {name: session.scalar(select(func.max(table.id))) or 0 for name, table in tables.items()}


def added(session: Session, branch: str, after: int, limit: int) -> list[Row]:
    """The first rows of one of ADDED with a higher id."""
    read = {"verdict": _verdicts, "reading": _readings, "promotion": _promotions, "snapshot": _snapshots}[branch]
    return read(session, after, limit)


def _verdicts(session: Session, after: int, limit: int) -> list[Row]:
    found = verdicts_after(session, after, limit)
    keys = _keys(session, {verdict.article_id for verdict, _, _ in found})
    names = ("value", "role", "origin", "given_at")
    return [
        Row(
            "verdict",
            verdict.id,
            verdict.stored_at,
            {"verdict": verdict.id, "annotator": name, "article": verdict.article_id, "key": keys[verdict.article_id]}
            | {"sentence": position} | {column: getattr(verdict, column) for column in names},
        )
        for verdict, name, position in found
    ]  # fmt: skip


def _keys(session: Session, article_ids: Collection[int]) -> dict[int, str]:
    return dict(session.execute(select(Article.id, Article.key).where(Article.id.in_(article_ids))).all())


def _readings(session: Session, after: int, limit: int) -> list[Row]:
    query = (
        select(Reading, Annotator.name, Article.key)
        .join(Annotator, Annotator.id == Reading.annotator_id)
        .join(Article, Article.id == Reading.article_id)
        .where(Reading.id > after)
        .order_by(Reading.id)
        .limit(limit)
    )
    return [
        Row(
            "reading",
            row.id,
            row.stored_at,
            {"article": row.article_id, "key": key, "annotator": name, "in_full": row.in_full},
        )
        for row, name, key in session.execute(query).tuples()
    ]


def _promotions(session: Session, after: int, limit: int) -> list[Row]:
    query = select(Promotion, ModelVersion.name).join(ModelVersion, ModelVersion.id == Promotion.version_id)
    query = query.where(Promotion.kind == Kind.ENCODER)
    found = session.execute(query.where(Promotion.id > after).order_by(Promotion.id).limit(limit)).tuples()
    return [
        Row("promotion", row.id, row.created_at, {"version": name, "by": row.promoted_by, "reason": row.reason})
        for row, name in found
    ]


def _snapshots(session: Session, after: int, limit: int) -> list[Row]:
    columns = (GoldSnapshot.id, GoldSnapshot.created_at, GoldSnapshot.name, GoldSnapshot.rule, GoldSnapshot.sha256)
    query = select(*columns).where(GoldSnapshot.id > after).order_by(GoldSnapshot.id).limit(limit)
    return [
        Row("snapshot", row.id, row.created_at, {"snapshot": row.name, "rule": row.rule, "sha256": row.sha256})
        for row in session.execute(query)
    ]


def begun(session: Session, branch: str, after: int, limit: int) -> Sequence[int]:
    """The ids of the first rows of one of ENDING with a higher id, ended or not."""
    table: Any = ENDING[branch]
    return session.scalars(select(table.id).where(table.id > after).order_by(table.id).limit(limit)).all()


def ended(session: Session, branch: str, ids: Collection[int]) -> list[Row]:
    """The rows with these ids that have ended."""
    return {"job": _jobs, "assignment": _assignments}[branch](session, ids)


def _jobs(session: Session, ids: Collection[int]) -> list[Row]:
    columns = (Job.id, Job.kind, Job.state, Job.finished_at, Job.asked_by, Job.result["counts"].label("counts"))
    query = select(*columns).where(Job.id.in_(ids), Job.finished_at.is_not(None)).order_by(Job.id)
    found = []
    for row in session.execute(query):
        told = {"job": row.id, "kind": row.kind, "state": row.state, "asked_by": row.asked_by}
        counted = {"counts": row.counts} if row.kind == "import" and row.counts else {}
        found.append(Row("job", row.id, row.finished_at, told | counted))
    return found


def _assignments(session: Session, ids: Collection[int]) -> list[Row]:
    query = (
        select(Assignment.id, Assignment.article_id, Assignment.ended_at, Article.key, Annotator.name)
        .join(Article, Article.id == Assignment.article_id)
        .join(Annotator, Annotator.id == Assignment.annotator_id)
        .where(Assignment.id.in_(ids), Assignment.ending == FINISHED)
        .order_by(Assignment.id)
    )
    return [
        Row("assignment", row.id, row.ended_at, {"article": row.article_id, "key": row.key, "annotator": row.name})
        for row in session.execute(query)
    ]


def given_up(session: Session, branch: str, ids: Collection[int], before: str) -> set[int]:
    """The ids among these whose rows are never told of: assignments that ended otherwise or whose lease ended long ago,
    and rows that a restored backup does not know."""
    table: Any = ENDING[branch]
    query = select(table.id).where(table.id.in_(ids))
    if branch == "assignment":
        lasting = Assignment.ended_at.is_(None) & (Assignment.leased_until >= before)
        query = query.where(or_(lasting, Assignment.ending == FINISHED))
    return set(ids) - set(session.scalars(query))
