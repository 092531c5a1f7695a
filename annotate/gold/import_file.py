"""Gold files in: each row matched to its sentence and stored as verdicts; what matches nothing is reported."""

import uuid
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sqlalchemy.orm import Session

import db.articles
import db.review.verdicts
import db.rows
from annotate.articles.citations import IDENTIFIERS
from annotate.articles.document_labels import KEY, articles_named, labels_of
from annotate.articles.import_report import stays_removed
from annotate.articles.parsing.entry import show_name
from annotate.articles.table_files import read_table
from annotate.gold.file_rows import (
    FileRow,
    decision_changed,
    explained,
    label_changed,
    labels_given,
    number_of,
    readings_next_to,
    time_of,
    understood,
)
from annotate.gold.matching import ArticleText, Method, fold, quoted, squeeze
from annotate.gold.rows import comment_cell, mentioned
from annotate.project.acting import demand
from annotate.project.home import look_up, read, write
from annotate.project.names import Spelling
from annotate.project.notes import Noted, note
from annotate.project.rights import Right
from annotate.project.words import count_of
from annotate.review.events import MAX_COMMENT
from annotate.topics.project_topic import topic_now
from db import tables
from db.articles import SentenceText
from db.base import grouped, utc_now
from db.values import Value, VerdictRole

# Parts of a sentence say together the first of these that one of them says.
_STRONGEST = (Value.ACCEPT, Value.UNSURE, Value.REJECT, Value.WITHDRAWN)
_WORDS = {Value.ACCEPT: "key", Value.REJECT: "not key", Value.UNSURE: "unsure", Value.WITHDRAWN: "withdrawn"}
# The line of one row, the line of a later one, and what they say, in words.
Contradiction = tuple[int, int, str]


@dataclass(frozen=True, slots=True)
class MatchedRow:
    """A row, how it was found, and the sentences that it stands for."""

    row: FileRow
    article_id: int
    method: Method
    sentences: tuple[SentenceText, ...]

    def holds(self, sentence: SentenceText) -> bool:
        """Whether the row holds all of the sentence, not a part of it."""
        passage = self.row.cells["sentence"]
        if fold(sentence.text) in fold(passage):
            return True
        # Found in spite of wrong characters, it may hold the whole; a row of several may begin or end within one.
        only_one = self.method is Method.FUZZY and len(self.sentences) == 1
        return only_one and len(squeeze(passage)) >= len(squeeze(sentence.text))


@dataclass(frozen=True, slots=True)
class Counting:
    """The rows that count in a file: (row, value) by annotator and sentence id, and of decisions by sentence id.

    `comments` holds the last row and the texts of all rows, one a line, by annotator and sentence id.
    """

    verdicts: dict[tuple[str, int], tuple[MatchedRow, Value]]
    decisions: dict[int, tuple[MatchedRow, Value]]
    comments: dict[tuple[str, int], tuple[MatchedRow, str]]
    contradictions: list[Contradiction]


@dataclass(frozen=True, slots=True)
class _RowOnSentence:
    """What one row says of one sentence."""

    matched: MatchedRow
    sentence: SentenceText
    value: Value


def rows_that_count(matched: Iterable[MatchedRow]) -> Counting:
    """Of rows in the order of lines, those that count: one for each annotator, and each decision, on a sentence.

    Of rows of the whole sentence the last counts, and a part overrules it only by being key. Parts alone are key where
    one is, else unsure where one is. Each row that says something else than the one that counts is a contradiction.
    """
    verdicts: dict[tuple[str, int], list[_RowOnSentence]] = defaultdict(list)
    decisions: dict[int, list[_RowOnSentence]] = defaultdict(list)
    comments: dict[tuple[str, int], dict[str, MatchedRow]] = defaultdict(dict)
    for one in matched:
        for sentence in one.sentences:
            for name, value in one.row.verdicts.items():
                verdicts[name, sentence.id].append(_RowOnSentence(one, sentence, value))
            if one.row.decision:
                decisions[sentence.id].append(_RowOnSentence(one, sentence, one.row.decision[1]))
            for name, text in one.row.comments.items():
                comments[name, sentence.id][text] = one
    contradictions: list[Contradiction] = []
    counting = Counting(
        {key: _counts(rows, key[0], contradictions) for key, rows in verdicts.items()},
        {key: _counts(rows, "decision", contradictions) for key, rows in decisions.items()},
        {key: ([*texts.values()][-1], "\n".join(texts)[:MAX_COMMENT]) for key, texts in comments.items()},
        contradictions,
    )
    contradictions.sort()
    return counting


