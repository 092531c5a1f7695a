"""Labelled articles as rankings learn from them."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from model.labelled import KEY, NOT_KEY, UNLABELLED

# All sentences of an article weigh at most so much: a long one does not outvote three short ones.
ARTICLE_WEIGHT = 150.0
# Half a negative each: an unlabelled sentence of an article that was not read in full was seen by no expert. Left out,
# only the hardest negatives would remain, those that were proposed: the learned ranking had an ARP of .373 at weight
# .001, .446 at .1, .460 at .5, .436 at 1 (docs/measurements/ranking.md).
UNLABELLED_WEIGHT = 0.5


@dataclass(frozen=True, eq=False)
class Taught:
    """What one article teaches: rows of features of its sentences (n, d), their labels (n,), KEY, NOT_KEY or
    UNLABELLED, and the n sentences where their words teach, too."""

    rows: np.ndarray
    labels: np.ndarray
    sentences: Sequence[str] = ()

    @property
    def truth(self) -> np.ndarray:
        """1 for key, 0 for anything else, shape (n,)."""
        return np.asarray(self.labels == KEY, dtype=np.float64)

    @property
    def weights(self) -> np.ndarray:
        """How much each sentence counts for a head, shape (n,)."""
        given = np.where(self.labels == UNLABELLED, UNLABELLED_WEIGHT, 1.0)
        return given * min(1.0, ARTICLE_WEIGHT / max(len(self.labels), 1))

    @property
    def judged(self) -> "Taught":
        """Only the sentences with labels: what an article that is still under review says."""
        given = np.isin(self.labels, (KEY, NOT_KEY))
        return Taught(self.rows[given], self.labels[given])
