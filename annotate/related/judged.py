"""Files of who cites whom, to measure suggestions on and to learn from: JSON lines, perhaps compressed by gzip.

What is wrong with a file is a ValueError that names the file, the line and the reason.
"""

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from annotate.finding.judged.judged_files import json_lines
from annotate.related.pool import Work

MARK = "[CIT]"
Read = TypeVar("Read")


@dataclass(frozen=True, slots=True)
class Citing:
    """An article that cites: its id among the documents, its year, keys of the works, and its PMID, if told."""

    id: str
    year: int | None
    cites: frozenset[str]
    pmid: str = ""

    @property
    def keys(self) -> tuple[str, ...]:
        """What a stored article that is this one may be called."""
        return f"pmid:{self.pmid or self.id}", f"pmcid:{self.id}"


@dataclass(frozen=True, slots=True)
class Context:
    """A sentence that cites, without the mark of the place, its section, and keys of the works."""

    article: str
    section: str
    sentence: str
    cites: frozenset[str]


@dataclass(frozen=True, slots=True)
class LearntFrom:
    """Something that was learnt from reference lists: its name, marks of their articles, and how to measure all the
    same."""

    name: str
    marks: frozenset[int]
    remedy: str

    def among(self, articles: Iterable[Citing]) -> list[str]:
        """The ids of those articles that it was learnt from."""
        return [each.id for each in articles if self.marks.intersection(marks_of([each]))]


def marks_of(articles: Iterable[Citing]) -> list[int]:
    """Numbers that stand for articles, by each identifier: a version says by them what it was learnt from."""
    return [
        int.from_bytes(hashlib.blake2b(key.encode(), digest_size=8).digest(), "big", signed=True)
        for each in articles
        for key in each.keys
    ]


def read_citing(path: Path) -> list[Citing]:
    """Articles: `id`, `cites` (a list of PMIDs), perhaps `year` and `pmid`."""
    return list(_lines(path, _citing))


def read_works(path: Path) -> list[Work]:
    """Works: `pmid`, `title`, perhaps `text` and `year`."""
    return list(_lines(path, _work))


def read_contexts(path: Path) -> list[Context]:
    """Contexts: `article`, `sentence` with [CIT] where the reference stood, `cites`, perhaps `section`."""
    return list(_lines(path, _context))


def _citing(line: Mapping[str, Any]) -> Citing:
    return Citing(_key(line, "id"), _year(line), _keys(line), _key(line, "pmid") if line.get("pmid") else "")


def _work(line: Mapping[str, Any]) -> Work:
    return Work(_key(line, "pmid"), _text(line, "title"), _text(line, "text"), _year(line))


def _context(line: Mapping[str, Any]) -> Context:
    sentence = " ".join(_text(line, "sentence").replace(MARK, " ").split())
    if not sentence:
        raise ValueError("no sentence")
    return Context(_key(line, "article"), _text(line, "section"), sentence, _keys(line))


def _key(line: Mapping[str, Any], name: str) -> str:
    value = line.get(name)
    if isinstance(value, bool) or not isinstance(value, str | int) or not str(value).strip():
        raise ValueError(f"no {name}")
    return str(value).strip()


def _keys(line: Mapping[str, Any]) -> frozenset[str]:
    value = line.get("cites")
    if not isinstance(value, list) or not value or not all(isinstance(each, str | int) for each in value):
        raise ValueError("cites is no list of PMIDs")
    return frozenset(map(str, value))


def _text(line: Mapping[str, Any], name: str) -> str:
    value = line.get(name)
    if not isinstance(value, str | None):
        raise ValueError(f"{name} is no text")
    return value or ""


def _year(line: Mapping[str, Any]) -> int | None:
    value = line.get("year")
    if isinstance(value, str) and value.strip().isdecimal():
        return int(value)
    if value in (None, ""):
        return None
    if isinstance(value, bool) or not isinstance(value, int):
        raise ValueError("year is no whole number")
    return value


def _lines(path: Path, parsed: Callable[[Mapping[str, Any]], Read]) -> Iterator[Read]:
    count = 0
    for read in json_lines(path, parsed):
        count += 1
        yield read
    if not count:
        raise ValueError(f"{path.name} holds no lines")
