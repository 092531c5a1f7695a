"""What the database holds about a person: found, and written again without their name.

Names stand only in columns of NAMES; in WORDS they may stand within what people or Keyline wrote.
"""

import json
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Text, cast, delete, insert, or_, select, update
from sqlalchemy.orm import InstrumentedAttribute, Session

from db import tables
from db.base import Base, table_of
from db.operations.seals import AS_STORED, ERASURE, SEALED
from db.tables import Account, Annotator, ApiToken, LoginSession, Seal

Columns = tuple[InstrumentedAttribute[Any], ...]
NAMES: Columns = (
    Annotator.name,
    ApiToken.annotator,
    tables.ArticleRemoval.done_by,
    tables.ArticleTag.done_by,
    tables.FunctionExample.said_by,
    tables.GoldSnapshot.annotator,
    tables.GoldSnapshot.created_by,
    tables.HistoryEntry.done_by,
    tables.Job.asked_by,
    tables.ModelVersion.created_by,
    tables.OwnFunction.created_by,
    tables.Promotion.promoted_by,
    tables.QueueRequest.assigned_by,
    tables.Setting.changed_by,
    tables.Topic.chosen_by,
)
WORDS: Columns = (
    ApiToken.name,
    tables.ArticleRemoval.reason,
    tables.ArticleTag.tag,
    tables.Assignment.reason,
    tables.Comment.text,
    tables.GoldSnapshot.manifest,
    tables.HistoryEntry.summary,
    tables.HistoryEntry.details,
    tables.Job.payload,
    tables.Job.progress,
    tables.Job.result,
    tables.Job.error,
    tables.OwnFunction.name,
    tables.Promotion.reason,
    tables.QueueRequest.reason,
    tables.Report.content,
    tables.Setting.content,
    tables.StoredQuestion.name,
    tables.StoredQuestion.question,
)


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody by name, and the ids of their annotator and account; None without an account."""

    name: str
    annotator_id: int
    account_id: int | None


def known(session: Session, names: Collection[str]) -> list[Person]:
    """The annotators of these names."""
    query = select(Annotator.name, Annotator.id, Account.id).outerjoin(Account, Account.annotator_id == Annotator.id)
    return [Person(*row) for row in session.execute(query.where(Annotator.name.in_(names)))]


def rows_about(session: Session, person: Person) -> Iterator[tuple[Base, bool]]:
    """(row, whether it is the person's own) of all rows that are or that may name them, by table and id."""
    ids = {table_of(Annotator): person.annotator_id, table_of(Account): person.account_id}
    forms = {person.name, json.dumps(person.name)[1:-1]}  # as it stands in a text, and in JSON
    searched: tuple[type[Base], ...] = (*SEALED.values(), tables.Report)
    for table in searched:
        own = {
            column.name: ids[key.column.table]
            for column in table_of(table).columns
            for key in column.foreign_keys
            if ids.get(key.column.table) is not None
        } | ({"id": person.annotator_id} if table is Annotator else {})
        named = [column == person.name for column in NAMES if column.class_ is table]
        worded = [
            cast(column, Text).contains(form, autoescape=True)
            for column in WORDS
            if column.class_ is table
            for form in sorted(forms)
        ]
        owned = [table_of(table).c[name] == number for name, number in own.items()]
        if conditions := (*owned, *named, *worded):
            for row in session.scalars(select(table).where(or_(*conditions)).order_by(table_of(table).c.id)):
                yield row, any(getattr(row, name) == number for name, number in own.items())


def remove_account(session: Session, account_id: int) -> None:
    """Removes an account with its logins and API tokens."""
    for table in (LoginSession, ApiToken):
        session.execute(delete(table).where(table.account_id == account_id))
    session.execute(delete(Account).where(Account.id == account_id))


def rewrite(session: Session, changes: Collection[tuple[Base, dict[str, Any]]]) -> None:
    """Sets values of rows, frozen gold too, as an erasure that the chain of seals tells of."""
    sealed = []
    with _thawed(session.connection()):
        for row, values in changes:
            name, number = row.__tablename__, row.__mapper__.primary_key_from_instance(row)[0]
            changed = update(type(row)).where(table_of(type(row)).c.id == number).values(**values)
            session.execute(changed, execution_options={AS_STORED: True})
            if name in SEALED:
                sealed.append({"table_name": name, "row_id": number})
    if sealed:
        session.execute(insert(Seal), [{"table_name": ERASURE, "row_id": len(sealed)}, *sealed])


@contextmanager
def _thawed(connection: Connection) -> Iterator[None]:
    """Within this block of a transaction the database takes changes of frozen gold, which it refuses otherwise."""
    if connection.dialect.name == "sqlite":
        written = "SELECT sql FROM sqlite_master WHERE name = 'gold_snapshot_update'"
        before, after = "DROP TRIGGER gold_snapshot_update", str(connection.exec_driver_sql(written).scalar_one())
    else:
        before, after = (
            f"ALTER TABLE gold_snapshot {word} TRIGGER gold_snapshot_stays" for word in ("DISABLE", "ENABLE")
        )
    connection.exec_driver_sql(before)
    yield
    connection.exec_driver_sql(after)  # after an error the transaction goes, and what was done before with it
