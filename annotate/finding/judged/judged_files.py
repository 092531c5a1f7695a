"""Readers of judged collections: documents and questions as JSON lines or TREC topics, judgements and runs as tables.

All may be compressed by gzip. What is wrong with a file is a ValueError that names the file, the line and the reason.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeVar

from lxml import etree

from annotate.finding.library import Document
from annotate.finding.question import Facet, Question
from annotate.project.files.packed_lines import text_lines

# A file of documents is read into memory: 38,000 abstracts are 60 MB.
MOST_BYTES = 2_000_000_000
LONGEST_LINE = 10_000_000
_TREC_SECOND = {"0", "Q0"}
Read = TypeVar("Read")


def read_documents(path: Path) -> list[Document]:
    """Documents: JSON lines with `id`, `title` or `text` or both (empty or not); perhaps `mesh`, `year`, `journal`."""
    return list(_unique(path, json_lines(path, _document), lambda each: each.key, "documents"))


def read_questions(path: Path) -> dict[str, Question]:
    """Questions by id: JSON lines with `id`, a `text` or facets by name or both; or the topics of TREC (.xml)."""
    is_xml = path.name.removesuffix(".gz").endswith(".xml")
    found = _topics(path) if is_xml else list(json_lines(path, _question))
    return dict(_unique(path, found, lambda each: each[0], "questions"))


def read_judgements(path: Path) -> dict[str, dict[str, int]]:
    """Grades by question and document: `question, document, grade` apart by tabs, what follows passed over; or the four
    columns of TREC, `question 0 document grade`."""
    rows = list(_table(path, least=3))
    trec = all(len(row) == 4 and row[1] in _TREC_SECOND for _, row in rows)
    found: dict[str, dict[str, int]] = {}
    for number, row in rows:
        question, document, grade = (row[0], row[2], row[3]) if trec else (row[0], row[1], row[2])
        given = found.setdefault(question, {})
        if document in given and given[document] != _whole(path, number, grade):
            raise ValueError(f"{path.name}, line {number}: {document} has two grades for question {question}")
        given[document] = _whole(path, number, grade)
    return found


def read_run(path: Path) -> dict[str, dict[str, float]]:
    """Scores by question and document from a run of TREC, `question Q0 document rank score name`."""
    found: dict[str, dict[str, float]] = {}
    for number, row in _table(path, least=6):
        try:
            found.setdefault(row[0], {})[row[2]] = float(row[4])
        except ValueError:
            raise ValueError(f"{path.name}, line {number}: {row[4][:50]!r} is no score") from None
    return found


def run_lines(scores: Mapping[str, Mapping[str, float]], name: str = "keyline") -> Iterator[str]:
    """The lines of a run of TREC, documents best first. Scores are written so that no two of a question are equal:
    every reader of the run finds this order, even with another rule for ties."""
    for question, own in scores.items():
        for rank, key in enumerate(own, start=1):
            yield f"{question} Q0 {key} {rank} {len(own) + 1 - rank} {name}"


def _document(line: Mapping[str, Any]) -> Document:
    title, text, journal = (_text(line, name) for name in ("title", "text", "journal"))
    mesh, year = line.get("mesh") or [], line.get("year")
    if isinstance(year, str) and (year.isdecimal() or not year.strip()):
        year = int(year) if year.strip() else None
    if "title" not in line and "text" not in line:  # empty ones there are: records of which nothing more is known
        raise ValueError("neither title nor text")
    if not isinstance(mesh, list) or not all(isinstance(each, str) for each in mesh):
        raise ValueError("mesh is no list of texts")
    if not (year is None or (isinstance(year, int) and not isinstance(year, bool))):
        raise ValueError(f"year is {json.dumps(year)[:50]}; it must be a whole number")
    return Document(_key(line), title, text, tuple(mesh), year, journal)


def _question(line: Mapping[str, Any]) -> tuple[str, Question]:
    """Every other field with a text, or a list of texts, is a facet; `split` and `licence` say nothing to look for."""
    passed = {"id", "text", "split", "licence"}
    facets = {
        name: _facet(name, value) for name, value in line.items() if name not in passed and value not in (None, "")
    }
    question = Question(_text(line, "text"), {name: found for name, found in facets.items() if found})
    if not question.asked:
        raise ValueError("neither text nor facets")
    return _key(line), question


def _facet(name: str, value: Any) -> tuple[Facet, ...]:
    """The first of a list is what was asked for, the others are its synonyms."""
    names = value if isinstance(value, list) else [value]
    if not all(isinstance(each, str) for each in names):
        raise ValueError(f"{name} is no text")
    first, *others = [each.strip() for each in names if each.strip()] or [""]
    return (Facet(first, tuple(others)),) if first else ()


def _key(line: Mapping[str, Any]) -> str:
    key = line.get("id")
    if isinstance(key, bool) or not isinstance(key, str | int) or not str(key).strip():
        raise ValueError("no id")
    return str(key).strip()


def _text(line: Mapping[str, Any], name: str) -> str:
    found = line.get(name)
    if not isinstance(found, str | None):
        raise ValueError(f"{name} is no text")
    return found or ""


def _topics(path: Path) -> list[tuple[str, Question]]:
    """TREC's topics: each part of a topic (disease, gene, treatment, ...) is a facet."""
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False)
    try:
        root = etree.fromstring("\n".join(lines_of(path)).encode(), parser)
    except etree.XMLSyntaxError as error:
        raise ValueError(f"{path.name}, line {error.lineno}: no XML that can be read: {error.msg}") from None
    found = []
    for topic in root.iter("topic"):
        number = topic.get("number") or topic.get("id") or ""
        texts = {part.tag: " ".join("".join(part.itertext()).split()) for part in topic if isinstance(part.tag, str)}
        question = Question(facets={name: (Facet(text),) for name, text in texts.items() if text})
        if not number or not question.asked:
            raise ValueError(f"{path.name}, line {topic.sourceline}: a topic without a number or without any words")
        found.append((number, question))
    return found


