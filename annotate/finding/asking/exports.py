"""The results of a question as files for other programs: TREC run and qrels, CSV, RIS; reads qrels."""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import rispy

import db.finding.found_articles
import db.finding.questions
import db.review.verdicts
import db.rows
from annotate.articles.citations import IDENTIFIERS
from annotate.articles.parsing.identifiers import as_pmid
from annotate.articles.sentences import sentence_texts
from annotate.articles.table_files import csv_text
from annotate.finding.asking.answers import answered
from annotate.finding.asking.saved import MAX_KEY, demand_own, judged, kept
from annotate.finding.find import Found
from annotate.finding.judged.judged_files import read_judgements, run_file, word
from annotate.finding.question import Matcher
from annotate.finding.stored_sentences import key_sentences
from annotate.project.acting import own_name
from annotate.project.files.packed_lines import UnreadableFile
from annotate.project.home import read, write
from annotate.project.rights import Right
from db.base import utc_now
from db.finding.questions import UNSURE
from db.tables import Relevance

MAX_BYTES = 50_000_000
MAX_GRADE = 4
_COLUMNS = ("rank", "key", "pmid", "pmcid", "doi", "title", "journal", "year", "score", "relevant", "sentence")


@dataclass(frozen=True, slots=True)
class Row:
    """One result as a file has it, best first. `relevant` is the grade that was given; None where nothing was said,
    UNSURE where that was said. `rank` is its place among all that is found; None of a judged article that is not."""

    key: str
    title: str
    score: float
    journal: str = ""
    year: int | None = None
    pmid: str = ""
    pmcid: str = ""
    doi: str = ""
    abstract: str = ""
    sentence: str = ""
    relevant: int | None = None
    rank: int | None = None


def qrels_file(topic: str, grades: Mapping[str, int]) -> str:
    """What was said as trec_eval reads judgements: topic, 0, key, grade."""
    return "".join(f"{word(topic)} 0 {word(key)} {grade}\n" for key, grade in grades.items())


def csv_file(rows: Sequence[Row]) -> str:
    """The results as a table; a text that a spreadsheet may take for a formula begins with an apostrophe."""
    words = {None: "", UNSURE: "unsure", 0: "no"}
    cells = (
        (
            *(row.rank or "", row.key, row.pmid, row.pmcid, row.doi, row.title, row.journal, row.year or ""),
            *(f"{row.score:.6f}", words.get(row.relevant, "yes"), row.sentence),
        )
        for row in rows
    )
    return csv_text(_COLUMNS, cells)


def ris_file(rows: Sequence[Row]) -> str:
    """The results as reference managers and screening programs read them."""
    return str(rispy.dumps([_reference(row) for row in rows]))


def _reference(row: Row) -> dict[str, Any]:
    named = {
        "title": _line(row.title),
        "year": str(row.year or ""),
        "journal_name": _line(row.journal),
        "doi": row.doi,
        "accession_number": row.pmid,
        "name_of_database": "PubMed" if row.pmid else "",
        "custom2": row.pmcid,
        "abstract": _line(row.abstract),
        "notes": [_line(row.sentence)] if row.sentence else [],
        "urls": [f"https://pubmed.ncbi.nlm.nih.gov/{row.pmid}/"] if row.pmid else [],
    }
    return {"type_of_reference": "JOUR"} | {name: value for name, value in named.items() if value}


def _line(text: str) -> str:
    """A text on one line: a tag of the format could begin on the next."""
    return " ".join(text.split())


FILES: dict[str, Callable[[str, Sequence[Row]], str]] = {
    "run": lambda topic, rows: run_file({topic: {row.key: row.score for row in rows}}),
    "qrels": lambda topic, rows: qrels_file(
        topic, {r.key: r.relevant for r in rows if r.relevant is not None and r.relevant != UNSURE}
    ),
    "csv": lambda topic, rows: csv_file(rows),
    "ris": lambda topic, rows: ris_file(rows),
    "relevant": lambda topic, rows: ris_file([row for row in rows if row.relevant]),  # or unsure
}
_FOUND_ONLY = ("run", "ris")  # the others have all that was judged, too


class Imported(NamedTuple):
    """How many judgements were new, and how many articles of the file are not here."""

    new: int
    not_here: int


