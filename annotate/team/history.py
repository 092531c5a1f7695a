"""The history: who did what and when. Most events tell for themselves by their own rows; others are noted here."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from heapq import merge
from itertools import islice
from typing import Any

from sqlalchemy.orm import Session

import db.articles
import db.gold
import db.team.history
from annotate.articles.import_report import counted
from annotate.articles.parsing.identifiers import normal_identifiers
from annotate.articles.table_files import csv_text
from annotate.project.acting import allowed, current_actor, demand
from annotate.project.home import read, write
from annotate.project.notes import Noted, note
from annotate.project.rights import Right
from annotate.project.words import count_of
from annotate.registry.kinds import KINDS as REGISTERED
from annotate.review.blindness.released import given_after_release
from db import tables
from db.finding.questions import UNSURE
from db.team.history import Filter, StoredEvent
from db.values import JobState, Kind, Value


class Own(StrEnum):
    """What tells for itself by its own rows."""

    VERDICT = "verdict"
    DECISION = "decision"
    COMMENT = "comment"
    READING = "reading"
    AUDIT = "audit"
    QUEUED = "queued"
    RELEVANCE = "relevance"
    RELATED = "related"
    PROMOTION = "promotion"
    ROLLBACK = "rollback"
    TRAINING = "training"
    JOB = "job"


KINDS: tuple[str, ...] = tuple(map(str, (*Own, *Noted)))
EXPORTED_AT_ONCE = db.gold.CHUNK
VERDICTS: dict[str, str] = {
    Value.ACCEPT: "key sentence",
    Value.REJECT: "not key",
    Value.UNSURE: "unsure",
    Value.WITHDRAWN: "withdrawn",
}


NOT_BLIND = ", not blind: given after the others' verdicts were shown"
ALL = Filter()


@dataclass(frozen=True, slots=True)
class Event:
    """One event. `time` is when it was stored; `sentence` is a position; `source` says where it came from.

    `id` is the one in its own kind's table.
    """

    time: str
    who: str
    kind: str
    what: str
    source: str
    article: str
    title: str
    sentence: int | None
    article_id: int | None
    sentence_id: int | None
    id: int


COLUMNS = ("time", "who", "kind", "what", "source", "article", "title", "sentence")
# The last id shown of each branch: events that are stored meanwhile neither shift a page nor come twice.
Cursor = Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Page:
    """Events, newest first, and where the next page begins; None after the last."""

    events: tuple[Event, ...]
    next: Cursor | None


def events(session: Session, wanted: Filter = ALL, limit: int = 50, before: Cursor | None = None) -> Page:
    """The newest events of a filter, or those before a page's end; never reads more than a page of each kind.

    Without the right to see what everybody did these are the current actor's own, and what was refused is left out.
    Raises Forbidden for a person without login.
    """
    demand(session, Right.REVIEW)
    wanted = replace(wanted, kinds=wanted.kinds or frozenset(KINDS))
    if not allowed(session, Right.HISTORY):
        wanted = replace(wanted, person=current_actor().name, kinds=wanted.kinds - {Noted.REFUSED})
    found = {
        name: db.team.history.events(session, branch, wanted, before=(before or {}).get(name), limit=limit + 1)
        for name, branch in db.team.history.BRANCHES.items()
        if wanted.kinds & _KINDS_OF[name]
    }
    entries = ([(name, row) for row in newest] for name, newest in found.items())
    merged = list(islice(merge(*entries, key=lambda entry: entry[1].at, reverse=True), limit + 1))
    shown = merged[:limit]
    # Where nothing of a branch is on this page, the next one begins with what is its newest now.
    first_ids = {name: newest[0].id + 1 if newest else 1 for name, newest in found.items()}
    cursor = {**first_ids, **(before or {}), **{name: row.id for name, row in shown}}
    return Page(_events(session, shown), cursor if len(merged) > limit else None)


# Of each branch, by which a page's end is told, what kinds of events it has.
_KINDS_OF: dict[str, frozenset[str]] = {
    "verdict": frozenset({Own.VERDICT, Own.DECISION}),
    "comment": frozenset({Own.COMMENT}),
    "reading": frozenset({Own.READING}),
    "audit": frozenset({Own.AUDIT}),
    "request": frozenset({Own.QUEUED}),
    "relevance": frozenset({Own.RELEVANCE}),
    "related": frozenset({Own.RELATED}),
    "setting": frozenset({Noted.SETTINGS}),
    "promotion": frozenset({Own.PROMOTION, Own.ROLLBACK}),
    "job": frozenset({Own.TRAINING, Own.JOB, Noted.IMPORT}),
    "entry": frozenset(Noted),
}


def _events(session: Session, found: list[tuple[str, StoredEvent]]) -> tuple[Event, ...]:
    articles = db.articles.articles(session, {entry.article_id for _, entry in found if entry.article_id is not None})
    late = given_after_release(session, (entry.row for branch, entry in found if branch == "verdict"))
    made = []
    for branch, entry in found:
        what, source = _words(entry.row, entry.extra)
        source += NOT_BLIND if branch == "verdict" and entry.id in late else ""
        article = articles.get(entry.article_id) if entry.article_id is not None else None
        made.append(
            Event(
                time=entry.at,
                who=entry.who,
                kind=entry.kind,
                what=what,
                source=source,
                article=article.key if article else "",
                title=article.title if article else "",
                sentence=entry.position,
                article_id=entry.article_id,
                sentence_id=getattr(entry.row, "sentence_id", None),
                id=entry.id,
            )
        )
    return tuple(made)


def _words(row: Any, extra: Any) -> tuple[str, str]:
    """What was done and where it came from, by the row that an event is made from and what else is told of it."""
    source = ""
    match row:
        case tables.Verdict():
            named = "; ".join(filter(None, (row.labels or {}).values()))
            what = VERDICTS.get(row.value, row.value) + (f", of {named}" if named else "")
            source = _shown(row.origin, row)
        case tables.Comment():
            what, source = row.text or "withdrawn", "" if row.sentence_id else "on the article"
        case tables.Reading():
            what = f"read in full: {count_of(row.sentence_count, 'sentence')}" if row.in_full else "not read in full"
        case tables.AuditVerdict():
            what = f"the prediction is {row.value}" if row.value else "withdrawn"
            source = _shown("predicted", row)
        case tables.QueueRequest(assigned_by=None):
            whose = "everybody's queue" if row.for_all else "their queue"
            what, source = f"put into {whose}" if row.wanted else f"taken out of {whose}", row.reason
        case tables.QueueRequest():
            what, source = f"{'' if row.wanted else 'no longer '}assigned to {extra}", row.reason
        case tables.Relevance():
            words = {0: "not relevant", UNSURE: "unsure", None: "withdrawn"}.get(row.grade, "relevant")
            what, source = f"{row.article_key}: {words}", f"asked for: {extra}"
        case tables.RelatedVerdict():
            words = {True: "related", False: "not related", None: "withdrawn"}[row.related]
            what, source = f"{row.work}: {words}", f"suggested for {row.asked}"
        case tables.Setting():
            before = extra or {}
            changed = {
                name: value for name, value in row.content.items() if name not in before or before[name] != value
            }
            what = f"{row.name.replace('_', ' ')}: {_setting(changed) or 'as before'}"
        case tables.Promotion():
            what = f"{extra or 'no version'} {REGISTERED[Kind(row.kind)].serves}: {row.reason}"
        case tables.Job():
            state = counted(extra or {}) if (row.kind, row.state) == ("import", JobState.DONE) else row.state
            what, source = f"{row.kind}: {state}" + (f" ({row.error})" if row.error else ""), row.host or ""
        case _:
            what = row.summary
    return what, source


def _setting(value: Any) -> str:
    match value:
        case bool():
            return "on" if value else "off"
        case None | "" | []:
            return "none"
        case list():
            return "; ".join(map(_setting, value))
        case dict():
            return ", ".join(f"{name.replace('_', ' ')} {_setting(each)}" for name, each in value.items())
    return str(value)


def _shown(how: str, row: Any) -> str:
    parts = [
        how,
        f"rank {row.rank}" if row.rank is not None else "",
        f"cosine {row.cosine:.3f}" if row.cosine is not None else "",
        row.ranking or "",
        row.version or "",
    ]
    return ", ".join(filter(None, parts))


def find_article(session: Session, named: str) -> int | None:
    """The article that a person means by its PMID, PMCID, DOI or key."""
    for column in ("pmid", "pmcid", "doi"):
        identifiers = normal_identifiers({column: named})
        if found := db.articles.find_by_name(session, **identifiers):
            return found
    return None


def _all(wanted: Filter) -> Iterator[Event]:
    """Every event of a filter, newest first, as of one moment."""
    with read() as session:
        demand(session, Right.HISTORY)
        cursor: Cursor | None = None
        while True:
            page = events(session, wanted, EXPORTED_AT_ONCE, cursor)
            yield from page.events
            if page.next is None:
                return
            cursor = page.next


def as_csv(wanted: Filter) -> bytes:
    """All events of a filter as CSV, newest first. Raises Forbidden without the right to see what everybody did."""
    rows = ([getattr(event, name) for name in COLUMNS] for event in _all(wanted))
    return csv_text(COLUMNS, rows).encode()


def as_jsonl(wanted: Filter) -> bytes:
    """The events of a filter as JSON lines, with the ids."""
    return "".join(json.dumps(asdict(event), ensure_ascii=False) + "\n" for event in _all(wanted)).encode()


FORMATS = {".csv": as_csv, ".jsonl": as_jsonl}


def note_download(file_name: str) -> None:
    """Notes that the acting person took the history out."""
    with write(Right.HISTORY) as session:
        note(session, Noted.EXPORT, f"exported the history as {file_name}")
