"""Query strategies: which article an expert should read next. Each gives every waiting article an acquisition score.

A strategy is a function and one line in STRATEGIES; `choose` sorts and cuts for all of them.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import scipy

from model.active_learning.head import PROJECTIONS, Head
from model.vectors import unit

COMMITTEE = 16  # draws from the head's posterior
# Cosine of two articles' vectors from which they count as near-duplicates: versions and corrections of one paper.
NEAR_DUPLICATE = 0.98


@dataclass(frozen=True, eq=False)
class Waiting:
    """The pool: the articles that wait to be reviewed, each represented by its most promising sentences.

    rows: (a, m, d) as the head takes them; mask: (a, m), False where an article has fewer.
    """

    rows: np.ndarray
    mask: np.ndarray
    head: Head

    @property
    def vectors(self) -> np.ndarray:
        """Each article as the mean of its sentences' projected embeddings, shape (a, PROJECTIONS)."""
        return article_vectors(self.rows, self.mask)

    @cached_property
    def probabilities(self) -> np.ndarray:
        """The probability that each sentence is key, shape (a, m); 0 where there is none."""
        return np.where(self.mask, scipy.special.expit(self.head.log_odds(self.rows)), 0.0)

    def committee(self, generator: np.random.Generator) -> np.ndarray:
        """The log odds of each sentence by draws from the posterior, shape (COMMITTEE, a, m)."""
        return np.moveaxis(self.head.log_odds_by(self.head.draws(COMMITTEE, generator), self.rows), -1, 0)


def article_vectors(rows: np.ndarray, mask: np.ndarray) -> np.ndarray:
    """Articles as the means of their sentences' projected embeddings: (a, m, d), (a, m) -> (a, PROJECTIONS)."""
    counted = np.maximum(mask.sum(axis=1, keepdims=True), 1)
    return np.asarray((rows[:, :, -PROJECTIONS:] * mask[:, :, None]).sum(axis=1) / counted)


def by_lot(waiting: Waiting, generator: np.random.Generator) -> np.ndarray:
    """Every order is as likely as any other."""
    return generator.random(len(waiting.rows))


def by_score(waiting: Waiting, generator: np.random.Generator) -> np.ndarray:
    """How many key sentences an article probably holds among its best: certainty sampling (Lewis & Gale 1994)."""
    return _summed(waiting, waiting.probabilities)


def by_committee(waiting: Waiting, generator: np.random.Generator) -> np.ndarray:
    """How much a committee of draws from the posterior disagrees: mean Kullback-Leibler divergence from the
    consensus, summed over an article's best sentences (McCallum & Nigam 1998)."""
    p = scipy.special.expit(waiting.committee(generator))
    # The mean divergence from the mean of two-way opinions is the entropy of that mean less the mean entropy.
    disagreement = _entropy(p.mean(axis=0)) - _entropy(p).mean(axis=0)
    return _summed(waiting, disagreement)


def _entropy(p: np.ndarray) -> np.ndarray:
    return np.asarray(scipy.special.entr(p) + scipy.special.entr(1 - p))


def _summed(waiting: Waiting, values: np.ndarray) -> np.ndarray:
    """What an article's best sentences add up to, (a, m) -> (a,)."""
    return np.asarray(np.where(waiting.mask, values, 0.0).sum(axis=1))


Acquire = Callable[[Waiting, np.random.Generator], np.ndarray]


@dataclass(frozen=True, slots=True)
class Strategy:
    """A way to rank the waiting articles: what it is called, in words why it picks one, and how it scores."""

    label: str
    explanation: str
    acquire: Acquire


STRATEGIES: dict[str, Strategy] = {
    "random": Strategy("Random", "drawn at random, which keeps an unbiased sample", by_lot),
    "score": Strategy("Model score", "probably holds the most key sentences", by_score),
    "committee": Strategy(
        "Query by committee", "the model is least sure: its likely versions disagree most", by_committee
    ),
}


# Strategies of earlier releases, none of them better (docs/measurements/simulation.md), as people know them.
GONE = {
    "uncertainty": "Uncertainty",
    "entropy": "Entropy",
    "information": "Information",
    "change": "Expected change",
    "core-set": "Core-set",
    "clusters": "Clusters",
    "badge": "Badge",
}
IN_THEIR_PLACE = "committee"


def strategy_label(name: str) -> str:
    """A strategy as people know it, also one of an earlier release."""
    return STRATEGIES[name].label if name in STRATEGIES else GONE.get(name, name)


def choose(
    strategy: str,
    waiting: Waiting,
    number: int,
    generator: np.random.Generator,
    held: np.ndarray | None = None,
    matter: np.ndarray | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """(indices, best first, of at most `number` articles; the acquisition scores of all, shape (a,)).

    Near-duplicates of an article chosen before are chosen only where nothing else is left; so are near ones of `held`,
    the vectors of the articles that other reviewers are reading, shape (h, PROJECTIONS). ValueError for an unknown
    strategy.

    matter: how much each article matters, shape (a,), 0 to 1, such as the probability that it holds a key sentence.
    The order is then by this times the share of articles that the strategy ranks no higher: the most instructive of the
    articles that matter, on any scale of a strategy's scores. Random choice stays random.
    """
    if strategy not in STRATEGIES:
        raise ValueError(f"the strategy {strategy!r} is none of {', '.join(STRATEGIES)}")
    scores = STRATEGIES[strategy].acquire(waiting, generator)
    ties = generator.random(len(scores))  # by lot
    weighed = matter is not None and STRATEGIES[strategy].acquire is not by_lot
    order = np.lexsort((ties, -(matter * shares(scores) if weighed else scores)))
    vectors = unit(waiting.vectors)
    near = np.zeros(len(scores), dtype=bool)
    if held is not None and len(held):
        near = (vectors @ unit(held).T > NEAR_DUPLICATE).any(axis=1)
    chosen: list[int] = []
    passed: list[int] = []
    for index in order:
        if len(chosen) >= number:
            break
        if near[index]:
            passed.append(int(index))
            continue
        chosen.append(int(index))
        if len(chosen) < number:
            near |= vectors @ vectors[index] > NEAR_DUPLICATE
    return np.array((chosen + passed)[:number], dtype=int), scores


def shares(values: np.ndarray) -> np.ndarray:
    """Of each value the share of all, itself among them, that are no higher, shape (n,): 1 for the highest."""
    return np.asarray(np.searchsorted(np.sort(values), values, side="right") / max(len(values), 1))
