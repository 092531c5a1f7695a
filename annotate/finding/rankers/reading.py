"""Documents as the ranking models read them. Imports torch when a model is loaded."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from annotate.finding.library import Document
from annotate.finding.rankers.judged_questions import sentences_of
from model.finding.pseudo_queries import WordVectors

if TYPE_CHECKING:
    from model.finding.relevance import RelevanceModel

KEPT = 5_000  # documents whose tokens, or words, are kept in a process


@dataclass(eq=False)
class Words:
    """A loaded EXT or ABS model, which gives the words that documents would be asked for."""

    model: Any
    limit: int
    beam: Any = None
    _kept: dict[str, list[str]] = field(default_factory=dict)

    def words(self, documents: Sequence[Document], progress: Any = lambda done: None) -> list[list[str]]:
        """The words of each document; those read lately are kept."""
        if len(self._kept) > KEPT:
            self._kept.clear()
        new = {each.whole: each for each in documents if each.whole not in self._kept}
        for start in range(0, len(new), 16):
            part = list(new.values())[start : start + 16]
            self._kept |= dict(zip([each.whole for each in part], self._read(part), strict=True))
            progress(start + len(part))
        return [self._kept[each.whole] for each in documents]

    def _read(self, documents: Sequence[Document]) -> list[list[str]]:
        from model.finding.abstracting import summaries  # noqa: PLC0415 (torch takes seconds to import)
        from model.finding.extraction import extracted, worded  # noqa: PLC0415 (so does this)

        inputs = [worded(self.model.reader, sentences_of(each), self.limit) for each in documents]
        if self.beam is None:
            return extracted(self.model, inputs)
        laid = [each.laid for each in inputs]
        return summaries(self.model, laid, self.model.vocabulary.facets, self.beam)

    @property
    def vectors(self) -> WordVectors:
        """The vectors of the words that ABS can write."""
        vocabulary = self.model.vocabulary
        places = {word: place for place, word in enumerate(vocabulary.words)}
        return WordVectors(places, self.model.vectors.cpu().numpy())


@dataclass(eq=False)
class Inputs:
    """A loaded REL model, and the tokens of documents that it read lately."""

    model: "RelevanceModel"
    limit: int
    _kept: dict[str, list[list[int]]] = field(default_factory=dict)

    def laid(self, asked: str, documents: Sequence[Document]) -> list[Any]:
        """The inputs of a question with documents."""
        from model.finding.reader import laid_out, words_of  # noqa: PLC0415 (transformers takes seconds to import)

        reader = self.model.reader
        question = words_of(reader.tokenizer, [asked])[0]
        return [laid_out(self.tokens(each), question, reader.borders, reader.longest(self.limit)) for each in documents]

    def tokens(self, document: Document) -> list[list[int]]:
        """The token ids of a document's sentences."""
        from model.finding.reader import words_of  # noqa: PLC0415 (transformers takes seconds to import)

        if document.whole not in self._kept:
            if len(self._kept) > KEPT:
                self._kept.clear()
            self._kept[document.whole] = words_of(self.model.reader.tokenizer, sentences_of(document))
        return self._kept[document.whole]

    def relevance(self, asked: str, documents: Sequence[Document]) -> np.ndarray:
        """Log odds that each document answers the question, float32[documents]."""
        from model.finding.relevance import relevance_of  # noqa: PLC0415 (torch takes seconds to import)

        return relevance_of(self.model, self.laid(asked, documents))


def load_model(folder: Path, limit: int) -> Inputs | Words:
    """A version's model. Raises OSError, ValueError."""
    from model.finding import abstracting, ranker_files, relevance  # noqa: PLC0415 (torch takes seconds)

    model, about = ranker_files.load_ranker(folder)
    if isinstance(model, relevance.RelevanceModel):
        return Inputs(model, limit)
    is_abs = isinstance(model, abstracting.AbstractingModel)
    return Words(model, limit, abstracting.Beam(**about.get("beam", {})) if is_abs else None)
