"""Documents in memory as a library: a judged collection, or what a service found."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import cached_property

import numpy as np

from annotate.finding.encoding import Encoder
from annotate.finding.library import Document, Library, Ranking
from annotate.finding.question import Filters, Question
from annotate.project.home import folder
from annotate.search.words import WordIndex, Words


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

    def passing(self, filters: Filters) -> frozenset[str] | None:
        """The keys of the documents that the filters let through; None for all."""
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
