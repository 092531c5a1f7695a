"""Gold files in: each row matched to its sentence and stored as verdicts; what matches nothing is reported."""

import uuid
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sqlalchemy.orm import Session

import db.articles
import db.verdicts
from annotate.home import write
from annotate.labels import IDENTIFIERS
from annotate.matching import ArticleText, Match
from annotate.tabular import REPORTED_LINES, BadTable, normal_identifiers, read_table
from annotate.verdicts import MAX_COMMENT, Origin, Value, clean_name
from db import tables
from db.tables import utc_now

VALUES = {
    "1": Value.ACCEPT, "true": Value.ACCEPT, "yes": Value.ACCEPT, "key": Value.ACCEPT, "accept": Value.ACCEPT,
    "0": Value.REJECT, "false": Value.REJECT, "no": Value.REJECT, "reject": Value.REJECT,
    "unsure": Value.UNSURE, "disputed": Value.UNSURE,
}  # fmt: skip
DEFAULT_ANNOTATOR = "gold"
# Articles whose sentences are held for matching at once; a file sorted by article needs no more.
KEPT_ARTICLES = 8


@dataclass
class GoldReport:
    """Rows by way of matching, verdicts stored, and (line, reason) of rows that matched nothing."""

    rows: int = 0
    matched: Counter[str] = field(default_factory=Counter)
    verdicts: int = 0
    failures: list[tuple[int, str]] = field(default_factory=list)

    def as_dict(self) -> dict[str, Any]:
        """The report as JSON-able values."""
        return {
            "rows": self.rows,
            "matched": sum(self.matched.values()),
            "by_method": dict(self.matched),
            "verdicts": self.verdicts,
            "failures": [list(entry) for entry in self.failures],
        }


@dataclass(frozen=True, slots=True)
class _Given:
    """One annotator's verdict on a row, and their comment."""

    annotator: str
    value: Value
    comment: str


def import_gold(path: Path, annotator: str = DEFAULT_ANNOTATOR) -> GoldReport:
    """Stores the verdicts of a gold file (CSV, JSON lines, XLSX), ours or another's, in one transaction.

    Needs a column sentence and one of pmid, pmcid, doi; without a label column every row is a key sentence.
    Importing a file again changes nothing. Raises BadTable where the file cannot be used as it is.
    """
    rows = read_table(path, needs=[IDENTIFIERS, ("sentence",)])
    given = {line: list(_given(row, annotator)) for line, row in _checked(path, rows)}
    report = GoldReport(rows=len(rows))
    with write() as session:
        importer = _Importer(session, report)
        for line, row in rows:
            importer.add(line, row, given[line])
        importer.store()
    return report


def _checked(path: Path, rows: list[tuple[int, dict[str, str]]]) -> list[tuple[int, dict[str, str]]]:
    """The rows, once every label, verdict and name in them is a known one. Raises BadTable that lists the lines."""
    wrong = []
    for line, row in rows:
        label = row.get("label", "1").strip().lower()
        if label not in VALUES:
            wrong.append(f"line {line}: label {label[:20]!r} is none of 1, 0, unsure, disputed")
        for name, value in _verdict_pairs(row):
            try:
                clean_name(name)
                Value(value)
            except ValueError as error:
                wrong.append(f"line {line}: verdict {name[:20]!r}: {error}")
    if wrong:
        raise BadTable(f"{path.name}: {'; '.join(wrong[:REPORTED_LINES])}")
    return rows


def _verdict_pairs(row: dict[str, str]) -> list[tuple[str, str]]:
    pairs = [part.partition(":") for part in row.get("verdicts", "").split(";") if part.strip()]
    return [(name.strip(), value.strip()) for name, _, value in pairs]


def _given(row: dict[str, str], annotator: str) -> Iterator[_Given]:
    """The verdicts of a row: those of our own export by name, else the label as one annotator's."""
    pairs = _verdict_pairs(row)
    comment = row.get("comment", "").strip()[:MAX_COMMENT]
    if not pairs:
        yield _Given(annotator, VALUES[row.get("label", "1").strip().lower()], comment)
        return
    comments = _comments_by_name(comment, [name for name, _ in pairs])
    for name, value in pairs:
        yield _Given(clean_name(name), Value(value), comments.get(name, ""))


def _comments_by_name(comment: str, names: list[str]) -> dict[str, str]:
    """Splits "Anna: text, maybe of several lines" at the lines that begin with a known name."""
    found: dict[str, str] = {}
    current = None
    for line in comment.split("\n"):
        name, _, text = line.partition(": ")
        if name in names and name not in found:
            current, found[name] = name, text
        elif current is not None:
            found[current] += "\n" + line
    return found


