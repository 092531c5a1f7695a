"""Prints how often the gate lets better and equally good versions pass, and how labels flatter a learned ranking.

python -m tests.measure.gate VALIDATION.jsonl.gz [--draws 200] [--cache FOLDER]

Labelled JSON lines with prompts. The parent ranks by the cosine to a generic query; better children add some of the
cosine to the article's own prompts; equally good ones differ by noise alone. Before: the sign flip test on R-precision
at .05 / (n (n + 1)), once an evaluation. Now: evidence on nDCG@20, at every look (`model/evaluation/evidence.py`).

Then the labels of each article come from the first five of one fixed ranking: does the learned ranking take over?
"""

import argparse
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from annotate.active_learning.article_rankers import FIXED, MIN_FAIR, on_fair
from annotate.proposing.comparison import ERROR
from model.active_learning.features import features_of
from model.active_learning.learned import cross_validated, r_precisions
from model.active_learning.taught import Taught
from model.evaluation.evidence import needed_at, sign_evidence
from model.evaluation.intervals import sign_flip
from model.evaluation.metrics import ndcg_at_k, r_precision
from model.evaluation.summary import mean_difference
from model.labelled import KEY, UNLABELLED
from model.proposing.ranking import top_k
from tests.measure.fair_pool import read_articles
from tests.measure.learned import pools_of
from tests.support.topics import PRIOR

TRIES = (1, 3, 5, 10)
LOOKS = range(10, 61, 5)


def standard(scores: np.ndarray) -> np.ndarray:
    """Scores with mean 0 and deviation 1."""
    return (scores - scores.mean()) / max(scores.std(), 1e-9)


def versions(path: Path, cache: Path | None, draws: int) -> None:
    """How often children pass, by their true gain, the number of articles and the try."""
    articles = read_articles(path, cache)
    generator = np.random.default_rng(0)

    def child(own: float, noise: float = 0.0) -> list[np.ndarray]:
        found = [standard(parent) + own * standard(prompts) for _, parent, prompts in articles]
        return [scores + noise * generator.normal(size=len(scores)) for scores in found]

    def gained(measure: Callable[..., float | None], one: Sequence[np.ndarray], other: Sequence[np.ndarray]):
        pairs = zip(articles, one, other, strict=True)
        return np.array([(measure(a[0], x) or 0.0) - (measure(a[0], y) or 0.0) for a, x, y in pairs])

    print("| true gain in ARP, nDCG@20 | articles | before, at try 1, 3, 5, 10 | now |")
    parent = child(0.0)
    for own in (0.3, 0.5, 0.8):
        better = child(own)
        arp, graded = gained(r_precision, better, parent), gained(_ndcg, better, parent)
        for n in (10, 20, 40):
            chosen = [generator.choice(len(articles), n, replace=False) for _ in range(draws)]
            before = [sign_flip(arp[rows].tolist(), rounds=20_000) for rows in chosen]
            now = [sign_evidence(graded[rows]) for rows in chosen]
            passed = [
                ", ".join(f"{np.mean([ok(value, t) for value in values]):.2f}" for t in TRIES)
                for values, ok in (
                    (before, lambda p, t: p <= ERROR / (t * (t + 1))),
                    (now, lambda e, t: e >= needed_at(t, ERROR)),
                )
            ]
            print(f"| {arp.mean():+.3f}, {graded.mean():+.3f} | {n} | {passed[0]} | {passed[1]} |", flush=True)
    old = new = 0
    for _ in range(2 * draws):
        one, other = child(0.5, 0.7), child(0.5, 0.7)
        order = generator.permutation(len(articles))
        arp, graded = gained(r_precision, one, other)[order], gained(_ndcg, one, other)[order]
        old += any(sign_flip(arp[:n].tolist(), rounds=2_000) <= ERROR / 2 for n in LOOKS)
        new += any(sign_evidence(graded[:n]) >= needed_at(1, ERROR) for n in LOOKS)
    print(
        f"equally good, looked at {len(LOOKS)} times: {old / (2 * draws):.2%} pass before, {new / (2 * draws):.2%} now"
    )


def _ndcg(labels: np.ndarray, scores: np.ndarray) -> float | None:
    return ndcg_at_k(labels, scores, 20)


def learned(path: Path, cache: Path | None) -> None:
    """By the ranking whose first five were judged: what the labels say of the learned ranking, and what is true."""
    pools = pools_of(path, cache)
    print("| judged | true difference | all articles, as before | fair articles | n |")
    for ranking in (*FIXED, None):
        taught = []
        for pool, labels, _ in pools:
            seen = np.arange(len(labels)) if ranking is None else top_k(ranking.scores(pool), 5)
            given = np.full(len(labels), UNLABELLED)
            given[seen] = labels[seen]
            taught.append(Taught(features_of(pool), given))
        kept = [number for number, example in enumerate(taught) if KEY in example.labels]
        examples, whole = [taught[n] for n in kept], [Taught(taught[n].rows, pools[n][1]) for n in kept]
        scores, hybrid = cross_validated(examples, PRIOR), [FIXED[0].scores(pools[n][0]) for n in kept]
        true, naive = (mean_difference(r_precisions(of, scores), r_precisions(of, hybrid)) for of in (whole, examples))
        after, before = on_fair(examples, scores, hybrid)
        fair = mean_difference(after, before) if len(after) >= MIN_FAIR else None
        cells = [
            f"{d.value:+.3f} ({d.low:+.3f} to {d.high:+.3f})" if d else "not compared" for d in (true, naive, fair)
        ]
        print(f"| {ranking or 'all'} | {' | '.join(cells)} | {len(after)} of {len(examples)} |", flush=True)


def main() -> None:
    """Prints both tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("validation", type=Path)
    parser.add_argument("--draws", type=int, default=200)
    parser.add_argument("--cache", type=Path)
    options = parser.parse_args()
    versions(options.validation, options.cache, options.draws)
    learned(options.validation, options.cache)


if __name__ == "__main__":
    main()
