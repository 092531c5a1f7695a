"""Measures of an order of reading: how soon key sentences are found, and with how much work; in the order of articles.

`found` and `looked` have shape (a,): the key sentences that each article read gave, and the sentences looked at.
"""

from collections.abc import Sequence

import numpy as np

from model.evaluation.metrics import Numbers

SOUGHT = 0.95  # the recall at which the work that is saved is told


def recall_after(found: Sequence[int], keys: int, articles: int, share: float) -> float | None:
    """Key sentences found after this share of the pool's articles, of all `keys`; 0 to 1 (ASReview's recall@x).

    The number of articles is rounded up. None where fewer were read, or there is no key sentence.
    """
    read = int(np.ceil(share * articles - 1e-9))
    if not keys or len(found) < read:
        return None
    return float(np.sum(found[:read]) / keys)


def work_saved(found: Sequence[int], looked: Sequence[int], keys: int, sentences: int) -> float | None:
    """WSS@95: the share of all sentences not looked at once a recall of .95 is reached, less .05; -.05 to .95.

    At random order it is about 0. It is reached with the article that brings it. None where it never is, or there is
    no key sentence. Source: Cohen et al. 2006.
    """
    reached = np.cumsum(found) >= SOUGHT * keys - 1e-9
    if not keys or not reached.any():
        return None
    return float(1 - np.cumsum(looked)[int(reached.argmax())] / sentences - (1 - SOUGHT))


def loss(found: Sequence[int]) -> float | None:
    """How far an order lies from the best one, 0 to 1, at random about .5 (ASReview's loss). It is the area between
    their curves of discovery over the area between the best and the worst. found: 1 or 0 by article, of the whole pool.

    None where all articles are alike.
    """
    kinds = np.asarray(found)
    keys, others = int(kinds.sum()), int(len(kinds) - kinds.sum())
    if not keys or not others:
        return None
    best = np.minimum(np.arange(1, len(kinds) + 1), keys)
    return float((best - np.cumsum(kinds)).sum() / (keys * others))


def time_to_discovery(found: Sequence[int], articles: int) -> float | None:
    """ATD: the mean, over the key sentences found, of how many articles had been read by then, that one included.

    None unless the whole pool was read, or where nothing was found. Source: Ferdinands et al. 2020.
    """
    counts = np.asarray(found)
    if len(counts) < articles or not counts.sum():
        return None
    return float(counts @ np.arange(1, len(counts) + 1) / counts.sum())


def smoothed(values: Numbers, window: int = 5) -> np.ndarray:
    """The mean of each value with its neighbours, `window` (odd) in all, shape (p,); the ends are repeated outwards."""
    padded = np.pad(np.asarray(values, dtype=float), window // 2, mode="edge")
    return np.convolve(padded, np.ones(window) / window, "valid")


def first_reaching(values: Numbers, target: float) -> int | None:
    """The first index whose value is the target or more; None where none is."""
    reached = np.asarray(values) >= target - 1e-9
    return int(reached.argmax()) if reached.any() else None


def area_under(x: Numbers, y: Numbers) -> float | None:
    """The mean height of a curve by the trapezoidal rule: its area over the width; None for fewer than two points."""
    if len(x) < 2 or x[-1] == x[0]:
        return None
    return float(np.trapezoid(y, x) / (x[-1] - x[0]))
