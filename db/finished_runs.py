"""Finished runs of studies, by kind: "experiment" or "simulation"."""

from collections.abc import Collection, Sequence
from typing import Any

from sqlalchemy import Select, func, select
from sqlalchemy.orm import Session

from db.base import insert_or
from db.curation import rows_of_some
from db.tables import FinishedRun


def insert_run(session: Session, kind: str, **values: Any) -> None:
    """Stores a finished run; one that the experiment has already stays as it is."""
    session.execute(insert_or(session, FinishedRun).on_conflict_do_nothing().values(kind=kind, **values))


def runs_with_keys(session: Session, kind: str, keys: Collection[str]) -> dict[str, FinishedRun]:
    """The finished runs with these keys, of any experiment, the latest of each key."""
    rows = rows_of_some(session, _of(kind).order_by(FinishedRun.id), FinishedRun.key, keys)
    return {run.key: run for (run,) in rows}


def keys_of(session: Session, kind: str, experiment: str) -> set[str]:
    """The keys of an experiment's finished runs."""
    found = _of(kind).where(FinishedRun.experiment == experiment).with_only_columns(FinishedRun.key)
    return set(session.scalars(found))


def runs_of(session: Session, kind: str, experiment: str) -> Sequence[FinishedRun]:
    """The finished runs of an experiment, oldest first."""
    return session.scalars(_of(kind).where(FinishedRun.experiment == experiment).order_by(FinishedRun.id)).all()


def experiments(session: Session, kind: str) -> list[tuple[str, int, str]]:
    """(name, finished runs, time of the last one) of every experiment, the one that went on last first."""
    rows = session.execute(
        _of(kind)
        .with_only_columns(FinishedRun.experiment, func.count(), func.max(FinishedRun.created_at))
        .group_by(FinishedRun.experiment)
        .order_by(func.max(FinishedRun.id).desc())
    )
    return [(name, count, last) for name, count, last in rows]


def _of(kind: str) -> Select[FinishedRun]:
    return select(FinishedRun).where(FinishedRun.kind == kind)
