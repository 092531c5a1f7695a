"""Files of who cites whom, to measure suggestions on and to learn from: JSON lines, perhaps compressed by gzip."""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from annotate.finding.library import Document
from annotate.project.files.labelled_files import Key, Keys, OptionalKey, Text, Year, labelled_rows

MARK = "[CIT]"


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
    """What was learnt from reference lists: its name, marks of their articles, and how to measure without it."""

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
    """Articles: `id`, each once, `cites` (a list of PMIDs), perhaps `year` and `pmid`."""
    return labelled_rows(path, _citing, key=lambda article: article.id)


def read_works(path: Path) -> list[Document]:
    """Works: `pmid`, `title`, perhaps `text` and `year`."""
    return labelled_rows(path, _work)


def read_contexts(path: Path) -> list[Context]:
    """Contexts: `article`, `sentence` with [CIT] where the reference stood, `cites`, perhaps `section`."""
    return labelled_rows(path, _context)


def _citing(id: Key, cites: Keys, year: Year = None, pmid: OptionalKey = None) -> Citing:
    return Citing(id, year, cites, pmid or "")


def _work(pmid: Key, title: Text = "", text: Text = "", year: Year = None) -> Document:
    return Document(pmid, title, text, year=year)


def _context(article: Key, cites: Keys, sentence: Text = "", section: Text = "") -> Context:
    words = sentence.replace(MARK, " ").split()
    if not words:
        raise ValueError("no sentence")
    return Context(article, section, " ".join(words), cites)
