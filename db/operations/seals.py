"""Which rows are sealed, how every writer notes them, and the chain of seals by which any change of them is found.

Importing this module has all writers of the process note their rows, which `annotate.project.home` does.
"""

import hashlib
import json
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import (
    JSON,
    Boolean,
    Column,
    Connection,
    Delete,
    Engine,
    Insert,
    Text,
    Update,
    cast,
    event,
    func,
    insert,
    literal,
    select,
    true,
    type_coerce,
    update,
)
from sqlalchemy.orm import Session
from sqlalchemy.types import NULLTYPE

from db import tables
from db.base import Base, table_of, utc_now
from db.engine import DATABASE_ERRORS
from db.tables import Seal

# Tables of what people did or decided. Of these a row is never changed and never removed.
ADDED: tuple[type[Base], ...] = (
    tables.Annotator,
    tables.ArticleRemoval,
    tables.ArticleTag,
    tables.AuditVerdict,
    tables.Comment,
    tables.FunctionExample,
    tables.GoldSnapshot,
    tables.HistoryEntry,
    tables.OwnFunction,
    tables.Promotion,
    tables.QueueRequest,
    tables.Reading,
    tables.RelatedVerdict,
    tables.Relevance,
    tables.Setting,
    tables.Topic,
    tables.Verdict,
)
# Of these the application changes or removes rows, and each change is one more seal. Named are the columns that no
# person decides: how far a job is, until when an article is leased, when something was last seen.
CHANGED: dict[type[Base], tuple[str, ...]] = {
    tables.Account: (),
    tables.ApiToken: ("last_used_at",),
    tables.Assignment: ("leased_until",),
    tables.DocumentLabel: (),
    tables.Job: (
        *("state", "progress", "result", "error", "pid", "process_started", "cancel_requested", "started_at"),
        *("reported_at", "finished_at", "attempts", "host", "heartbeat_at"),
    ),
    tables.LoginSession: ("last_used_at",),
    tables.ModelVersion: (),
    tables.StoredQuestion: ("seen_until", "seen_at"),
}
# Texts, what programs make of them, passwords that were tried and are soon forgotten, and the seals, which hold
# themselves: nothing that anybody did or decided.
NOT_SEALED: tuple[type[Base], ...] = (
    *(tables.Article, tables.ArticleChange, tables.Section, tables.Paragraph, tables.Sentence),
    *(tables.Reference, tables.Citation),
    *(tables.ArticleFeatures, tables.Head, tables.Embedding, tables.QueryEmbedding, tables.ReadText),
    *(tables.EntityScan, tables.EntityCandidate, tables.LabelProposal, tables.ProposalSet, tables.Proposal),
    *(tables.Evaluation, tables.ArticleScore, tables.Report, tables.FinishedRun),
    *(tables.LoginAttempt, Seal),
)

CHUNK = 500  # rows that are read or sealed at a time: other writers wait for some ten milliseconds
AS_STORED = "seals_are_stored"  # an execution option: this statement stores rows together with their seals
ERASURE = "erasure"  # an entry of this name says that the next `row_id` rows were changed to erase a person
UNREADABLE = "unreadable"  # in place of a digest: bytes that are no text
UNSEALED = "inserted behind the application, or its seal was removed"
_NEW = "seals_of_new_rows"
# Which rows of a table are new in a transaction: those behind an id, or a number of the last ones.
BEHIND, NEWEST = "id > {mark}", "id IN (SELECT id FROM {name} ORDER BY id DESC LIMIT {mark})"


def sealed_columns(table: type[Base]) -> list[Column[Any]]:
    """The columns of a sealed table that its seals hold, by name."""
    left_out = CHANGED.get(table, ())
    return sorted((one for one in table_of(table).columns if one.name not in left_out), key=lambda one: one.name)


SEALED: dict[str, type[Base]] = {table.__tablename__: table for table in (*ADDED, *CHANGED)}
_COLUMNS = {table_of(table): {one.name for one in sealed_columns(table)} for table in SEALED.values()}


def _forget(connection: Connection) -> None:
    connection.info.pop(_NEW, None)  # of a transaction that was rolled back


def _note(connection: Connection, clause: Any, several: Any, values: Any, options: Any) -> None:
    """Notes which sealed rows a statement changes or removes, before it does; of new rows it waits for the commit.

    An INSERT of one row, the usual save, costs one more statement; one of several must not be of a selection.
    """
    if not isinstance(clause, (Insert, Update, Delete)) or clause.table not in _COLUMNS or options.get(AS_STORED):
        return
    name, new = clause.table.name, connection.info.setdefault(_NEW, {})
    if isinstance(clause, Insert):
        condition, number = new.get(name, ("", 0))
        if condition != BEHIND and several:  # some may be there already, so that the last ones need not be new
            _note_new(connection)
            new[name] = (BEHIND, connection.exec_driver_sql(f"SELECT coalesce(max(id), 0) FROM {name}").scalar())
        elif condition != BEHIND:
            new[name] = (NEWEST, number + 1)
    elif isinstance(clause, Delete) or _COLUMNS[clause.table] & _set_by(clause, (several or [values])[0]):
        where = true() if clause.whereclause is None else clause.whereclause
        changed = select(literal(name), clause.table.c.id).where(where)
        connection.execute(insert(Seal).from_select(["table_name", "row_id"], changed), several or values)


