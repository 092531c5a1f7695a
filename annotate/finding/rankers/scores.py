"""The scores of a question's candidates that the learned fusion weighs."""

from collections.abc import Mapping, Sequence

import numpy as np

from annotate.finding.encoding import Encoder, short_texts
from annotate.finding.library import Document, Library
from annotate.finding.question import Question
from model.finding.vocabulary import mesh_name

NAMES = ("place", "words", "vectors", "alike", "alike wide", "title", "mesh")
REL = "rel"  # an extra score, where a cross-encoder is weighed too
PLACE = 60  # as in reciprocal rank fusion
DEPTH = 1_000
# How many of the first candidates' vectors are averaged.
NEAR, WIDE = 5, 15


def scores_of(question: Question, library: Library, keys: Sequence[str], encoder: Encoder) -> np.ndarray:
    """The scores named in NAMES of candidates, float64[keys, NAMES]. `keys` stand in the order found so far; what
    cannot be told of one is 0. Raises NotRanked where there are no vectors."""
    documents = library.documents(keys)
    words = dict(library.by_words(question, DEPTH))
    every, vectors = library.vectors()
    places = {key: place for place, key in enumerate(every)}
    rows = np.zeros((len(keys), vectors.shape[1]), dtype=np.float32)
    for row, key in enumerate(keys):
        if key in places:
            rows[row] = vectors[places[key]]
    asked = library.encode(question.asked)
    return np.stack(
        [
            np.array([1 / (PLACE + place) for place in range(1, len(keys) + 1)]),
            np.array([words.get(key, 0.0) for key in keys]),
            rows @ asked,
            rows @ rows[:NEAR].mean(axis=0),
            rows @ rows[:WIDE].mean(axis=0),
            short_texts([_title(documents, key) for key in keys], encoder) @ asked,
            short_texts([_mesh(documents, key) for key in keys], encoder) @ asked,
        ],
        axis=1,
    ).astype(np.float64)


def _title(documents: Mapping[str, Document], key: str) -> str:
    return documents[key].title if key in documents else ""


def _mesh(documents: Mapping[str, Document], key: str) -> str:
    return ", ".join(map(mesh_name, documents[key].mesh)) if key in documents else ""
