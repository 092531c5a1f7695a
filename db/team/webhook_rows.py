"""The rows that a webhook tells of, in the order of their ids, from where it was; never an article's text."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import or_, select
from sqlalchemy.orm import Session

import db.rows
from db.base import AnySelect, Base
from db.review.assignments import FINISHED
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
    Sentence,
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
    """One row of a branch: when its event happened, and the payload of the event."""

    branch: str
    id: int
    at: str
    payload: dict[str, Any]


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
    return {name: db.rows.last_id(session, table) for name, table in tables.items()}


# Of each branch: the id of a row, the time of its event, and the columns of its payload.
_SELECTS: dict[str, AnySelect] = {
    "verdict": select(
        Verdict.id,
        Verdict.stored_at.label("at"),
        Verdict.id.label("verdict"),
        Annotator.name.label("annotator"),
        Verdict.article_id.label("article"),
        Article.key,
        Sentence.position.label("sentence"),
        Verdict.value,
        Verdict.role,
        Verdict.origin,
        Verdict.given_at,
    )
    .join(Annotator, Annotator.id == Verdict.annotator_id)
    .join(Article, Article.id == Verdict.article_id)
    .join(Sentence, Sentence.id == Verdict.sentence_id),
    "reading": select(
        Reading.id,
        Reading.stored_at.label("at"),
        Reading.article_id.label("article"),
        Article.key,
        Annotator.name.label("annotator"),
        Reading.in_full,
    )
    .join(Annotator, Annotator.id == Reading.annotator_id)
    .join(Article, Article.id == Reading.article_id),
    "promotion": select(
        Promotion.id,
        Promotion.created_at.label("at"),
        ModelVersion.name.label("version"),
        Promotion.promoted_by.label("by"),
        Promotion.reason,
    )
    .join(ModelVersion, ModelVersion.id == Promotion.version_id)
    .where(Promotion.kind == Kind.ENCODER),
    "snapshot": select(
        GoldSnapshot.id,
        GoldSnapshot.created_at.label("at"),
        GoldSnapshot.name.label("snapshot"),
        GoldSnapshot.rule,
        GoldSnapshot.sha256,
    ),
    "job": select(
        Job.id,
        Job.finished_at.label("at"),
        Job.id.label("job"),
        Job.kind,
        Job.state,
        Job.asked_by,
        Job.result["counts"].label("counts"),
    ).where(Job.finished_at.is_not(None)),
    "assignment": select(
        Assignment.id,
        Assignment.ended_at.label("at"),
        Assignment.article_id.label("article"),
        Article.key,
        Annotator.name.label("annotator"),
    )
    .join(Article, Article.id == Assignment.article_id)
    .join(Annotator, Annotator.id == Assignment.annotator_id)
    .where(Assignment.ending == FINISHED),
}


def added(session: Session, branch: str, after: int, limit: int) -> list[Row]:
    """The first rows of one of ADDED with a higher id."""
    table: Any = ADDED[branch]
    return _rows(session, branch, _SELECTS[branch].where(table.id > after).order_by(table.id).limit(limit))


def ended(session: Session, branch: str, ids: Collection[int]) -> list[Row]:
    """The rows of one of ENDING with these ids that have ended."""
    table: Any = ENDING[branch]
    return _rows(session, branch, _SELECTS[branch].where(table.id.in_(ids)).order_by(table.id))


def _rows(session: Session, branch: str, query: AnySelect) -> list[Row]:
    found = []
    for row in session.execute(query):
        payload = dict(row._mapping)
        number, at = payload.pop("id"), payload.pop("at")
        if branch == "job" and not (row.kind == "import" and row.counts):
            del payload["counts"]
        found.append(Row(branch, number, at, payload))
    return found


def ids_after(session: Session, branch: str, after: int, limit: int) -> Sequence[int]:
    """The ids of the first rows of one of ENDING with a higher id, ended or not."""
    table: Any = ENDING[branch]
    return session.scalars(select(table.id).where(table.id > after).order_by(table.id).limit(limit)).all()


_UNENDED = {"job": Job.finished_at.is_(None), "assignment": Assignment.ended_at.is_(None)}


def unended(session: Session, branch: str, limit: int) -> list[int]:
    """The ids of the last rows of one of ENDING that have not ended, in order."""
    table: Any = ENDING[branch]
    query = select(table.id).where(_UNENDED[branch]).order_by(table.id.desc()).limit(limit)
    return sorted(session.scalars(query))


def given_up(session: Session, branch: str, ids: Collection[int], before: str) -> set[int]:
    """The ids among these whose rows are never told of: assignments that ended otherwise or whose lease ended long ago,
    and rows that a restored backup does not know."""
    table: Any = ENDING[branch]
    query = select(table.id).where(table.id.in_(ids))
    if branch == "assignment":
        lasting = Assignment.ended_at.is_(None) & (Assignment.leased_until >= before)
        query = query.where(or_(lasting, Assignment.ending == FINISHED))
    return set(ids) - set(session.scalars(query))