def _set_by(statement: Update, values: Any) -> set[str]:
    """The columns that an UPDATE sets, by its own values and by those that it is given."""
    own: Any = statement._values or {}  # there is no public way to ask
    return {column.name for column in own} | set(values)


def _note_new(connection: Connection) -> None:
    new = connection.info.get(_NEW, {})
    mark = "?" if connection.dialect.paramstyle == "qmark" else "%s"
    while new:
        condition, number = new.pop(name := next(iter(new)))
        connection.exec_driver_sql(note_of(name, condition.format(name=name, mark=mark)), (number,))


event.listen(Engine, "begin", _forget)
event.listen(Engine, "before_execute", _note)
event.listen(Engine, "commit", _note_new)


def note_of(name: str, condition: str) -> str:
    """The statement that notes the rows of a table under a condition, which SQL changes that passes by SQLAlchemy."""
    return f"INSERT INTO seal (table_name, row_id) SELECT '{name}', id FROM {name} WHERE {condition} ORDER BY id"


@dataclass(frozen=True, slots=True)
class Head:
    """The last seal: its number in the chain, the SHA-256 of all up to it, and when it was made."""

    entry: int
    chain: str
    at: str


def head(session: Session, before: int | None = None) -> Head | None:
    """The last seal, or the last before one; None where nothing is sealed."""
    query = select(Seal).where(Seal.chain.is_not(None))
    if before is not None:
        query = query.where(Seal.id < before)
    found = session.scalar(query.order_by(Seal.id.desc()).limit(1))
    return Head(found.id, found.chain or "", found.sealed_at or "") if found else None


def counts(session: Session) -> tuple[int, int]:
    """How many entries are sealed, and how many wait."""
    waiting = session.scalar(select(func.count()).where(Seal.chain.is_(None))) or 0
    return (session.scalar(select(func.count()).select_from(Seal)) or 0) - waiting, waiting


def is_waiting(session: Session) -> bool:
    """Whether any entry waits for its seal."""
    return session.scalar(select(Seal.id).where(Seal.chain.is_(None)).limit(1)) is not None


def seal_some(session: Session) -> int:
    """Seals the first CHUNK entries that wait; returns how many there were."""
    query = select(Seal.id, Seal.table_name, Seal.row_id).where(Seal.chain.is_(None))
    waiting = session.execute(query.order_by(Seal.id).limit(CHUNK)).all()
    if not waiting:
        return 0
    last, now = head(session, waiting[0].id), utc_now()
    chain = last.chain if last else ""
    rows: dict[str, set[int]] = {}
    for _, name, row_id in waiting:
        rows.setdefault(name, set()).add(row_id)
    digests = {name: digests_of(session, name, ids) for name, ids in rows.items()}
    sealed = []
    for entry, name, row_id in waiting:
        digest = digests[name].get(row_id, "")
        chain = _link(chain, entry, name, row_id, digest, now)
        sealed.append({"id": entry, "digest": digest, "chain": chain, "sealed_at": now})
    session.execute(update(Seal), sealed)
    return len(sealed)


def _link(before: str, *entry: Any) -> str:
    return hashlib.sha256(json.dumps([before, *entry]).encode()).hexdigest()


def digest_of(table: type[Base], row: Sequence[Any]) -> str:
    """The SHA-256 of a row, its values in the order of `sealed_columns`: the same in every kind of database.

    Hashed is JSON in UTF-8, columns by name, without those that are null, so that a later one changes no seal.
    """
    values = {
        column.name: bool(value) if isinstance(column.type, Boolean) and value in (0, 1) else value
        for column, value in zip(sealed_columns(table), row, strict=True)
        if value is not None
    }
    row_json = json.dumps(
        values, ensure_ascii=False, separators=(",", ":"), default=lambda value: {"bytes": value.hex()}
    )
    return hashlib.sha256(row_json.encode()).hexdigest()


def digests_of(session: Session, name: str, ids: Collection[int]) -> dict[int, str]:
    """The digests of the rows with these ids, of those that are there; of a table that is not sealed, none."""
    table = SEALED.get(name)
    if table is None:
        return {}
    number = table_of(table).c.id
    query = select(number, *(_as_stored(session, column) for column in sealed_columns(table))).where(number.in_(ids))
    try:
        return {row[0]: digest_of(table, row[1:]) for row in session.execute(query)}
    except DATABASE_ERRORS:
        if len(ids) > 1:  # some row among them holds bytes that are no text
            return {each: digest for one in ids for each, digest in digests_of(session, name, [one]).items()}
        return dict.fromkeys(ids, UNREADABLE)


