"""Documents as a ranking model reads them. Imports torch when a model is loaded."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from annotate.finding.library import Document
from annotate.finding.rankers.judged_questions import sentences_of

if TYPE_CHECKING:
    from model.finding.relevance import RelevanceModel

KEPT = 5_000  # documents whose tokens are kept in a process


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


def load_inputs(folder: Path, limit: int) -> Inputs:
    """A version's model. Raises OSError, KeyError, ValueError."""
    from model.finding.ranker_files import load_ranker  # noqa: PLC0415 (torch takes seconds to import)

    return Inputs(load_ranker(folder), limit)
