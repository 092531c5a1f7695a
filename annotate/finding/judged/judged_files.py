"""Judged collections: documents and questions as JSON lines or TREC topics, judgements and runs as tables.

All may be compressed by gzip. Raises UnreadableFile, which names the file, the line and the reason.
"""

from collections.abc import Mapping
from math import inf, isfinite, nan
from pathlib import Path
from typing import Any

from lxml import etree

from annotate.finding.library import Document
from annotate.finding.question import Facet, Question
from annotate.project.files.labelled_files import NOT_GIVEN, Key, Text, Texts, Year, columns_of, labelled_rows
from annotate.project.files.packed_lines import MOST_BYTES, UnreadableFile, text_lines

MOST_GRADE = 1_000_000  # gains are sums of grades
_TREC_SECOND = {"0", "Q0"}


def read_documents(path: Path) -> list[Document]:
    """Documents: JSON lines with `id`, `title` or `text` or both (empty or not); perhaps `mesh`, `year`, `journal`."""
    return labelled_rows(path, _document, rows="documents", key=lambda document: document.key)


def _document(
    id: Key, title: Text = NOT_GIVEN, text: Text = NOT_GIVEN, mesh: Texts = (), year: Year = None, journal: Text = ""
) -> Document:
    if title is NOT_GIVEN and text is NOT_GIVEN:  # empty ones there are: records of which nothing more is known
        raise ValueError("neither title nor text")
    return Document(id, title or "", text or "", mesh, year, journal)


def read_questions(path: Path) -> dict[str, Question]:
    """Questions by id: JSON lines with `id`, a `text` or facets by name or both; or the topics of TREC (.xml)."""
    if path.name.removesuffix(".gz").endswith(".xml"):
        return _topics(path)
    return dict(labelled_rows(path, _question, rows="questions", key=lambda each: each[0]))


def _question(id: Key, text: Text = "", **others: Any) -> tuple[str, Question]:
    """Every other field with a text, or a list of texts, is a facet; `split` and `licence` say nothing to look for."""
    facets = {
        name: _facet(name, "" if value is None else value)
        for name, value in others.items()
        if name not in ("split", "licence")
    }
    question = Question(text, {name: found for name, found in facets.items() if found})
    if not question.asked:
        raise ValueError("neither text nor facets")
    return id, question


def _facet(name: str, value: Any) -> tuple[Facet, ...]:
    """The first of a list is what was asked for, the others are its synonyms."""
    names = value if isinstance(value, list) else [value]
    if not all(isinstance(each, str) for each in names):
        raise ValueError(f"{name} is no text")
    first, *others = [each.strip() for each in names if each.strip()] or [""]
    return (Facet(first, tuple(others)),) if first else ()


def _topics(path: Path) -> dict[str, Question]:
    """TREC's topics: each part of a topic (disease, gene, treatment, ...) is a facet."""
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False)
    try:
        root = etree.fromstring("\n".join(line for _, line in text_lines(path)).encode(), parser)
    except etree.XMLSyntaxError as error:
        raise UnreadableFile(f"{path.name}, line {error.lineno}: no XML that can be read: {error.msg}") from None
    found: dict[str, Question] = {}
    for topic in root.iter("topic"):
        number = topic.get("number") or topic.get("id") or ""
        texts = {part.tag: " ".join("".join(part.itertext()).split()) for part in topic if isinstance(part.tag, str)}
        question = Question(facets={name: (Facet(text),) for name, text in texts.items() if text})
        if not number or not question.asked:
            raise UnreadableFile(f"{path.name}, line {topic.sourceline}: a topic without a number or without any words")
        if found.setdefault(number, question) is not question:
            raise UnreadableFile(f"{path.name}, line {topic.sourceline}: the id {number} stands above already")
    if not found:
        raise UnreadableFile(f"{path.name} holds no questions")
    return found


def read_judgements(path: Path, *, most_bytes: int = MOST_BYTES) -> dict[str, dict[str, int]]:
    """Grades by question and document: `question, document, grade` apart by tabs, or TREC's four columns."""
    rows = list(columns_of(path, least=3, most_bytes=most_bytes))
    trec = all(row[1] in _TREC_SECOND for _, row in rows)
    if trec and (short := [number for number, row in rows if len(row) < 4]):
        raise UnreadableFile(f"{path.name}, line {short[0]}: needs four columns (topic, 0, key, grade)")
    found: dict[str, dict[str, int]] = {}
    for number, row in rows:
        question, document, grade = (row[0], row[2], row[3]) if trec else (row[0], row[1], row[2])
        given = found.setdefault(question, {})
        if document in given and given[document] != _whole(path, number, grade):
            raise UnreadableFile(f"{path.name}, line {number}: {document} has two grades for question {question}")
        given[document] = _whole(path, number, grade)
    return found


def read_run(path: Path) -> dict[str, dict[str, float]]:
    """Scores by question and document from a run of TREC, `question Q0 document rank score name`."""
    found: dict[str, dict[str, float]] = {}
    for number, row in columns_of(path, least=6):
        try:
            score = float(row[4])
        except ValueError:
            score = nan
        if not isfinite(score):
            raise UnreadableFile(f"{path.name}, line {number}: {row[4][:50]!r} is no score")
        found.setdefault(row[0], {})[row[2]] = score
    return found


def run_file(scores: Mapping[str, Mapping[str, float]]) -> str:
    """A run of TREC, documents best first. The scores of a question fall strictly with the rank: every reader of the
    run finds this order, even with another rule for ties."""
    lines = []
    for question, own in scores.items():
        last = inf
        for rank, (key, score) in enumerate(own.items(), start=1):
            last = min(score, last - 1e-9)
            lines.append(f"{word(question)} Q0 {word(key)} {rank} {last:.9f} keyline\n")
    return "".join(lines)


def word(text: str) -> str:
    """A text without blanks, which part the columns."""
    return "_".join(text.split()) or "_"


def _whole(path: Path, number: int, text: str) -> int:
    try:
        value = int(text)
    except ValueError:
        raise UnreadableFile(f"{path.name}, line {number}: {text[:50]!r} is no whole number") from None
    if abs(value) > MOST_GRADE:
        raise UnreadableFile(f"{path.name}, line {number}: the grade {text[:50]} is beyond {MOST_GRADE:,}")
    return value
