"""Writes a pool of articles and what experts did with them straight into the tables, thousands in seconds."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import insert

from annotate.project.home import read, write
from annotate.project.rights import Right
from db import tables
from db.base import insert_or, number_on, stamp
from db.tables import Assignment
from tests.support.making import query, version_without_weights

START = datetime(2025, 1, 6, 8, tzinfo=UTC)


def minute(number: float) -> str:
    """A time as rows hold it, so many minutes after the beginning."""
    return stamp(START + timedelta(minutes=number))


@dataclass(frozen=True)
class Review:
    """An article in an expert's hands from `begins` to `ends`, in minutes; key and other are sentence positions."""

    article_id: int
    begins: float
    ends: float | None
    key: Sequence[int] = ()
    other: Sequence[int] = ()
    annotator: str = "Anna"
    strategy: str = "score"
    waiting: int = 0
    at_random: bool = False
    with_proposals: bool = True
    in_full: bool = False
    ending: str | None = "finished"
    said: float | None = None  # when the verdicts were stored; half way if not given


def write_pool(number: int, sentences: int, proposals: Sequence[Sequence[int]], *, at: float = -60) -> None:
    """That many articles after those that are there, each with so many sentences; proposals are positions by rank."""
    before = query("SELECT count(*) FROM article")[0][0]
    version_id = version_without_weights("v").id if not before else 1
    ids = range(before + 1, before + number + 1)
    words = "Here is a sentence. "
    articles = [
        {"id": i, "key": f"pmid:{i}", "pmid": str(i), "title": f"Article {i}", "split": "train", "source": "made"}
        | {"full_text": True, "sentence_count": sentences, "warnings": [], "imported_at": minute(at)}
        for i in ids
    ]
    sections = [{"id": i, "article_id": i, "position": 0, "depth": 0, "kind": "body", "title": "Results"} for i in ids]
    text = words * sentences
    paragraphs = [
        {"id": i, "article_id": i, "section_id": i, "position": 0, "kind": "text", "text": text, "marks": []}
        for i in ids
    ]
    spans = [
        {"id": sentence_id(i, p, sentences), "article_id": i, "paragraph_id": i, "position": p}
        | {"start": p * len(words), "end": (p + 1) * len(words) - 1}
        for i in ids
        for p in range(sentences)
    ]
    sets = [
        {"id": i, "article_id": i, "version_id": version_id, "ranking": "hybrid", "query": "", "k": len(positions)}
        | {"created_at": minute(at)}
        for i, positions in zip(ids, proposals, strict=True)
    ]
    ranked = [
        {"set_id": i, "rank": rank, "sentence_id": sentence_id(i, p, sentences), "score": -rank, "cosine": 0.5}
        for i, positions in zip(ids, proposals, strict=True)
        for rank, p in enumerate(positions, start=1)
    ]
    with write(Right.SYSTEM) as session:
        for table, rows in (
            (tables.Article, articles),
            (tables.Section, sections),
            (tables.Paragraph, paragraphs),
            (tables.Sentence, spans),
            (tables.ProposalSet, sets),
            (tables.Proposal, ranked),
        ):
            if rows:
                session.execute(insert(table), rows)
        number_on(session, tables.Article, tables.Section, tables.Paragraph, tables.Sentence, tables.ProposalSet)


def sentence_id(article_id: int, position: int, sentences: int) -> int:
    """The id of a sentence of the pool, all of whose articles have equally many."""
    return (article_id - 1) * sentences + position + 1


def write_reviews(reviews: Sequence[Review]) -> None:
    """The assignments in this order, with their verdicts and readings."""
    sentences = query("SELECT max(sentence_count) FROM article")[0][0]
    shown = set(query("SELECT p.set_id, p.sentence_id FROM proposal p"))
    with read() as session:
        known = {row.name: row.id for row in session.query(tables.Annotator)}
    for name in dict.fromkeys(review.annotator for review in reviews):
        known.setdefault(name, len(known) + 1)
    offset = query("SELECT coalesce(max(id), 0) FROM verdict")[0][0]
    assignments: list[dict[str, Any]] = []
    verdicts: list[dict[str, Any]] = []
    readings: list[dict[str, Any]] = []
    for review in reviews:
        said = review.said if review.said is not None else (review.begins + (review.ends or review.begins)) / 2
        event = {"annotator_id": known[review.annotator], "article_id": review.article_id}
        event |= {"given_at": minute(said), "stored_at": minute(said)}
        assignments.append(
            {"article_id": review.article_id, "annotator_id": known[review.annotator], "strategy": review.strategy}
            | {"reason": "made", "waiting": review.waiting, "at_random": review.at_random}
            | {"with_proposals": review.with_proposals, "created_at": minute(review.begins)}
            | {"leased_until": minute(review.begins + 30), "ending": review.ending if review.ends else None}
            | {"ended_at": None if review.ends is None else minute(review.ends)}
        )
        for value, positions in (("accept", review.key), ("reject", review.other)):
            for position in positions:
                number = sentence_id(review.article_id, position, sentences)
                proposed = review.with_proposals and (review.article_id, number) in shown
                verdicts.append(
                    {"event_id": f"made-verdict-{offset + len(verdicts)}", "sentence_id": number, "value": value}
                    | {"origin": "proposed" if proposed else "added", **event}
                )
        if review.in_full:
            readings.append(
                {"event_id": f"made-reading-{offset}-{len(readings)}", "in_full": True, "sentence_count": sentences}
                | event
            )
    with write(Right.SYSTEM) as session:
        names = [{"id": number, "name": name} for name, number in known.items()]
        session.execute(insert_or(session, tables.Annotator).on_conflict_do_nothing(), names)
        number_on(session, tables.Annotator)
        for table, rows in ((Assignment, assignments), (tables.Verdict, verdicts), (tables.Reading, readings)):
            if rows:
                session.execute(insert(table), rows)