class _Importer:
    """Matches rows and collects the rows to store, comparing with what each annotator said last."""

    def __init__(self, session: Session, report: GoldReport) -> None:
        self.session = session
        self.report = report
        self.texts: dict[int, tuple[ArticleText, list[int]]] = {}
        self.current: dict[tuple[int, int], tables.Verdict] = {}
        self.comments: dict[tuple[int, int | None], str] = {}
        self.verdict_rows: list[dict[str, Any]] = []
        self.comment_rows: list[dict[str, Any]] = []
        self.read: dict[tuple[int, str], str] = {}
        self.loaded: set[int] = set()

    def add(self, line: int, row: dict[str, str], given: list[_Given]) -> None:
        """Matches one row; an unmatched one goes to the report."""
        identifiers = normal_identifiers(row)
        article_id = db.articles.find_by_name(self.session, **identifiers)
        if article_id is None:
            shown = " ".join(filter(None, identifiers.values())) or "no identifier"
            self.report.failures.append((line, f"no such article: {shown}"))
            return
        text, ids = self._text(article_id)
        hint = row.get("sentence_index", "").strip()
        match = text.match(row["sentence"], int(hint) if hint.isdecimal() else None)
        if match is None:
            self.report.failures.append((line, f"no sentence of the article is like: {row['sentence'].strip()[:80]!r}"))
            return
        self.report.matched[match.method] += 1
        for position in match.positions:
            for verdict in given:
                self._verdict(article_id, ids[position], row, verdict, match)
        for name in filter(None, map(str.strip, row.get("read_in_full_by", "").split(";"))):
            self.read[article_id, clean_name(name)] = row.get("time", "") or utc_now()

    def store(self) -> None:
        """Inserts all that was collected."""
        self.report.verdicts = db.verdicts.add_once(self.session, tables.Verdict, self.verdict_rows)
        db.verdicts.add_once(self.session, tables.Comment, self.comment_rows)
        for (article_id, name), given_at in self.read.items():
            article = db.articles.article(self.session, article_id)
            if article is None or (article_id, name) in db.verdicts.read_in_full(self.session, article_id=article_id):
                continue
            row = {"in_full": True, "sentence_count": article.sentence_count}
            db.verdicts.add_once(self.session, tables.Reading, [row | self._event(article_id, name, given_at)])

    def _event(self, article_id: int, annotator: str, given_at: str) -> dict[str, Any]:
        return {
            "event_id": uuid.uuid4().hex,
            "annotator_id": db.verdicts.annotator_id(self.session, annotator),
            "article_id": article_id,
            "given_at": given_at or utc_now(),
        }

    def _text(self, article_id: int) -> tuple[ArticleText, list[int]]:
        if article_id not in self.texts:
            if len(self.texts) >= KEPT_ARTICLES:
                self.texts.pop(next(iter(self.texts)))
            sentences = db.articles.sentences(self.session, [article_id])
            self.texts[article_id] = ArticleText([s.text for s in sentences]), [s.id for s in sentences]
        if article_id not in self.loaded:
            self.loaded.add(article_id)
            for verdict, _, _ in db.verdicts.current_verdicts(self.session, article_id=article_id):
                self.current[verdict.annotator_id, verdict.sentence_id] = verdict
            for comment, _ in db.verdicts.current_comments(self.session, article_id=article_id):
                self.comments[comment.annotator_id, comment.sentence_id] = comment.text
        return self.texts[article_id]

    def _verdict(self, article_id: int, sentence_id: int, row: dict[str, str], given: _Given, match: Match) -> None:
        event = self._event(article_id, given.annotator, row.get("time", ""))
        key = event["annotator_id"], sentence_id
        values = {"value": str(given.value), "sentence_id": sentence_id, **_explained(row)}
        known = self.current.get(key)
        if known is None or any(getattr(known, name) != value for name, value in values.items()):
            self.verdict_rows.append(event | values)
            self.current[key] = tables.Verdict(**values)
        if given.comment and self.comments.get(key) != given.comment:
            self.comments[key] = given.comment
            comment = {"sentence_id": sentence_id, "text": given.comment, "event_id": uuid.uuid4().hex}
            self.comment_rows.append(event | comment)


def _explained(row: dict[str, str]) -> dict[str, Any]:
    """What the row says of how the sentence came up, and what it is about; absent cells are None."""
    origin = row.get("origin", "").strip()
    return {
        "origin": origin if origin in set(Origin) else str(Origin.IMPORTED),
        "rank": _number(row.get("rank", ""), int),
        "cosine": _number(row.get("cosine", ""), float),
        "ranking": row.get("ranking") or None,
        "version": row.get("model_version") or None,
        "genes": row.get("genes"),
        "cells": row.get("cells"),
        "edit": row.get("edit"),
    }


def _number(text: str, kind: type) -> Any:
    try:
        return kind(text)
    except ValueError:
        return None
