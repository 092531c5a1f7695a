"""Fills every table of a schema, whatever it is, with rows of awkward values: what copies and upgrades must keep."""

from typing import Any

from sqlalchemy import JSON, Boolean, Column, Connection, Float, Integer, LargeBinary, MetaData, String, func, select

ROWS = 3
TEXTS = ("β-catenin ≤ 5% \U0001f9ec\t\n'\"", "", "é, é: composed or not")
FLOATS = (0.1 + 0.2, -1e-300, 12345678.9)
KEPT_BY_ITSELF = ("alembic_version", "seal")  # what is filled in is noted there
DOCUMENTS: tuple[Any, ...] = ({"Δ": [1, 2.5, None, True], "b": {"\U0001f9ec": ""}}, [], {"a\\u0000": -0.1})


def fill(connection: Connection, metadata: MetaData) -> None:
    """Adds ROWS rows to each table that is empty, the first with None wherever that is allowed."""
    for table in metadata.sorted_tables:
        if table.name in KEPT_BY_ITSELF or connection.scalar(select(func.count()).select_from(table)):
            continue
        for number in range(ROWS):
            values = {column.name: _value(connection, column, number) for column in table.columns}
            connection.execute(table.insert().values(values))


def _value(connection: Connection, column: Column[Any], number: int) -> Any:
    if column.foreign_keys:
        target = next(iter(column.foreign_keys)).column
        ids = connection.scalars(select(target).order_by(target)).all()
        return ids[number % len(ids)] if ids and not (column.nullable and number == 0) else None
    if column.nullable and number == 0:
        return None
    if column.primary_key and isinstance(column.type, Integer):
        return 10 * (number + 1)  # numbers with gaps, as after deletions
    made = {
        Boolean: number % 2 == 1,
        Integer: 2**31 - 1 - number,
        Float: FLOATS[number],
        LargeBinary: bytes(range(256)) * number,
        JSON: DOCUMENTS[number],
        String: f"{column.name} {number} {TEXTS[number]}",
    }
    return next(value for kind, value in made.items() if isinstance(column.type, kind))
