"""A project moves from its SQLite file into PostgreSQL: all rows or none, and proven equal before they count."""

from collections.abc import Callable
from functools import partial
from typing import Any

from sqlalchemy.orm import Session

import db.operations.copying
from annotate.gold.label_sets import current_label_set
from annotate.project.acting import demand
from annotate.project.home import sqlite_file
from annotate.project.own_database import note_move
from annotate.project.rights import Right
from db.engine import Address, postgresql_address, reading, server_name, writing
from db.migrate import migrate, schema_version

LABELS = "label set"

Report = Callable[[str, int, int], None]


class TargetNotEmpty(RuntimeError):
    """The database to copy into holds rows already; nothing of it is changed."""


class NotEqual(RuntimeError):
    """The copied rows differ from the source; none are kept."""


def copy_to(url: str, report: Report = lambda stage, done, total: None) -> dict[str, Any]:
    """Copies the data folder's SQLite database into an empty PostgreSQL database, in one transaction.

    Reviewers may go on meanwhile; what they store after the beginning stays behind. Returns {tables: [[name, rows,
    sha256]], label_set_sha256}, which both have. Raises ValueError for a folder without a database or another kind of
    address, TargetNotEmpty, and NotEqual. Until it has succeeded no app opens the target; it may be begun again. From
    then on no process that starts opens the SQLite file.
    """
    source_file, address = sqlite_file(), postgresql_address(url)
    if not source_file.exists():
        raise ValueError(f"there is no {source_file.name} in the data folder")
    migrate(source_file)
    with reading(source_file) as source:
        demand(source, Right.OPERATE)
    _begin(address)
    with reading(source_file) as source, writing(address) as target:
        _demand_empty(target)
        tables = db.operations.copying.tables()
        sent = {}
        for table in tables:
            stage = f"copying {table.name}"
            sent[table.name] = db.operations.copying.copy_table(source, target, table, partial(report, stage))
        db.operations.copying.settle(target)
        arrived = {}
        for number, table in enumerate(tables, start=1):
            report("comparing", number, len(tables))
            arrived[table.name] = db.operations.copying.held(target, table)
        labels = current_label_set(source).sha256
        wrong = [name for name, what in sent.items() if arrived[name] != what]
        if current_label_set(target).sha256 != labels:
            wrong.append(LABELS)
        db.operations.copying.mark_finished(target)
        if wrong:
            raise NotEqual(f"nothing was copied, since it did not arrive as it was sent: {', '.join(wrong)}")
    note_move(source_file.parent, server_name(address))
    return {"tables": [[name, what.rows, what.sha256] for name, what in sent.items()], "label_set_sha256": labels}


def _begin(address: Address) -> None:
    if schema_version(address) is not None:
        migrate(address)
        with reading(address) as target:
            _demand_empty(target)
    db.operations.copying.mark_unfinished(address)
    migrate(address)


def _demand_empty(target: Session) -> None:
    if there := db.operations.copying.filled(target):
        raise TargetNotEmpty(f"the database to copy into holds rows already, in {', '.join(there)}")
