"""Labels by the keys of the topic's own kinds, instead of the three columns of earlier releases"""

from collections.abc import Mapping
from typing import Any

import sqlalchemy as sa
import yaml
from alembic import op

revision = "0016"
down_revision = "0015"

# By column of earlier releases, what document labels in it were called whatever the topic.
COLUMNS = {"genes": "gene", "cells": "cell", "edit": "edit"}
BATCH = 10_000


def upgrade() -> None:
    """Applies the change: what was stored in a column becomes labels of the topic's kind that stood in it."""
    kinds = _kinds()
    # Plain SQL: SQLite changes a table in place, while Alembic's batch mode would copy it.
    op.execute("ALTER TABLE verdict ADD COLUMN labels JSON")
    _fill(kinds)
    for column in COLUMNS:
        op.execute(f"ALTER TABLE verdict DROP COLUMN {column}")
    label = sa.table("document_label", sa.column("kind", sa.String))
    renamed = {COLUMNS[column]: key for column, key in kinds.items() if COLUMNS[column] != key}
    # By names that no kind has: two kinds may have taken each other's.
    for old in renamed:
        op.execute(label.update().where(label.c.kind == old).values(kind=f"*{old}"))
    for old, key in renamed.items():
        op.execute(label.update().where(label.c.kind == f"*{old}").values(kind=key))


def _kinds() -> dict[str, str]:
    """By column the key of the kind that stood in it; of one that had none a key under which its labels are kept."""
    stored = op.get_bind().scalar(sa.text("SELECT text FROM topic ORDER BY id DESC LIMIT 1"))
    found = _kinds_of(stored or "")
    for column, old in COLUMNS.items():
        if column not in found:
            found[column] = next(key for key in (old, column, f"old_{column}") if key not in found.values())
    return found


def _kinds_of(text: str) -> dict[str, str]:
    """The same of the topic with this text, as earlier releases wrote it; empty where it is none."""
    try:
        fields = yaml.safe_load(text)
    except (yaml.YAMLError, ValueError, RecursionError):
        return {}
    kinds = fields.get("kinds") if isinstance(fields, Mapping) else None
    return {
        kind["stands_in"]: kind["key"]
        for kind in (kinds if isinstance(kinds, list) else [])
        if isinstance(kind, Mapping) and kind.get("stands_in") in COLUMNS and isinstance(kind.get("key"), str)
    }


def _fill(kinds: Mapping[str, str]) -> None:
    connection = op.get_bind()
    names = [sa.column(column, sa.String) for column in COLUMNS]
    verdict = sa.table("verdict", sa.column("id", sa.Integer), sa.column("labels", sa.JSON), *names)
    given = sa.or_(*(verdict.c[column].is_not(None) for column in COLUMNS))
    change = verdict.update().where(verdict.c.id == sa.bindparam("number")).values(labels=sa.bindparam("found"))
    after: Any = -1
    while True:
        rows = connection.execute(
            sa.select(verdict.c.id, *names).where(given, verdict.c.id > after).order_by(verdict.c.id).limit(BATCH)
        ).all()
        if not rows:
            return
        connection.execute(
            change,
            [
                {"number": row.id, "found": {kinds[column]: getattr(row, column) or "" for column in COLUMNS}}
                for row in rows
            ],
        )
        after = rows[-1].id
