"""Finished runs, of experiments or of simulations: two kinds in one table."""

from collections.abc import Collection, Sequence
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from db.base import insert_or
from db.curation.removals import rows_of_some
from db.tables import ExperimentRun
from db.tables.experiments import FinishedRun

Runs = type[FinishedRun]


def insert_run(session: Session, table: Runs = ExperimentRun, **values: Any) -> None:
    """Stores a finished run; one that the experiment has already stays as it is."""
    kind = table.__mapper__.polymorphic_identity
    session.execute(insert_or(session, FinishedRun).on_conflict_do_nothing().values(kind=kind, **values))


def runs_with_keys(session: Session, keys: Collection[str], table: Runs = ExperimentRun) -> dict[str, FinishedRun]:
    """The finished runs with these keys, of any experiment, the latest of each key."""
    rows = rows_of_some(session, select(table).order_by(table.id), table.key, keys)
    return {run.key: run for (run,) in rows}


def keys_of(session: Session, experiment: str, table: Runs = ExperimentRun) -> set[str]:
    """The keys of an experiment's finished runs."""
    return set(session.scalars(select(table.key).where(table.experiment == experiment)))


def runs_of(session: Session, experiment: str, table: Runs = ExperimentRun) -> Sequence[FinishedRun]:
    """The finished runs of an experiment, oldest first."""
    return session.scalars(select(table).where(table.experiment == experiment).order_by(table.id)).all()


def experiments(session: Session, table: Runs = ExperimentRun) -> list[tuple[str, int, str]]:
    """(name, finished runs, time of the last one) of every experiment, the one that went on last first."""
    rows = session.execute(
        select(table.experiment, func.count(), func.max(table.created_at))
        .group_by(table.experiment)
        .order_by(func.max(table.id).desc())
    )
    return [(name, count, last) for name, count, last in rows]
