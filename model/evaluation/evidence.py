"""Evidence that one ranking is better than another: it may be looked at after every label, and never misleads often."""

from collections.abc import Sequence

import numpy as np

# The stakes on each article's difference: one of them fits any spread of differences.
STAKES = np.array([1.0, 2.0, 4.0, 8.0, 16.0])
# Of the error that is left, this share is spent on the next try.
SHARE = 0.2


def sign_evidence(differences: Sequence[float]) -> float:
    """How many times the stake is won that the articles' differences, each from -1 to 1, lie above 0; 1 for none.

    Where each difference might as well have the other sign, the value ever reaches E with a probability of 1/E at most.
    This holds in any order of the articles and at any number of looks. The product over articles of exp(s d) / cosh(s
    d), a mean over the stakes s. Source: Ville 1939; Ramdas, Ruf, Larsson and Koolen 2022.
    """
    staked = np.outer(STAKES, np.asarray(differences, dtype=float))
    won = (staked - np.logaddexp(staked, -staked) + np.log(2)).sum(axis=1)
    return float(np.exp(np.logaddexp.reduce(won) - np.log(len(STAKES))))


def needed_at(tries: int, error: float) -> float:
    """The evidence that the last of `tries` candidates needs, so that all of them mislead with `error` at most.

    The n-th may use SHARE (1 - SHARE)^(n-1) of the error: 100, 125, 156, ... for .05. ValueError for tries below 1.
    """
    if tries < 1:
        raise ValueError(f"{tries} tries; there must be one at least")
    return float(1 / (error * SHARE * (1 - SHARE) ** (tries - 1)))


def articles_needed(evidence: float) -> int:
    """The fewest articles that can give so much evidence: each has nothing before and everything after."""
    articles = 1
    while sign_evidence([1.0] * articles) < evidence:
        articles += 1
    return articles
