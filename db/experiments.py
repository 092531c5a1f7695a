"""Finished runs of experiments."""

from collections.abc import Collection, Sequence
from typing import Any

from sqlalchemy import func, insert, select
from sqlalchemy.orm import Session

from db.learning_tables import ExperimentRun

# Rows are asked for in chunks below SQLite's limit on the variables of one statement.
CHUNK = 500


def insert_run(session: Session, **values: Any) -> None:
    """Stores a finished run; one that the experiment has already stays as it is."""
    session.execute(insert(ExperimentRun).prefix_with("OR IGNORE").values(**values))


def runs_with_keys(session: Session, keys: Collection[str]) -> dict[str, ExperimentRun]:
    """The finished runs with these keys, of whatever experiment, the latest of each key."""
    found: dict[str, ExperimentRun] = {}
    wanted = sorted(keys)
    for start in range(0, len(wanted), CHUNK):
        query = select(ExperimentRun).where(ExperimentRun.key.in_(wanted[start : start + CHUNK]))
        found |= {run.key: run for run in session.scalars(query.order_by(ExperimentRun.id))}
    return found


def keys_of(session: Session, experiment: str) -> set[str]:
    """The keys of an experiment's finished runs."""
    return set(session.scalars(select(ExperimentRun.key).where(ExperimentRun.experiment == experiment)))


def runs_of(session: Session, experiment: str) -> Sequence[ExperimentRun]:
    """The finished runs of an experiment, oldest first."""
    return session.scalars(
        select(ExperimentRun).where(ExperimentRun.experiment == experiment).order_by(ExperimentRun.id)
    ).all()


def experiments(session: Session) -> list[tuple[str, int, str]]:
    """(name, finished runs, time of the last one) of every experiment, the one that went on last first."""
    rows = session.execute(
        select(ExperimentRun.experiment, func.count(), func.max(ExperimentRun.created_at))
        .group_by(ExperimentRun.experiment)
        .order_by(func.max(ExperimentRun.id).desc())
    )
    return [(name, count, last) for name, count, last in rows]
