"""The reference list of a stored work tells what it is related to: it holds works that are near to the question."""

from collections.abc import Iterable, Mapping

import numpy as np

from annotate.related.pool import Ranked

# A cited work counts e times less for each such share of the best score that it lies below it. Chosen on the
# validation part (docs/measurements/related.md).
NEAR = 0.1


class ReferenceLists:
    """Reference lists by the key of the work that cites; only the works of one pool count."""

    def __init__(self, lists: Mapping[str, Iterable[str]], places: Mapping[str, int]) -> None:
        """`places`: of the pool's works by key."""
        found = {key: [places[work] for work in cited if work in places] for key, cited in lists.items()}
        self.keys = tuple(key for key, cited in found.items() if cited)
        self._works = len(places)
        self._owners = np.repeat(np.arange(len(self.keys)), [len(found[key]) for key in self.keys])
        self._cited = np.array([place for key in self.keys for place in found[key]], dtype=np.int64)

    def likeness(self, near: Ranked, but: str = "") -> dict[str, float]:
        """By key, of all but one: the sum of e^((score / best score - 1) / NEAR) over the works of its list.

        Were these weights the chances that a text cites a work, it would be the number of references that both share,
        on average. `near`: the pool's works, ranked for the text; one that is left out there counts nothing.
        """
        if not self.keys or not len(near.places) or near.scores[0] <= 0:
            return {}
        weights = np.zeros(self._works)
        weights[near.places] = np.exp((near.scores / near.scores[0] - 1) / NEAR)
        sums = np.bincount(self._owners, weights[self._cited], minlength=len(self.keys))
        return {key: value for key, value in zip(self.keys, sums.tolist(), strict=True) if key != but}
