"""Query strategies: which article an expert should read next. Each gives every waiting article an acquisition score.

A strategy is a function and one line in STRATEGIES; `choose` sorts and cuts for all of them.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import scipy

from model.active_learning.head import PROJECTIONS, Head
from model.vectors import unit

if TYPE_CHECKING:
    from sklearn.cluster import MiniBatchKMeans

COMMITTEE = 16  # draws from the head's posterior
PROPOSED = 5  # the places of a ranking whose change matters: as many as are proposed
# Cosine of two articles' vectors from which they count as near-duplicates: versions and corrections of one paper.
NEAR_DUPLICATE = 0.98
DIVERSE_AT_MOST = 64  # clusters, each of which gives an article; the others follow


@dataclass(frozen=True, eq=False)
class Waiting:
    """The pool: the articles that wait to be reviewed, each represented by its most promising sentences.

    rows: (a, m, d) as the head takes them; mask: (a, m), False where an article has fewer; reviewed: (b, PROJECTIONS),
    the vectors of the articles done.
    """

    rows: np.ndarray
    mask: np.ndarray
    head: Head
    reviewed: np.ndarray

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


def by_change(waiting: Waiting, generator: np.random.Generator) -> np.ndarray:
    """How much of the proposals would probably change: 1 - the expected overlap of the PROPOSED best sentences by a
    draw from the posterior with those by its mean. 0 where an article has no more sentences than that."""
    places = min(PROPOSED, waiting.mask.shape[1])
    floor = -1e9
    best = _best(np.where(waiting.mask, waiting.head.log_odds(waiting.rows), floor), places) & waiting.mask
    drawn = _best(np.where(waiting.mask, waiting.committee(generator), floor), places)
    return np.asarray(1 - (drawn & best).sum(axis=-1).mean(axis=0) / np.maximum(best.sum(axis=-1), 1))


def _best(scores: np.ndarray, places: int) -> np.ndarray:
    """Which are among the highest of their row, (..., m) -> (..., m)."""
    threshold = -np.partition(-scores, places - 1, axis=-1)[..., places - 1 : places]
    return scores >= threshold


def clustered(vectors: np.ndarray, generator: np.random.Generator) -> "MiniBatchKMeans":
    """Articles in at most DIVERSE_AT_MOST groups of like ones."""
    from sklearn.cluster import MiniBatchKMeans  # noqa: PLC0415 (scikit-learn takes a second to import)

    number = min(DIVERSE_AT_MOST, len(vectors))
    return MiniBatchKMeans(number, random_state=_seed(generator), n_init=1).fit(vectors)


def by_cluster(waiting: Waiting, generator: np.random.Generator) -> np.ndarray:
    """One article for each of many clusters, the largest unreviewed ones first (k-means, Zhdanov 2019)."""
    vectors = waiting.vectors
    found = clustered(vectors, generator)
    number = len(found.cluster_centers_)
    covered = (
        np.bincount(found.predict(waiting.reviewed.astype(vectors.dtype)), minlength=number)
        if len(waiting.reviewed)
        else np.zeros(number)
    )
    sizes = np.bincount(found.labels_, minlength=number) / (1 + covered)
    nearness = -np.linalg.norm(vectors - found.cluster_centers_[found.labels_], axis=1)
    central = [int(np.where(found.labels_ == c, nearness, -np.inf).argmax()) for c in np.argsort(-sizes) if sizes[c]]
    return _first(np.array(central), nearness)


def _seed(generator: np.random.Generator) -> int:
    return int(generator.integers(2**31))


def _first(order: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Scores, shape (a,), that rank the articles of `order` first, in that order, and all the others by `others`."""
    spread = np.ptp(others) or 1.0
    scores: np.ndarray = (others - others.max()) / spread
    scores[order] = np.arange(len(order), 0, -1)
    return scores


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
    "change": Strategy("Expected change", "its proposals would probably change most", by_change),
    "clusters": Strategy(
        "Clusters", "it represents a large group of articles that were not reviewed so far", by_cluster
    ),
}


# Strategies of earlier releases, none of them better (docs/measurements/simulation.md), and what takes their place.
REPLACED = {
    "uncertainty": "committee",
    "entropy": "committee",
    "information": "committee",
    "core-set": "clusters",
    "badge": "clusters",
}


def strategy_label(name: str) -> str:
    """A strategy as people know it, also one of an earlier release."""
    return STRATEGIES[name].label if name in STRATEGIES else name.capitalize()


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