def _as_stored(session: Session, column: Column[Any]) -> Any:
    """A column's value as the database holds it, not as it is read: JSON is a text."""
    if isinstance(column.type, JSON) and session.get_bind().dialect.name == "postgresql":
        return cast(column, Text)
    return type_coerce(column, NULLTYPE)


@dataclass(frozen=True, slots=True)
class Problem:
    """A row that is not as it was sealed: what happened to it, and the number and time of its last seal. A row without
    a seal has the seal of the row before it in its table."""

    entry: int
    what: str
    table: str
    row_id: int
    at: str


@dataclass(slots=True)
class Proof:
    """What was found: the number of sealed rows and of entries of the chain. Then rows that were sealed as they were
    found when sealing began, and rows from which a person was erased. At last the heads that were asked for and not
    met, and the problems in their order."""

    rows: int = 0
    entries: int = 0
    as_found: int = 0
    erased: int = 0
    head: Head | None = None
    unmet: set[str] = field(default_factory=set)
    problems: list[Problem] = field(default_factory=list)


# (entry, digest, time) of the last seal of each row, by table and id.
_Last = dict[str, dict[int, tuple[int, str, str]]]


def prove(
    session: Session, heads: Collection[str] = (), report: Callable[[str, int, int], None] = lambda *_: None
) -> Proof:
    """Reads the whole chain and every sealed row. `heads`: chains that were kept, each of which the chain must hold."""
    proof = Proof(unmet=set(heads))
    last, waiting = _read_chain(session, proof, report)
    for number, name in enumerate(SEALED):
        report("comparing rows", number, len(SEALED))
        proof.problems += _of_rows(session, name, last.get(name, {}), waiting.get(name, set()))
        proof.rows += len(last.get(name, {}))
    proof.problems.sort(key=lambda problem: problem.entry)
    return proof


def _read_chain(
    session: Session, proof: Proof, report: Callable[[str, int, int], None]
) -> tuple[_Last, dict[str, set[int]]]:
    """The last seals of all rows, and the rows that wait, by table; notes in the proof what is wrong with the chain."""
    last: _Last = {name: {} for name in SEALED}
    waiting: dict[str, set[int]] = {}
    total = sum(counts(session))
    announced = 0  # so many of the next entries are of rows as they were found, or from which a person was erased
    query = select(Seal.id, Seal.table_name, Seal.row_id, Seal.digest, Seal.sealed_at, Seal.chain).order_by(Seal.id)
    for number, (place, name, row_id, digest, at, chain) in enumerate(
        session.execute(query.execution_options(yield_per=CHUNK)).tuples()
    ):
        if number % CHUNK == 0:
            report("reading the chain", number, total)
        if chain is None:
            waiting.setdefault(name, set()).add(row_id)
            continue
        before = last.setdefault(name, {}).get(row_id)
        if _link(proof.head.chain if proof.head else "", place, name, row_id, digest, at) != chain:
            what = "its seal, or seals before it, were changed, removed, inserted or reordered"
            proof.problems.append(Problem(place, what, name, row_id, at or ""))
        elif before and before[1] != digest and SEALED.get(name) in ADDED and not announced:
            what = "changed or removed behind the application, and sealed again since"
            proof.problems.append(Problem(place, what, name, row_id, at or ""))
        if name not in ("", ERASURE):
            last[name][row_id] = (place, digest or "", at or "")
            announced = max(0, announced - 1)
        else:
            announced = row_id
            proof.erased += row_id if name else 0
            proof.as_found += 0 if name else row_id
        proof.unmet.discard(chain)
        proof.entries += 1
        proof.head = Head(place, chain, at or "")
    return last, waiting


def _of_rows(
    session: Session, name: str, last: dict[int, tuple[int, str, str]], waiting: Collection[int]
) -> Iterator[Problem]:
    """What is wrong with the rows of a table, by what was last sealed of each."""
    number = table_of(SEALED[name]).c.id
    there = session.scalars(select(number).order_by(number)).all()
    once = SEALED[name] in ADDED
    latest = (0, "", "")  # the seal of the row before: about when an inserted one came
    for start in range(0, len(there), CHUNK):
        ids = there[start : start + CHUNK]
        found = digests_of(session, name, ids)
        for row_id in ids:
            entry, digest, at = latest = last.get(row_id, latest)
            if row_id not in last or not digest:
                if row_id not in waiting:
                    yield Problem(entry, UNSEALED, name, row_id, at)
            elif found[row_id] != digest and (once or row_id not in waiting):
                yield Problem(entry, "changed", name, row_id, at)
    for row_id in last.keys() - set(there):
        entry, digest, at = last[row_id]
        if digest and (once or row_id not in waiting):
            yield Problem(entry, "removed", name, row_id, at)
