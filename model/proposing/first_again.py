"""Which sentences of an article are encoded by the whole weights of an encoder that else computes in 8 bits."""

import numpy as np

from model.proposing.ranking import top_k

# The first five of float32 lay among the first 9 in 8 bits, and a few more cost little: docs/speed.md, "In 8 bits".
FIRST_AGAIN = 15
# Shorter articles are encoded by the whole weights alone: 8 bits would gain nothing. A sentence in 8 bits cost .59 of
# one in float32, and the first 15 of an article, which are longer than others, with its query as much as 29 of these:
# .59 n + 29 is less than n from 71 on (tests/measure/int8.py, the table of docs/speed.md).
WHOLE_BELOW = 71


def first_of(vectors: np.ndarray, query: np.ndarray) -> list[int]:
    """Positions of the sentences nearest to the query, FIRST_AGAIN of them; vectors: shape (sentences, dimension)."""
    return top_k(vectors @ query, FIRST_AGAIN)
