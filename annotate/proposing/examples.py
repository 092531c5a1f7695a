"""What is learnt from a topic's examples: which sentences of any article are like them; without torch."""

from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
from sqlalchemy.orm import Session

import db.proposing.proposals
from annotate.proposing.prompts import sentence_key
from db.tables import ModelVersion
from model.proposing.rules import Examples

if TYPE_CHECKING:
    from model.active_learning.wording import WordingRanker

KEPT = 4  # fitted rankers: of the project's topic, and of those that are tried on the page Topic


def sentences_of(examples: Examples) -> tuple[str, ...]:
    """The sentences to be embedded before anything is learnt, those that count first; none where they weigh nothing."""
    return (*examples.accepted, *examples.rejected) if examples.weight else ()


def example_vectors(session: Session, version: ModelVersion, sentences: Sequence[str]) -> dict[str, bytes]:
    """The stored vectors, float32, by sentence; the sentences that wait to be embedded are left out."""
    keys = {sentence: sentence_key(version, sentence) for sentence in sentences}
    stored = db.proposing.proposals.query_vectors(session, version.id, list(keys.values()))
    return {sentence: stored[key] for sentence, key in keys.items() if key in stored}


def all_embedded(session: Session, version: ModelVersion, examples: Examples) -> bool:
    """Whether no example waits to be embedded."""
    sentences = sentences_of(examples)
    return len(example_vectors(session, version, sentences)) == len({*sentences})


def example_ranker(
    session: Session, version: ModelVersion, examples: Examples, *, by_words: bool = False
) -> "WordingRanker | None":
    """The ranker that learnt from these examples; None where they weigh nothing, or where one waits to be embedded,
    unless what they mean may be left out, `by_words`."""
    sentences = sentences_of(examples)
    vectors = example_vectors(session, version, sentences)
    if sentences and all(sentence in vectors for sentence in sentences):
        return _fitted(examples, tuple(vectors[sentence] for sentence in sentences))
    return _fitted(examples, None) if sentences and by_words else None


@lru_cache(maxsize=KEPT)
def _fitted(examples: Examples, vectors: tuple[bytes, ...] | None) -> "WordingRanker":
    from model.active_learning.wording import fit_wording  # noqa: PLC0415 (scikit-learn takes a second to import)

    truth = np.array([1] * len(examples.accepted) + [0] * len(examples.rejected))
    known = np.stack([np.frombuffer(one, np.float32) for one in vectors]) if vectors else None
    return fit_wording(sentences_of(examples), known, truth)
