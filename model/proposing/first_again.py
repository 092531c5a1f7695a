"""Which sentences of an article are encoded by the whole weights of an encoder that else computes in 8 bits."""

import numpy as np

from model.proposing.ranking import top_k

# In so many first places in 8 bits lay the first five of float32: docs/speed.md, "In 8 bits".
FIRST_AGAIN = 15
# Shorter articles are encoded by the whole weights alone. A sentence in 8 bits costs .43 of one in float32, so that an
# article of n costs .43 n + 15 of these: less than n from 27 on. Below, 8 bits would gain nothing.
WHOLE_BELOW = 27


def first_of(vectors: np.ndarray, query: np.ndarray) -> list[int]:
    """Positions of the sentences nearest to the query, FIRST_AGAIN of them; vectors: shape (sentences, dimension)."""
    return top_k(vectors @ query, FIRST_AGAIN)
