"""The scores of a question's candidates that the learned fusion weighs."""

from collections.abc import Sequence

import numpy as np

from annotate.finding.library import Library, vectors_of
from annotate.finding.question import Question
from model.finding.vocabulary import mesh_name

NAMES = ("place", "words", "vectors", "alike", "alike wide", "title", "mesh")
REL = "rel"  # an extra score, where a cross-encoder is weighed too
PLACE = 60  # as in reciprocal rank fusion
DEPTH = 1_000
# How many of the first candidates' vectors are averaged.
NEAR, WIDE = 5, 15


def scores_of(question: Question, library: Library, keys: Sequence[str]) -> np.ndarray:
    """The scores named in NAMES of candidates, float64[keys, NAMES]. `keys` stand in the order found so far; what
    cannot be told of one is 0. Raises NotRanked where there are no vectors."""
    documents = library.documents(keys)
    words = dict(library.by_words(question, DEPTH))
    rows = vectors_of(library, keys)
    asked = library.encode(question.asked)
    here = [documents.get(key) for key in keys]
    titles = [each.title if each else "" for each in here]
    mesh = [", ".join(map(mesh_name, each.mesh)) if each else "" for each in here]
    return np.stack(
        [
            np.array([1 / (PLACE + place) for place in range(1, len(keys) + 1)]),
            np.array([words.get(key, 0.0) for key in keys]),
            rows @ asked,
            rows @ rows[:NEAR].mean(axis=0),
            rows @ rows[:WIDE].mean(axis=0),
            library.titles(titles) @ asked,
            library.titles(mesh) @ asked,
        ],
        axis=1,
    ).astype(np.float64)