def _counts(rows: list[_RowOnSentence], who: str, contradictions: list[Contradiction]) -> tuple[MatchedRow, Value]:
    """The row that counts and its value; adds those that say something else to the contradictions."""
    if len(rows) == 1:
        return rows[0].matched, rows[0].value
    wholes = {id(row): row.matched.holds(row.sentence) for row in rows}
    parts = [row for row in rows if not wholes[id(row)]]
    strongest = max(reversed(parts), key=lambda row: -_STRONGEST.index(row.value), default=rows[-1])
    counts = next((row for row in reversed(rows) if wholes[id(row)]), strongest)
    if strongest in parts and strongest.value is Value.ACCEPT is not counts.value:
        counts = strongest
    for row in rows:
        if row.value is not counts.value:
            first, later = sorted((row, counts), key=lambda one: one.matched.row.line)
            whole = wholes[id(row)] + wholes[id(counts)]
            what = ("parts of one sentence", "a part and the whole sentence", "the whole sentence twice")[whole]
            lines = first.matched.row.line, later.matched.row.line
            words = (
                f"{who}: {_WORDS[first.value]} in line {lines[0]}, {_WORDS[later.value]} in line {lines[1]} ({what}), "
                f"taken as {_WORDS[counts.value]}: {quoted(row.sentence.text)}"
            )
            contradictions.append((*lines, words))
    return counts.matched, counts.value


DEFAULT_ANNOTATOR = "gold"


@dataclass
class GoldReport:
    """Rows by way of matching, verdicts stored, and (line, reason) of rows that were not taken.

    `warnings` holds (first line, note) of removed articles: their verdicts are stored, and the gold shows none of them.
    `partly_read` counts readings of articles that have more sentences here than were read.
    `contradictions` holds (line, later line, words) of rows that say different things of one sentence.
    """

    rows: int = 0
    matched: Counter[str] = field(default_factory=Counter)
    verdicts: int = 0
    partly_read: int = 0
    failures: list[tuple[int, str]] = field(default_factory=list)
    warnings: list[tuple[int, str]] = field(default_factory=list)
    contradictions: list[Contradiction] = field(default_factory=list)

    def as_dict(self) -> dict[str, Any]:
        """The report as JSON-able values."""
        return {
            "rows": self.rows,
            "matched": sum(self.matched.values()),
            "by_method": dict(self.matched),
            "verdicts": self.verdicts,
            "partly_read": self.partly_read,
            "failures": [list(entry) for entry in self.failures],
            "warnings": [list(entry) for entry in self.warnings],
            "contradictions": [list(entry) for entry in self.contradictions],
        }


def import_gold(path: Path, annotator: str = DEFAULT_ANNOTATOR, shown: str = "") -> GoldReport:
    """Stores the verdicts of a gold file (CSV, JSON lines, XLSX), ours or another's, in one transaction.

    Needs a column sentence and one of pmid, pmcid, doi, article; without a label column every row is a key sentence.
    Which of several rows of one annotator on one sentence counts is said in `rows_that_count`; those that say something
    else are listed. A verdict, its labels or a comment given later than the row's time stays. So does a statement made
    here that a person read an article in full. Who read an article that had fewer sentences has not read the one here.
    What the column decided_by names an adjudicator for is stored as that person's decision; Forbidden is raised where
    the importing person may not adjudicate.
    A name takes the spelling of a stored annotator who differs in capitals alone, or in how a letter is composed.
    A row whose verdicts, or whose decision here, say another label than its own is a failure, and nothing of it is
    stored.
    Importing a file again changes nothing. The history calls the file `shown`, by default its own name.
    Raises UnreadableFile where the file cannot be used as it is.
    """
    table = read_table(path, needs=[(*IDENTIFIERS, KEY), ("sentence",)])
    spelling = Spelling(look_up(db.review.verdicts.annotators))
    annotator = spelling.of(annotator)
    rows = understood(path, table, annotator, spelling)
    report = GoldReport(rows=len(rows))
    report.failures = [(row.line, reason) for row in rows if (reason := label_changed(row))]
    rows = [row for row in rows if not label_changed(row)]
    with read() as session:  # matching may take seconds, in which reviewers go on writing
        matched = _match(session, rows, report)
    counting = rows_that_count(matched)
    report.contradictions = counting.contradictions
    readings = readings_next_to(path, spelling)
    with write(Right.IMPORT) as session:
        now = _Stored(session, sorted({one.article_id for one in matched}))
        report.verdicts = _store(session, now, counting)
        report.partly_read = _store_readings(session, now, matched, readings)
        file = show_name(shown or path.name)
        counts = f"{count_of(report.verdicts, 'verdict')} of {count_of(report.rows, 'row')}"
        summary = f"imported gold from {file}: {counts}"
        unclear = {"failures": len(report.failures), "contradictions": len(report.contradictions)}
        note(session, Noted.IMPORT, summary, annotator=annotator, **unclear)
    return report


