"""One replay of a labelled corpus: a strategy hands out articles, an oracle labels them, the head learns."""

import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import scipy

from annotate.experiments.simulation_spec import Evaluate, Replay
from model.active_learning.acquisition import Waiting, choose
from model.active_learning.head import Head, first_head, teach
from model.active_learning.screening import CALIBRATED, Examples, cold_weights, fit_triage
from model.active_learning.taught import Taught
from model.evaluation.discovery import area_under, recall_after, time_to_discovery, work_saved
from model.evaluation.metrics import average_r_precision
from model.labelled import KEY, NOT_KEY, UNLABELLED
from model.review.blocks import BLOCK, chance

FOLDS = 5  # held out: seed s tests on fold s of 5; seeds 5 to 9 use another shuffle
TOP = 10  # sentences that stand for an article where the next one is chosen, as in the app
# After this number of articles ARP is measured only at every fifth: it moves slowly there.
EVERY_ARTICLE = 100
THINNED = 5
REFIT = 50  # articles after which the head learns all labels again, so that approximations do not add up
FOUND_AFTER = (10, 20, 50)  # articles read, the first ones by lot among them
TRIAGE_EVERY = 10  # articles after which triage learns again, as in the app
MILESTONES = (5, 10, 15, 20, 30, 50, 100)
SHARES = (10, 25, 50)  # per cent of the pool's articles at which recall is told


@dataclass(frozen=True, eq=False)
class Material:
    """A corpus as a replay takes it: of each article its key, its rows (n, d) as the head sees them, its truth (n,).

    prior: the fixed hybrid as weights of the features, shape (f,), as of `prior_of`. words: what triage sees of each
    article, where it is used.
    """

    keys: Sequence[str]
    rows: Sequence[np.ndarray]
    truth: Sequence[np.ndarray]
    prior: np.ndarray
    words: Examples | None = None

    def save(self, path: Path) -> None:
        """Writes the material as .npz, rows as float16."""
        lengths = [len(own) for own in self.truth]
        np.savez(
            path,
            keys=np.array(self.keys),
            lengths=lengths,
            rows=np.vstack(self.rows).astype(np.float16),
            truth=np.concatenate(self.truth).astype(np.int8),
            prior=self.prior,
        )

    @classmethod
    def load(cls, path: Path) -> "Material":
        """The inverse; the rows are float32 again."""
        with np.load(path, allow_pickle=False) as stored:
            ends = np.cumsum(stored["lengths"])[:-1]
            rows = np.split(stored["rows"].astype(np.float32), ends)
            truth = np.split(stored["truth"].astype(np.int64), ends)
            return cls(stored["keys"].tolist(), rows, truth, stored["prior"])


def replay(run: Replay, material: Material, report: Callable[[float], None] = lambda part: None) -> dict[str, Any]:
    """The results of a replay: `history`, the curve; `articles` in the order they were read; `metrics`.

    `report` gets the part that is done, 0 to 1, and may raise to stop. Raises ValueError where too few articles or no
    key sentence are left to read or to measure on.
    """
    pool, test = split(run.evaluate, run.seed, len(material.keys))
    state = _State(run, material, pool, test)
    goal = min(run.articles or len(pool), len(pool))
    state.measure()
    for article in np.random.default_rng(run.seed).permutation(len(pool))[: min(run.seed_articles, goal)].tolist():
        state.label(article, None)
    state.head = teach(state.base, state.taught)
    while len(state.done) < goal:
        state.measure(thinned=True)
        report(len(state.done) / goal)
        state.read(state.chosen(min(run.batch, goal - len(state.done))))
    state.measure()
    return {"history": state.history, "articles": state.articles, "metrics": state.metrics()}


