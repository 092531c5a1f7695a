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
import db.gold.judgements
import db.registry
import db.team.history
from annotate.articles.import_report import counted
from annotate.articles.parsing.identifiers import normal_identifiers
from annotate.articles.table_files import csv_text
from annotate.project.acting import allowed, current_actor, demand
from annotate.project.home import read, write
from annotate.project.notes import Noted, note
from annotate.project.rights import Right
from annotate.registry import kinds
from annotate.review.blindness.released import given_after_release
from db.team.history import Scope, Told
from db.values import JobState, Kind, Value, VerdictRole


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
EXPORTED_AT_ONCE = db.gold.judgements.CHUNK
VERDICTS = {
    Value.ACCEPT: "key sentence",
    Value.REJECT: "not key",
    Value.UNSURE: "unsure",
    Value.WITHDRAWN: "taken back",
}


NOT_BLIND = ", not blind: given after the others' verdicts were shown"
EVERYTHING = Scope()


@dataclass(frozen=True, slots=True)
class Filter:
    """Which events: of these kinds (none: all), of a person, on an article or sentence, from and before these times."""

    kinds: frozenset[str] = frozenset()
    scope: Scope = EVERYTHING


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
    scope, kinds = wanted.scope, wanted.kinds or frozenset(KINDS)
    if not allowed(session, Right.HISTORY):
        scope, kinds = replace(scope, person=current_actor().name), kinds - {Noted.REFUSED}
    found = {
        name: branch(session, scope, (before or {}).get(name), limit + 1, kinds)
        for name, branch, of_kinds in _BRANCHES
        if kinds & of_kinds
    }
    entries = ([(name, told) for told in newest] for name, newest in found.items())
    merged = list(islice(merge(*entries, key=lambda entry: entry[1].at, reverse=True), limit + 1))
    shown = merged[:limit]
    # Where nothing of a branch is on this page, the next one begins with what is its newest now.
    begun = {name: newest[0].id + 1 if newest else 1 for name, newest in found.items()}
    cursor = {**begun, **(before or {}), **{name: told.id for name, told in shown}}
    return Page(_told(session, shown), cursor if len(merged) > limit else None)


_REVIEWED = frozenset({str(Own.VERDICT), str(Own.DECISION)})
_BRANCHES: tuple[tuple[str, db.team.history.Branch, frozenset[str]], ...] = (
    ("verdict", db.team.history.verdicts, _REVIEWED),
    ("comment", db.team.history.comments, frozenset({Own.COMMENT})),
    ("reading", db.team.history.readings, frozenset({Own.READING})),
    ("audit", db.team.history.audits, frozenset({Own.AUDIT})),
    ("request", db.team.history.requests, frozenset({Own.QUEUED})),
    ("relevance", db.team.history.relevance, frozenset({Own.RELEVANCE})),
    ("related", db.team.history.related, frozenset({Own.RELATED})),
    ("setting", db.team.history.settings, frozenset({Noted.SETTINGS})),
    ("promotion", db.team.history.promotions, frozenset({Own.PROMOTION, Own.ROLLBACK})),
    ("job", db.team.history.jobs, frozenset({Own.TRAINING, Own.JOB, Noted.IMPORT})),
    ("entry", db.team.history.entries, frozenset(Noted)),
)


def _told(session: Session, found: list[tuple[str, Told]]) -> tuple[Event, ...]:
    articles = db.gold.judgements.articles(
        session, {told.article_id for _, told in found if told.article_id is not None}
    )
    late = given_after_release(session, (told.row for branch, told in found if branch == "verdict"))
    made = []
    for branch, told in found:
        kind, what, source = _WORDS[branch](told.row)
        source += NOT_BLIND if branch == "verdict" and told.id in late else ""
        article = articles.get(told.article_id) if told.article_id is not None else None
        made.append(
            Event(
                time=told.at,
                who=told.who,
                kind=str(kind),
                what=what,
                source=source,
                article=article.key if article else "",
                title=article.title if article else "",
                sentence=told.position,
                article_id=told.article_id,
                sentence_id=getattr(told.row, "sentence_id", None),
                id=told.id,
            )
        )
    return tuple(made)


def _verdict_words(row: Any) -> tuple[str, str, str]:
    kind = Own.DECISION if row.role == VerdictRole.ADJUDICATOR else Own.VERDICT
    what = VERDICTS.get(row.value, row.value)
    named = "; ".join(filter(None, (row.labels or {}).values()))
    return kind, f"{what}, of {named}" if named else what, _shown(row.origin, row)


def _shown(how: str, row: Any) -> str:
    parts = [
        how,
        f"rank {row.rank}" if row.rank is not None else "",
        f"cosine {row.cosine:.3f}" if row.cosine is not None else "",
        row.ranking or "",
        row.version or "",
    ]
    return ", ".join(filter(None, parts))


def _comment_words(row: Any) -> tuple[str, str, str]:
    return Own.COMMENT, row.text or "taken back", "" if row.sentence_id else "on the article"


def _reading_words(row: Any) -> tuple[str, str, str]:
    return Own.READING, f"read in full: {row.sentence_count} sentences" if row.in_full else "not read in full", ""


def _audit_words(row: Any) -> tuple[str, str, str]:
    return Own.AUDIT, f"the prediction is {row.value}" if row.value else "taken back", _shown("predicted", row)


def _request_words(asked: Any) -> tuple[str, str, str]:
    row, person = asked
    if row.assigned_by:
        return Own.QUEUED, f"assigned to {person}" if row.wanted else f"no longer assigned to {person}", row.reason
    whose = "everybody's queue" if row.for_all else "their queue"
    return Own.QUEUED, f"put into {whose}" if row.wanted else f"taken out of {whose}", row.reason


def _relevance_words(row: Any) -> tuple[str, str, str]:
    said, question = row
    words = {1: "relevant", 0: "not relevant", None: "taken back"}[said.grade]
    return Own.RELEVANCE, f"{said.article_key}: {words}", f"asked for: {question}"


def _related_words(row: Any) -> tuple[str, str, str]:
    words = {True: "related", False: "not related", None: "taken back"}[row.related]
    return Own.RELATED, f"{row.work}: {words}", f"suggested for {row.asked}"


def _setting_words(row: Any) -> tuple[str, str, str]:
    return Noted.SETTINGS, f"{row.name}: {json.dumps(row.content, ensure_ascii=False)}", ""


def _promotion_words(row: Any) -> tuple[str, str, str]:
    promotion, version = row
    kind = Own.ROLLBACK if promotion.reason.startswith(db.registry.ROLLED_BACK) else Own.PROMOTION
    serves = kinds.KINDS[Kind(promotion.kind)].serves
    return kind, f"{version or 'no version'} {serves}: {promotion.reason}", ""


def _job_words(row: Any) -> tuple[str, str, str]:
    kind = db.team.history.JOBS_TOLD_AS.get(row.kind, Own.JOB)
    state = counted(row.counts or {}) if (row.kind, row.state) == ("import", JobState.DONE) else row.state
    return kind, f"{row.kind}: {state}" + (f" ({row.error})" if row.error else ""), row.host or ""


def _entry_words(row: Any) -> tuple[str, str, str]:
    return row.kind, row.summary, ""


_WORDS = {
    "verdict": _verdict_words,
    "comment": _comment_words,
    "reading": _reading_words,
    "audit": _audit_words,
    "request": _request_words,
    "relevance": _relevance_words,
    "related": _related_words,
    "setting": _setting_words,
    "promotion": _promotion_words,
    "job": _job_words,
    "entry": _entry_words,
}


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
