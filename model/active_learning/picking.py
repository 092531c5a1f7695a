"""Which sentences of all articles come next: the likeliest, but not all of one article, nor nearly the same ones."""

from collections import Counter

import numpy as np

from model.vectors import unit

# Of a batch. The ranking learns from a batch before it makes the next.
MOST_OF_ARTICLE = 2
# Cosine of two sentences' projected embeddings from which the second one has to wait for another batch.
NEARLY_SAME = 0.95


def pick(scores: np.ndarray, articles: np.ndarray, vectors: np.ndarray | None, number: int) -> list[int]:
    """The places of at most `number` sentences with the highest scores, best first; equal ones in their order.

    scores: (n,), -inf for what is not to be picked; articles: (n,), the article of each; vectors: (n, d), None where
    they are not known. Left out are sentences of an article with MOST_OF_ARTICLE better ones among these, and sentences
    whose cosine with a better one is NEARLY_SAME or more.
    """
    order = np.argsort(-scores, kind="stable")
    order = order[np.isfinite(scores[order])]
    found: list[int] = []
    directions: list[np.ndarray] = []
    taken: Counter[int] = Counter()
    for place in order.tolist():
        if len(found) == number:
            break
        article = int(articles[place])
        if taken[article] == MOST_OF_ARTICLE:
            continue
        if vectors is not None:
            own = unit(vectors[place])
            if any(float(own @ other) >= NEARLY_SAME for other in directions):
                continue
            directions.append(own)
        taken[article] += 1
        found.append(place)
    return found