def split(evaluate: Evaluate, seed: int, articles: int) -> tuple[np.ndarray, np.ndarray]:
    """Indices of the pool's articles and of the held-out ones, of which there are none where the rest is measured."""
    if evaluate is Evaluate.REST:
        return np.arange(articles), np.arange(0)
    order = np.random.default_rng(seed // FOLDS).permutation(articles)
    test = np.sort(order[seed % FOLDS :: FOLDS])
    return np.setdiff1d(np.arange(articles), test), test


class _State:
    """The pool, the articles read so far, and the head that learnt from them. Articles: places in the pool."""

    def __init__(self, run: Replay, material: Material, pool: np.ndarray, test: np.ndarray) -> None:
        self.run = run
        self.material = material
        self.rows = [material.rows[i] for i in pool]
        self.truth = [material.truth[i] for i in pool]
        if run.triage and material.words is None:
            raise ValueError("triage needs the words of the corpus")
        self.words = material.words.at(pool) if run.triage and material.words else None
        self.matter: np.ndarray | None = None  # of the whole pool, and None without triage
        self.keys = [material.keys[i] for i in pool]
        self.total = int(sum(own.sum() for own in self.truth))
        if run.seed_articles >= len(pool):
            raise ValueError(f"{run.seed_articles} seed articles of {len(pool)}: nothing is left to choose from")
        if not self.total:
            raise ValueError("the articles of the pool have no key sentence")
        self.stacked = np.vstack(self.rows)
        self.base = first_head(self.stacked, material.prior)
        self.test = Measured([material.rows[i] for i in test], [material.truth[i] for i in test], self.base)
        if run.evaluate is Evaluate.HELD_OUT and self.test.empty:
            raise ValueError("the held-out articles have no key sentence")
        self.generator = np.random.default_rng([run.seed, zlib.crc32(run.strategy.encode())])
        lengths = np.array([len(own) for own in self.rows])
        self.inside = np.arange(lengths.max()) < lengths[:, None]
        self.starts = np.concatenate([[0], np.cumsum(lengths)[:-1]])
        self.head = self.base
        self.triaged = 0  # articles that triage has learnt from
        self.done: list[int] = []
        self.lots: list[bool] = []  # of each article handed out, whether by lot
        self.taught: list[Taught] = []
        self.history: list[dict[str, Any]] = []
        self.articles: list[dict[str, Any]] = []

    def chosen(self, number: int) -> np.ndarray:
        """The next articles, some of them by lot where the settings say so."""
        left = np.setdiff1d(np.arange(len(self.rows)), self.done)
        rows, mask = self._candidates()
        self._weigh_articles()
        by_lot = self._lots(number) if self.run.random_share else 0
        found: list[int] = []
        for strategy, wanted in ((self.run.strategy, number - by_lot), ("random", by_lot)):
            if wanted:
                waiting = Waiting(rows[left], mask[left], self.head)
                matter = None if self.matter is None else self.matter[left]
                found += left[choose(strategy, waiting, wanted, self.generator, matter=matter)[0]].tolist()
                left = np.setdiff1d(left, found)
        return np.array(found)

    def _lots(self, number: int) -> int:
        """How many of the next articles are drawn by lot: of each block exactly the share, as the queue draws them."""
        before = len(self.lots)
        for handed in range(before, before + number):
            drawn = sum(self.lots[handed - handed % BLOCK :])
            self.lots.append(bool(self.generator.random() < chance(self.run.random_share, handed, drawn)))
        return sum(self.lots[before:])

    def _weigh_articles(self) -> None:
        """How much each article matters: by its cues until there is enough to learn from, then every so often by what
        was found in others, as annotate/screening has it."""
        if self.words is None:
            return
        if self.matter is None:
            self.matter = cold_weights(self.words.cues)
        read = np.array(self.done, dtype=int)
        if len(read) - self.triaged >= TRIAGE_EVERY:
            held = np.array([article["found"] > 0 for article in self.articles], dtype=int)
            if min(held.sum(), (1 - held).sum()) >= CALIBRATED:
                self.matter = scipy.special.expit(fit_triage(self.words.at(read), held).log_odds(self.words))
                self.triaged = len(read)

    def _candidates(self) -> tuple[np.ndarray, np.ndarray]:
        """The TOP best sentences of each article by the head as it is: rows (a, m, d), mask (a, m)."""
        scores: np.ndarray = np.full(self.inside.shape, -np.inf, dtype=np.float32)
        scores[self.inside] = self.head.log_odds(self.stacked)
        most = min(TOP, scores.shape[1])
        best = np.argpartition(-scores, most - 1, axis=1)[:, :most]
        mask = np.take_along_axis(self.inside, best, axis=1)
        return self.stacked[np.where(mask, self.starts[:, None] + best, 0)] * mask[..., None], mask

    def read(self, chosen: np.ndarray) -> None:
        """An oracle labels these articles, one after the other, and the head learns from each."""
        for article in chosen.tolist():
            self.label(article, self.run.proposals)
            again = len(self.taught) % REFIT == 0
            self.head = teach(self.base, self.taught) if again else teach(self.head, self.taught[-1:])

    def label(self, article: int, proposals: int | None) -> None:
        """An oracle labels this number of an article's proposals, or all its sentences; nothing is learnt yet."""
        rows, truth = self.rows[article], self.truth[article]
        labels = _judged(self.head, rows, truth, proposals, again=self.run.learn_at_once)
        self.done.append(article)
        self.taught.append(Taught(rows, labels))
        looked, found = int((labels != UNLABELLED).sum()), int((labels == KEY).sum())
        self.articles.append({"key": self.keys[article], "looked": looked, "found": found})

    def measure(self, *, thinned: bool = False) -> None:
        """Adds a point to the curve; a thinned one only where it is due."""
        read = len(self.done)
        last = self.history[-1]["articles"] if self.history else -1
        if read == last or (thinned and read > EVERY_ARTICLE and read - last < THINNED):
            return
        on = self.test
        if self.run.evaluate is Evaluate.REST:
            left = np.setdiff1d(np.arange(len(self.rows)), self.done)
            on = Measured([self.rows[i] for i in left], [self.truth[i] for i in left], self.base)
        labels, found = (sum(article[name] for article in self.articles) for name in ("looked", "found"))
        point = {"articles": read, "labels": labels, "found": found, "arp": on.arp(self.head)}
        self.history.append(point | {"cold_arp": on.cold})

    def metrics(self) -> dict[str, Any]:
        """The numbers of the replay as a whole."""
        found, looked = ([article[name] for article in self.articles] for name in ("found", "looked"))
        points = {point["articles"]: point for point in self.history}
        learnt = [p for p in self.history if p["articles"] >= self.run.seed_articles and p["arp"] is not None]
        sentences = len(self.stacked)
        return {
            "pool_articles": len(self.rows),
            "pool_sentences": sentences,
            "pool_keys": self.total,
            "full_arp": full_arp(self.material, self.run.evaluate, self.run.seed),
            "cold_arp": self.history[0]["arp"],
            **{f"arp_{n}": points[n]["arp"] if n in points else None for n in MILESTONES},
            "area": area_under([p["articles"] for p in learnt], [p["arp"] for p in learnt]),
            **{f"found_{n}": sum(found[:n]) if len(found) >= n else None for n in FOUND_AFTER},
            **{f"recall_{s}": recall_after(found, self.total, len(self.rows), s / 100) for s in SHARES},
            "wss_95": work_saved(found, looked, self.total, sentences),
            "atd": time_to_discovery(found, len(self.rows)),
        }


class Measured:
    """Articles with a key sentence, on which heads are measured. `cold` is the ARP of the head before any label."""

    def __init__(self, rows: Sequence[np.ndarray], truth: Sequence[np.ndarray], base: Head) -> None:
        kept = [i for i, own in enumerate(truth) if own.any()]
        self.empty = not kept
        self.cold: float | None = None
        if kept:
            lengths = [len(truth[i]) for i in kept]
            self.rows = np.vstack([rows[i] for i in kept])
            self.truth = np.concatenate([truth[i] for i in kept])
            self.keys = np.array([truth[i].sum() for i in kept])
            self.starts = np.concatenate([[0], np.cumsum(lengths)[:-1]])
            self.article = np.repeat(np.arange(len(kept)), lengths)
            # A ranking's first R places of each article, R being the number of its key sentences.
            self.counted = np.arange(len(self.truth)) - self.starts[self.article] < self.keys[self.article]
            self.cold = self.arp(base)

    def arp(self, head: Head) -> float | None:
        """The average R-precision of a head's ranking of each article, 0 to 1; None without articles.

        As model.evaluation.metrics.average_r_precision has it, in one sort for all.
        """
        if self.empty:
            return None
        # The sort is stable: of equal scores the earlier sentence comes first.
        ranked = self.truth[np.lexsort((-head.log_odds(self.rows), self.article))]
        return float((np.add.reduceat(ranked * self.counted, self.starts) / self.keys).mean())


@lru_cache(maxsize=16)
def full_arp(material: Material, evaluate: Evaluate, seed: int) -> float | None:
    """The ARP of a head that was taught all labels of a seed's pool, the same for all strategies and readings.

    On the held-out articles; cross-validated by article, in FOLDS, where the rest is measured.
    """
    pool, test = split(evaluate, seed, len(material.keys))
    base = first_head(np.vstack([material.rows[i] for i in pool]), material.prior)
    every = {i: Taught(material.rows[i], np.where(material.truth[i] == 1, KEY, NOT_KEY)) for i in pool.tolist()}
    if evaluate is Evaluate.HELD_OUT:
        measured = Measured([material.rows[i] for i in test], [material.truth[i] for i in test], base)
        return measured.arp(teach(base, [*every.values()]))
    fold = np.random.default_rng(seed).permutation(len(pool)) % FOLDS
    heads = [teach(base, [every[i] for i in every if fold[i] != number]) for number in range(FOLDS)]
    scored = [(material.truth[i], heads[fold[i]].log_odds(material.rows[i])) for i in every]
    return average_r_precision(scored)


def _judged(head: Head, rows: np.ndarray, truth: np.ndarray, proposals: int | None, *, again: bool) -> np.ndarray:
    """The oracle's labels of an article, shape (n,): of all sentences, or of the `proposals` that the head ranks best.

    `again`: after each verdict a copy of the head learns from the verdicts on this article, and ranks the rest.
    """
    given = np.where(truth == 1, KEY, NOT_KEY)
    if proposals is None:
        return given
    labels = np.full(len(truth), UNLABELLED)
    scores = head.log_odds(rows)
    for number in range(min(proposals, len(truth))):
        if number and again:
            judged = Taught(rows, labels).judged
            scores = head.learn(judged.rows, judged.truth, np.ones(number)).log_odds(rows)
        best = int(np.where(labels == UNLABELLED, scores, -np.inf).argmax())
        labels[best] = given[best]
    return labels
