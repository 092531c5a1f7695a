"""The documents that a question searches: stored articles, a judged collection, or a service's."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from annotate.finding.encoding import Encoder, short_texts
from annotate.finding.question import Filters, Question
from annotate.project.home import folder
from annotate.search.words import WordIndex, Words

# (key, score), best first.
Ranking = Sequence[tuple[str, float]]


@dataclass(frozen=True, slots=True)
class Document:
    """What a stage reads of an article: its key, its title, its abstract, and the MeSH terms where there are any."""

    key: str
    title: str
    text: str = ""
    mesh: tuple[str, ...] = ()
    year: int | None = None
    journal: str = ""
    article_id: int | None = None

    @property
    def whole(self) -> str:
        """Title and abstract as one text: what an encoder reads."""
        return f"{self.title}\n{self.text}".strip()


class Library(ABC):
    """Documents that can be searched. A document's key is the id of its article, or the collection's own."""

    def __init__(self, encoder: Encoder | None = None) -> None:
        self._given = encoder

    @cached_property
    def encoder(self) -> Encoder:
        """What makes the vectors of documents, questions and titles."""
        return self._given or Encoder()

    @abstractmethod
    def documents(self, keys: Collection[str]) -> Mapping[str, Document]:
        """By key; those that are not there are left out."""

    @abstractmethod
    def by_words(self, question: Question, limit: int) -> Ranking:
        """(key, BM25 score), best first. NotRanked where there is no index that can be read."""

    @abstractmethod
    def vectors(self) -> tuple[Sequence[str], np.ndarray]:
        """(keys, unit vectors, float32[keys, dimension]) of title and abstract. NotRanked where there are none."""

    @abstractmethod
    def passing(self, question: Question) -> frozenset[str] | None:
        """The keys of the documents that may answer a question at all; None for all."""

    def encode(self, text: str) -> np.ndarray:
        """The unit vector of a question, float32[dimension]. NotRanked where it cannot be had."""
        return self.encoder.question(text)

    def titles(self, titles: Sequence[str]) -> np.ndarray:
        """The unit vectors of titles, float32[n, dimension], 0 of an empty one. NotRanked."""
        return short_texts(titles, self.encoder)


def vectors_of(library: Library, keys: Sequence[str]) -> np.ndarray:
    """The vectors of these documents, float32[keys, dimension], 0 of one that has none. Raises NotRanked."""
    known, matrix = library.vectors()
    places = {key: place for place, key in enumerate(known)}
    rows = np.zeros((len(keys), matrix.shape[1]), dtype=np.float32)
    for row, key in enumerate(keys):
        if key in places:
            rows[row] = matrix[places[key]]
    return rows


class MemoryLibrary(Library):
    """Documents that are held in memory. Vectors are computed when a stage first asks for them, and kept in the
    project's folder if `keep` is true: vectors of thousands of documents take minutes."""

    def __init__(
        self,
        documents: Iterable[Document],
        encoder: Encoder | None = None,
        *,
        keep: bool = False,
        progress: Callable[[int, int], None] = lambda done, total: None,
    ) -> None:
        super().__init__(encoder)
        self._documents = {each.key: each for each in documents}
        self._keep = keep
        self._progress = progress

    def __len__(self) -> int:
        return len(self._documents)

    def documents(self, keys: Collection[str]) -> Mapping[str, Document]:
        """By key; those that are not there are left out."""
        return {key: self._documents[key] for key in keys if key in self._documents}

    def by_words(self, question: Question, limit: int) -> Ranking:
        """(key, BM25 score), best first."""
        return self._words.search(question.expanded, limit)

    def vectors(self) -> tuple[Sequence[str], np.ndarray]:
        """(keys, unit vectors, float32[keys, dimension]). Raises NotRanked."""
        return list(self._documents), self._vectors

    def passing(self, question: Question) -> frozenset[str] | None:
        """The keys of the documents that the question's filters let through; None for all."""
        filters = question.filters
        if filters == Filters(tags=filters.tags, without_tags=filters.without_tags):
            return None
        return frozenset(key for key, each in self._documents.items() if passes(each, filters))

    @cached_property
    def _words(self) -> WordIndex:
        index = WordIndex()
        index.add(Words(each.key, each.title, each.text, each.mesh) for each in self._documents.values())
        return index

    @cached_property
    def _vectors(self) -> np.ndarray:
        texts = [each.whole for each in self._documents.values()]
        if self._keep:
            return self.encoder.kept_in(folder("finding")).of(texts, self._progress)
        return self.encoder.texts(texts, lambda done: self._progress(done, len(texts)))


def passes(document: Document, filters: Filters) -> bool:
    """Whether a document passes the filters, but for tags. One without a year passes no filter of years."""
    first, last = filters.years
    if filters.years != (None, None):
        if document.year is None:
            return False
        if (first is not None and document.year < first) or (last is not None and document.year > last):
            return False
    return not filters.journals or document.journal in filters.journals