def json_lines(path: Path, parsed: Callable[[Mapping[str, Any]], Read]) -> Iterator[Read]:
    """What `parsed` makes of each object of a file of JSON lines. Raises ValueError naming file and line."""
    for number, line in enumerate(lines_of(path), start=1):
        if line.strip():
            try:
                loaded = json.loads(line)
                if not isinstance(loaded, dict):
                    raise ValueError("no JSON object")
                yield parsed(loaded)
            except (ValueError, RecursionError) as error:
                raise ValueError(f"{path.name}, line {number}: {error}") from None


def _table(path: Path, least: int) -> Iterator[tuple[int, list[str]]]:
    for number, line in enumerate(lines_of(path), start=1):
        if line.strip():
            row = [each.strip() for each in line.split("\t")] if "\t" in line else line.split()
            if len(row) < least:
                raise ValueError(f"{path.name}, line {number}: {len(row)} columns; there must be {least} at least")
            yield number, row


def _whole(path: Path, number: int, text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise ValueError(f"{path.name}, line {number}: {text[:50]!r} is no whole number") from None


def _unique(path: Path, found: Iterable[Read], key: Callable[[Read], str], what: str) -> Iterator[Read]:
    seen: set[str] = set()
    for each in found:
        if key(each) in seen:
            raise ValueError(f"{path.name}: two {what} with the id {key(each)}")
        seen.add(key(each))
        yield each
    if not seen:
        raise ValueError(f"{path.name} holds no {what}")


def lines_of(path: Path) -> Iterator[str]:
    """The lines of a text file, or of one in gzip. Raises UnreadableFile where it is damaged or too large."""
    return (line for _, line in text_lines(path, most_bytes=MOST_BYTES, longest_line=LONGEST_LINE))
