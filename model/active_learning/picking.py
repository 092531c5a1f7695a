"""Which sentences of all articles come next: the likeliest, but not all of one article, nor nearly the same ones."""

from collections import Counter
from collections.abc import Callable, Iterator

import numpy as np

from model.vectors import unit

# Of a batch. The ranking learns from a batch before it makes the next.
MOST_OF_ARTICLE = 2
# Cosine of two sentences' projected embeddings from which the second one has to wait for another batch.
NEARLY_SAME = 0.95
# How many of the best sentences are put in order at first, of millions perhaps. A batch leaves out fewer.
FIRST = 5_000


def pick(
    scores: np.ndarray,
    articles: np.ndarray,
    vectors: np.ndarray | None,
    number: int,
    may: Callable[[int], bool] = lambda place: True,
) -> list[int]:
    """The places of at most `number` sentences with the highest scores, best first; equal ones in their order.

    scores: (n,), -inf for what is not to be picked; articles: (n,), the article of each; vectors: (n, d), None where
    they are not known. Left out are places that `may` refuses, and sentences of an article that has MOST_OF_ARTICLE
    better ones among these. Left out, too, are sentences whose cosine with a better one is NEARLY_SAME or more.
    """
    found: list[int] = []
    directions: list[np.ndarray] = []
    taken: Counter[int] = Counter()
    for place in _best_first(scores):
        if len(found) == number:
            break
        article = int(articles[place])
        if taken[article] == MOST_OF_ARTICLE or not may(place):
            continue
        if vectors is not None:
            own = unit(vectors[place])
            if any(float(own @ other) >= NEARLY_SAME for other in directions):
                continue
            directions.append(own)
        taken[article] += 1
        found.append(place)
    return found


def _best_first(scores: np.ndarray) -> Iterator[int]:
    """The places with a score, the highest first, equal ones in their order."""
    least = np.partition(scores, -FIRST)[-FIRST] if len(scores) > FIRST else -np.inf
    for part in (scores >= least, scores < least):
        places = np.flatnonzero(part & np.isfinite(scores))
        yield from places[np.argsort(-scores[places], kind="stable")].tolist()
