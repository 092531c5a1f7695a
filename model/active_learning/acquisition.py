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
DIVERSE_AT_MOST = 64  # greedy strategies order this many articles, the others follow by score


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


def by_margin(waiting: Waiting, generator: np.random.Generator) -> np.ndarray:
    """How near an article's best sentences lie to the threshold of one half: 1 - |p - (1 - p)|, summed."""
    return _summed(waiting, 1 - np.abs(2 * waiting.probabilities - 1))


def by_entropy(waiting: Waiting, generator: np.random.Generator) -> np.ndarray:
    """The entropy of the head's opinion, in nats, summed over an article's best sentences (Shannon 1948)."""
    return _summed(waiting, _entropy(waiting.probabilities))


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


def by_information(waiting: Waiting, generator: np.random.Generator) -> np.ndarray:
    """What the labels would probably tell about the weights: log(1 + p (1 - p) v) / 2 with v the variance of the log
    odds, in nats, summed over an article's best sentences (MacKay 1992)."""
    p = waiting.probabilities
    gained = np.log1p(p * (1 - p) * waiting.head.variance(waiting.rows)) / 2
    return _summed(waiting, gained)


def by_core_set(waiting: Waiting, generator: np.random.Generator) -> np.ndarray:
    """Articles far from all that were reviewed and from each other: greedy k-centre (Sener & Savarese 2018)."""
    vectors = waiting.vectors
    known = len(waiting.reviewed) > 0
    distances = distances_to_reviewed(vectors, waiting) if known else 1 + generator.random(len(vectors))  # by lot
    order, nearest = [], distances
    for _ in range(min(DIVERSE_AT_MOST, len(vectors))):
        order.append(int(nearest.argmax()))
        nearest = np.minimum(nearest, np.linalg.norm(vectors - vectors[order[-1]], axis=1))
        nearest[order] = -1.0
    return _first(np.array(order), distances)


def distances_to_reviewed(vectors: np.ndarray, waiting: Waiting) -> np.ndarray:
    """How far each of these vectors is from the nearest of the articles done, of which there is one at least."""
    from sklearn.metrics import pairwise_distances_argmin_min  # noqa: PLC0415 (a second)

    return np.asarray(pairwise_distances_argmin_min(vectors, waiting.reviewed.astype(vectors.dtype))[1])


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


def by_badge(waiting: Waiting, generator: np.random.Generator) -> np.ndarray:
    """Articles whose labels would pull the weights far and in different directions: k-means++ over the gradients
    that the head's own guesses would cause, without their signs summed by article (after BADGE, Ash et al. 2020)."""
    from sklearn.cluster import kmeans_plusplus  # noqa: PLC0415 (scikit-learn takes a second to import)

    p = waiting.probabilities
    off = np.where(waiting.mask, np.minimum(p, 1 - p), 0.0)
    gradients = np.einsum("am,amd->ad", off.astype(waiting.rows.dtype), waiting.rows)
    gradients = gradients - off.sum(axis=1, keepdims=True) * waiting.head.means
    gradients = np.column_stack([gradients / waiting.head.scales, off.sum(axis=1)])
    number = min(DIVERSE_AT_MOST, len(gradients))
    _, order = kmeans_plusplus(gradients, number, random_state=_seed(generator))
    return _first(order, np.linalg.norm(gradients, axis=1))


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
    "uncertainty": Strategy("Uncertainty", "the model can least tell its best sentences from others", by_margin),
    "entropy": Strategy("Entropy", "the model's opinion of its best sentences is the least certain", by_entropy),
    "committee": Strategy("Query by committee", "likely versions of the model disagree about it most", by_committee),
    "change": Strategy("Expected change", "its proposals would probably change most", by_change),
    "information": Strategy("Expected information", "its labels would probably teach the model most", by_information),
    "core-set": Strategy("Core-set", "it is unlike all that was reviewed so far", by_core_set),
    "clusters": Strategy(
        "Clusters", "it represents a large group of articles that were not reviewed so far", by_cluster
    ),
    "badge": Strategy("BADGE", "it would teach the model much, and other things than the articles before", by_badge),
}


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