def import_qrels(path: Path, annotator: str, question_id: int, topic: str | None = None) -> Imported:
    """Stores the judgements of a TREC qrels file as what this person says for a question.

    A key is a stored article's or a PMID. A file's judgement of an article counts once, even if it names the article
    in several ways. One that was imported before is not stored again, even if another was said since.
    Raises UnreadableFile, also where an article has two grades. Raises ValueError where the file has several topics and
    none is named, and NotYours for the question of another person.
    """
    grades = read_qrels(path, topic)
    with write(Right.REVIEW) as session:
        demand_own(session, question_id, own_name(annotator))
        number = db.review.verdicts.annotator_id(session, annotator)
        known = db.finding.questions.keys_of_pmids(session, [pmid for key in grades if (pmid := as_pmid(key))])
        grades_now = {
            each.key: each.grade for each in db.finding.questions.current_relevance(session, question_id, annotator)
        }
        named: dict[str, int] = {}
        for given, grade in grades.items():
            # A PMID of no stored article gets the key that the article would have.
            key = known.get(pmid, f"pmid:{pmid}") if (pmid := as_pmid(given)) else given
            if named.setdefault(key, grade) != grade:
                raise UnreadableFile(f"{path.name}: {key} has two grades, once as {given}")
        rows = [
            {
                "event_id": hashlib.sha256(f"{question_id} {number} {key} {grade}".encode()).hexdigest(),
                "question_id": question_id,
                "annotator_id": number,
                "article_key": key,
                "grade": grade,
                "given_at": utc_now(),
            }
            for key, grade in named.items()
            if grades_now.get(key) != grade
        ]
        here = db.finding.questions.facts(session, named)
        return Imported(db.rows.add_new(session, Relevance, rows), len(named) - len(here))


def read_qrels(path: Path, topic: str | None = None) -> dict[str, int]:
    """Grades by key of a file of judgements, packed as .gz or not; what is below 0 counts as 0."""
    by_topic = read_judgements(path, most_bytes=MAX_BYTES)
    if topic is not None:
        by_topic = {name: grades for name, grades in by_topic.items() if name == topic}
    if len(by_topic) > 1:
        raise ValueError(
            f"{path.name} has judgements of {len(by_topic)} topics: name one of {', '.join([*by_topic][:10])}"
        )
    grades = next(iter(by_topic.values()), {})
    for key, grade in grades.items():
        if grade > MAX_GRADE:
            raise UnreadableFile(f"{path.name}: the grade {grade} of {key[:50]} is above {MAX_GRADE}")
        if len(key) > MAX_KEY or not key.isprintable():
            raise UnreadableFile(f"{path.name}: {key[:50]!r} is no key of an article")
    return {key: max(0, grade) for key, grade in grades.items()}


LONGEST = 400  # characters of a sentence on the page


def sentences_of(found: Sequence[Found], matcher: Matcher) -> dict[str, str]:
    """A sentence by key: the best serving proposal, else the first of the abstract in which most facets stand."""
    proposed = key_sentences([each.article_id for each in found if each.article_id is not None])
    chosen = {}
    for each in found:
        text = proposed.get(each.article_id or 0) or matched_sentence(each.document.text, matcher)
        chosen[each.key] = text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"
    return chosen


def matched_sentence(text: str, matcher: Matcher) -> str:
    """The first sentence of a text in which most facets stand; "" of a text without any sentence."""
    sentences = sentence_texts(text)
    return max(sentences, key=lambda sentence: len(matcher.names_in(sentence)), default="")


MOST = 1_000


def file_of(kind: str, question_id: int, reviewer: str, most: int = MOST) -> str:
    """The results of a question of this person, or one that is shared, as run, qrels, csv or ris.

    Raises ValueError for another kind, NotYours for the question of another.
    """
    if kind not in FILES:
        raise ValueError(f"{kind!r} is no kind of file; there are {', '.join(FILES)}")
    with read() as session:
        question = kept(session, question_id, reviewer)
        judgements = judged(session, question_id, reviewer)
    answer = answered(question.asked)
    places = {key: place for place, key in enumerate(answer.keys, start=1)}
    keys = list(places)[:most]
    if kind not in _FOUND_ONLY:
        keys += [key for key in judgements if key not in set(keys)]
    found = answer.found(keys)
    with read() as session:
        articles = {each.key: each for each in db.finding.found_articles.by_keys(session, keys)}
    sentences = sentences_of(found, Matcher(question.asked.question))
    rows = []
    for each in found:
        article, document = articles.get(each.key), each.document
        rows.append(
            Row(
                each.key,
                document.title,
                each.score,
                journal=document.journal,
                year=document.year,
                **{name: (article and getattr(article, name)) or "" for name in IDENTIFIERS},
                abstract=document.text,
                sentence=sentences.get(each.key, ""),
                relevant=judgements[each.key].grade if each.key in judgements else None,
                rank=places.get(each.key),
            )
        )
    if kind == "qrels":  # judgements of articles that are not here belong to it, too
        here = {row.key for row in rows}
        rows += [Row(key, "", 0.0, relevant=one.grade) for key, one in judgements.items() if key not in here]
    return FILES[kind](str(question_id), rows)