def _match(session: Session, rows: list[FileRow], report: GoldReport) -> list[MatchedRow]:
    """The rows with their sentences, in order of lines; each article is read once. The rest goes to the report."""
    found: list[MatchedRow] = []
    named = articles_named(session, ((row.line, row.cells) for row in rows), report.failures)
    by_article = grouped((named[row.line], row) for row in rows if row.line in named)
    removed = stays_removed(session, by_article)
    report.warnings = [(by_article[number][0].line, f"its article {note}") for number, note in removed.items()]
    for article_id, theirs in by_article.items():
        sentences = db.articles.sentences(session, [article_id])
        text = ArticleText([sentence.text for sentence in sentences])
        decided = (
            db.review.verdicts.current_verdicts(session, article_id=article_id, role=VerdictRole.ADJUDICATOR)
            if any(row.decision for row in theirs)
            else ()
        )
        hinted = [(row.cells["sentence"], number_of(row.cells.get("sentence_index", ""), int)) for row in theirs]
        places = text.places(hinted)
        for row, (passage, hint) in zip(theirs, hinted, strict=True):
            match = text.match(passage, places.get((passage, hint), hint))
            if match is None:
                report.failures.append((row.line, text.why_not(passage)))
                continue
            here = [(name, verdict) for verdict, name, position in decided if position in match.positions]
            if reason := decision_changed(row, here):
                report.failures.append((row.line, reason))
                continue
            report.matched[match.method] += 1
            its_sentences = tuple(sentences[position] for position in match.positions)
            found.append(MatchedRow(row, article_id, match.method, its_sentences))
    report.failures.sort()
    return sorted(found, key=lambda matched: matched.row.line)


def _store(session: Session, now: "_Stored", counting: Counting) -> int:
    """Inserts the new verdicts, decisions and comments; returns the number of verdicts and decisions."""
    added = db.rows.add_new(
        session,
        tables.Verdict,
        [
            now.event(name, one.article_id, time_of(one.row))
            | {"sentence_id": sentence_id, "value": str(value), "labels": labels_given(one.row, now.topic, name)}
            | explained(one.row.cells)
            for (name, sentence_id), (one, value) in counting.verdicts.items()
            if now.is_news(one, name, sentence_id)
        ],
    )
    added += _store_decisions(session, now, counting.decisions)
    db.rows.add_new(
        session,
        tables.Comment,
        [
            now.event(name, one.article_id, time_of(one.row)) | {"sentence_id": sentence_id, "text": text}
            for (name, sentence_id), (one, text) in counting.comments.items()
            if now.is_new_comment(one, name, sentence_id, text)
        ],
    )
    return added


def _store_readings(
    session: Session,
    now: "_Stored",
    matched: list[MatchedRow],
    readings: list[tuple[str, str, int | None]],
) -> int:
    """Inserts who read which article in full, of as many sentences as the file says; returns how many of them read
    fewer than the article has here."""
    ids = {key: article_id for article_id, (key, _) in db.articles.keys_and_splits(session).items()} if readings else {}
    found: dict[tuple[int, str], tuple[str, int | None]] = {
        (ids[key], name): ("", count) for key, name, count in readings if key in ids
    }
    for one in matched:
        count = number_of(one.row.cells.get("article_sentences", ""), int)
        found |= {(one.article_id, name): (time_of(one.row), count) for name in one.row.readers}
    known = db.review.verdicts.answers_on_reading(session)
    stored = db.articles.sentence_counts(session, {article_id for article_id, _ in found})
    rows = []
    for (article_id, name), (given_at, written) in found.items():
        has = stored[article_id]
        # Files of earlier releases do not tell the number: they say nothing new to who has answered.
        count = min(has, known.get((article_id, name), has) if written is None else written)
        if count > known.get((article_id, name), 0):
            rows.append(now.event(name, article_id, given_at) | {"in_full": True, "sentence_count": count})
    db.rows.add_new(session, tables.Reading, rows)
    return sum(row["sentence_count"] < stored[row["article_id"]] for row in rows)


