"""What key sentences of every topic have in common: one small linear model, fitted on several topics at once.

Its weights, and what they were fitted on, are in common.json; `python -m tests.measure.common_part` makes them.
"""

import json
from dataclasses import replace
from functools import cache
from importlib.resources import files

import numpy as np

from model.active_learning.features import FEATURES, features_of
from model.active_learning.structure import STRUCTURE, structure_of
from model.proposing.ranking import Pool, standardised

# How a sentence is built, and of the features of its article what asks for neither query nor cue. Without the place in
# the article: on five topics, each ranked by the four others, its deciles added nothing.
_PLACES = ("abstract", "body", "results", "methods", "discussion", "introduction", "end",
           "place in the abstract", "heading")  # fmt: skip
_NUMBERS = ("digits", "p value", "per cent", "confidence interval", "finding")
_FEATURES = ("aside", *_PLACES, *_NUMBERS)
COMMON_COLUMNS = (*STRUCTURE, *_FEATURES)


def common_columns(pool: Pool) -> np.ndarray:
    """The columns of an article's sentences, shape (n, len(COMMON_COLUMNS)), each column standardised there."""
    places = [FEATURES.index(name) for name in _FEATURES]
    columns = np.hstack([structure_of(pool.sentences), features_of(pool)[:, places]])
    return np.column_stack([standardised(column) for column in columns.T])


def with_common(pool: Pool) -> Pool:
    """The pool with how much each sentence is like the key sentences of other topics, where its topic weighs that."""
    if not pool.rules.common:
        return pool
    return replace(pool, common=standardised(common_columns(pool) @ common_weights()))


@cache
def common_weights() -> np.ndarray:
    """The shipped weights, shape (len(COMMON_COLUMNS),)."""
    weights = json.loads((files("model.active_learning") / "common.json").read_text())["weights"]
    return np.array([weights[name] for name in COMMON_COLUMNS])
