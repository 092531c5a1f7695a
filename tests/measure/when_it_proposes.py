"""Prints by which rule the learned ranking should take the fixed hybrid's place, by number of labelled trials.

python -m tests.measure.when_it_proposes ARTICLES.jsonl.gz [--skip N] [--cache FOLDER]

Labelled JSON lines with prompts, as Evidence Inference has them, ranked by the topic of clinical trials with their
names. Each draw learns from some articles by lot and ranks 150 others. Both rules decide by five folds of the articles
that were learnt from: by the mean difference from the hybrid, or by its 95% interval. Features teach alone, without
words. Encodes with all-MiniLM-L6-v2, not fine-tuned; the cache keeps what it encoded.
"""

import argparse
import gzip
import json
from pathlib import Path

import numpy as np

from annotate.topics.file import shipped
from model.active_learning.features import features_of, hybrid_of, prior_of
from model.active_learning.learned import cross_validated, fit_ranker, r_precisions
from model.active_learning.taught import Taught
from model.evaluation.summary import mean_difference
from tests.measure.learned import encoded
from tests.measure.topics import asked_of, pool_of, terms_of

RULES = shipped("clinical_trial_findings").rules
WEIGHT = RULES.cosine.named
HYBRID, PRIOR = hybrid_of(RULES, WEIGHT), prior_of(RULES, WEIGHT)
DRAWS = {20: 20, 50: 20, 100: 12}  # by number of articles that are learnt from
RANKED = 150


def read_trials(path: Path, skipped: int, cache: Path | None) -> list[Taught]:
    """The articles after the first ones that have a key sentence, as rows of features."""
    with gzip.open(path, "rt", encoding="utf-8") as file:
        rows = [json.loads(line) for line in file][skipped:]
    vectors = encoded([text for row in rows for text in row["sentences"]], cache and cache / f"trials_{skipped}.npy")
    queries = sorted({query for row in rows for query in asked_of(RULES, row["prompts"])})
    vector_of = dict(zip(queries, encoded(queries), strict=True))
    found = []
    for row, own in zip(rows, np.split(vectors, np.cumsum([len(row["sentences"]) for row in rows])[:-1]), strict=True):
        asked = np.stack([vector_of[query] for query in asked_of(RULES, row["prompts"])])
        pool = pool_of(row["sentences"], own, asked, terms_of(row["prompts"]), RULES, WEIGHT)
        found.append(Taught(features_of(pool), np.array(row["labels"])))
    return [article for article in found if article.truth.any()]


def drawn(taught: list[Taught], others: list[Taught]) -> tuple[float, float, bool, bool]:
    """ARP of the hybrid and of the learned ranking on the others, and whether each rule chooses the learned one."""
    gain = mean_difference(
        r_precisions(taught, cross_validated(taught, PRIOR)), r_precisions(taught, [a.rows @ HYBRID for a in taught])
    )
    ranker = fit_ranker(taught, PRIOR)
    fixed = r_precisions(others, [article.rows @ HYBRID for article in others])
    learned = r_precisions(others, [ranker.score_article(article) for article in others])
    return float(np.mean(fixed)), float(np.mean(learned)), gain.value > 0, gain.low > 0


def main() -> None:
    """Prints a line a number of articles."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("path", type=Path)
    parser.add_argument("--skip", type=int, default=0)
    parser.add_argument("--cache", type=Path)
    options = parser.parse_args()
    trials = read_trials(options.path, options.skip, options.cache)
    print("| articles | hybrid | learned | by the mean | by the interval | learned below the hybrid, of them chosen |")
    print("|---|---|---|---|---|---|")
    for size, draws in DRAWS.items():
        generator, rows = np.random.default_rng(size), []
        for _ in range(draws):
            order = generator.permutation(len(trials))
            rows.append(drawn(*([trials[i] for i in part] for part in (order[:size], order[size : size + RANKED]))))
        fixed, learned, by_mean, by_interval = (np.array(column) for column in zip(*rows, strict=True))
        below = learned < fixed
        chosen = [np.where(rule, learned, fixed).mean() for rule in (by_mean, by_interval)]
        wrong = f"{below.sum()}; {(below & by_mean).sum()}, {(below & by_interval).sum()} of {draws}"
        print(f"| {size} | {fixed.mean():.3f} | {learned.mean():.3f} | {chosen[0]:.3f} | {chosen[1]:.3f} | {wrong} |")


if __name__ == "__main__":
    main()