def _store_decisions(session: Session, now: "_Stored", decisions: dict[int, tuple[MatchedRow, Value]]) -> int:
    """Inserts the decisions that differ from those that stand and are not older; returns how many."""
    rows = []
    for sentence_id, (one, _) in decisions.items():
        assert one.row.decision is not None
        name, value = one.row.decision
        known = now.decisions.get(sentence_id)
        if known is None or (known.value != value and _is_no_older(one.row, known)):
            decided = {"sentence_id": sentence_id, "value": str(value), "role": VerdictRole.ADJUDICATOR}
            decided["labels"] = labels_given(one.row, now.topic, None)
            rows.append(now.event(name, one.article_id, time_of(one.row)) | decided | explained(one.row.cells))
    if rows:  # no side door for those who may import but not decide
        demand(session, Right.ADJUDICATE)
    return db.rows.add_new(session, tables.Verdict, rows)


def _is_no_older(row: FileRow, known: tables.Verdict | tables.Comment) -> bool:
    """Whether a row was given after what is known; yes where it has no time."""
    given_at = time_of(row)
    return not given_at or given_at >= known.given_at


class _Stored:
    """What the database knows of some articles before the import: each annotator's latest verdict and comment."""

    def __init__(self, session: Session, article_ids: list[int]) -> None:
        self.session = session
        self.topic = topic_now(session)
        self.annotators: dict[str, int] = {}
        self.now = utc_now()
        self.verdicts: dict[tuple[str, int], tables.Verdict] = {}
        self.decisions: dict[int, tables.Verdict] = {}
        self.comments: dict[tuple[str, int | None], tables.Comment] = {}
        self.comment_cells: dict[int | None, str] = {}
        for article_id in article_ids:
            for verdict, name, _ in db.review.verdicts.current_verdicts(
                session, article_id=article_id, withdrawn=True, role=None
            ):
                if verdict.role == VerdictRole.ADJUDICATOR:
                    self.decisions[verdict.sentence_id] = verdict
                else:
                    self.verdicts[name, verdict.sentence_id] = verdict
            comments = db.review.verdicts.current_comments(session, [article_id], withdrawn=True)
            self.comments |= {(name, comment.sentence_id): comment for comment, name in comments}
            shown = grouped((comment.sentence_id, (name, comment.text)) for comment, name in comments if comment.text)
            self.comment_cells |= {sentence_id: comment_cell(given) for sentence_id, given in shown.items()}

    def event(self, name: str, article_id: int, given_at: str) -> dict[str, Any]:
        """The columns that every kind of event has."""
        if name not in self.annotators:
            self.annotators[name] = db.review.verdicts.annotator_id(self.session, name)
        return {
            "event_id": uuid.uuid4().hex,
            "annotator_id": self.annotators[name],
            "article_id": article_id,
            "given_at": given_at or self.now,
            "stored_at": self.now,  # all rows of a file are of one moment: none of them came after another was known
        }

    def is_news(self, matched: MatchedRow, name: str, sentence_id: int) -> bool:
        """Whether the row's verdict differs from the annotator's latest, or has other labels.

        How a sentence came up (origin, rank, cosine) is no news: the first record of a verdict holds it.
        """
        row, value = matched.row, matched.row.verdicts[name]
        known = self.verdicts.get((name, sentence_id))
        if known is None:
            return value != Value.WITHDRAWN
        if not _is_no_older(row, known):
            return False
        if known.value != value:
            return True
        given = labels_given(row, self.topic, name) or {}
        named = {kind: names for kind, names in given.items() if names}
        # The cells of a row of several verdicts belong to one of them, and the row does not tell which.
        if len(row.verdicts) > 1 or row.decision or not named:
            return False
        labels = labels_of(self.session, [matched.article_id])[matched.article_id]
        sentence = next(sentence for sentence in matched.sentences if sentence.id == sentence_id)
        return named != mentioned(known, sentence.text, labels, self.topic.rules)

    def is_new_comment(self, matched: MatchedRow, name: str, sentence_id: int, text: str) -> bool:
        """Whether the annotator has no comment there, one taken back among them, or an earlier one that differs.

        A cell that an export would write of the comments here is no news, also where one comment quotes another.
        """
        if matched.row.cells.get("comment", "").strip() == self.comment_cells.get(sentence_id):
            return False
        known = self.comments.get((name, sentence_id))
        return known is None or (known.text != text and _is_no_older(matched.row, known))
