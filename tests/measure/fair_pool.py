"""Prints whether two rankings keep their true order where labels come from the first five proposals of one of them.

python -m tests.measure.fair_pool VALIDATION.jsonl.gz [--draws 200] [--articles 40] [--cache FOLDER]

Labelled JSON lines with prompts. The parent ranks by the cosine to a generic query, the child by the cosine to each
article's own prompts (the embedded encoder, not fine-tuned); then turned round. By full labels the order of the two is
known. Of so many articles by lot, only the parent's first five of each are judged to begin with; then what
model/evaluation/pooling.py asks for is judged, until it asks for no more.
"""

import argparse
import gzip
import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from annotate.experiments.corpora import prompt_query
from model.evaluation.metrics import average_r_precision, r_precision
from model.evaluation.pooling import LEAST_DEPTH, bpref, is_fair, pool
from model.evaluation.summary import mean_difference
from tests.measure.learned import encoded

GENERIC = "The outcome differed significantly between the treatment and the control group."
Articles = Sequence[tuple[np.ndarray, np.ndarray, np.ndarray]]  # labels, the parent's scores, the child's scores


def read_articles(path: Path, cache: Path | None) -> list[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """Labels and both rankings of each article that has a key sentence."""
    with gzip.open(path, "rt", encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    vectors = encoded([text for row in rows for text in row["sentences"]], cache and cache / "fair_pool.npy")
    parts = np.split(vectors, np.cumsum([len(row["sentences"]) for row in rows])[:-1])
    generic, *own = encoded([GENERIC, *(prompt_query(row["prompts"]) for row in rows)])
    found = zip(rows, parts, own, strict=True)
    return [(np.array(row["labels"]), part @ generic, part @ query) for row, part, query in found if any(row["labels"])]


def judge(articles: Articles) -> tuple[list[np.ndarray], int]:
    """Which sentences are judged in the end, and how many more than the parent's first five."""
    judged = []
    for truth, parent, _ in articles:
        seen = np.zeros(len(truth), dtype=bool)
        seen[pool([0], parent)[:LEAST_DEPTH]] = True
        judged.append(seen)
    begun = sum(int(seen.sum()) for seen in judged)
    for (truth, *rankings), seen in zip(articles, judged, strict=True):
        while not all(is_fair(truth * seen, seen, scores) for scores in rankings):
            for scores in rankings:
                seen[pool(truth * seen, scores)] = True
    return judged, sum(int(seen.sum()) for seen in judged) - begun


def difference(articles: Articles, judged: Sequence[np.ndarray]) -> tuple[float, float, float, float]:
    """ARP of the child less the parent's with what is judged counted as labels, its interval, and the same of bpref."""
    known = [(truth * seen, seen, *ranks) for (truth, *ranks), seen in zip(articles, judged, strict=True)]
    known = [article for article in known if article[0].any()]
    parent, child = ([r_precision(truth, scores[which]) or 0.0 for truth, _, *scores in known] for which in (0, 1))
    condensed = [average([bpref(truth, seen, scores[which]) for truth, seen, *scores in known]) for which in (0, 1)]
    interval = mean_difference(child, parent)
    return interval.value, interval.low, interval.high, condensed[1] - condensed[0]


def average(values: Sequence[float | None]) -> float:
    """The mean of those that are there."""
    return float(np.mean([value for value in values if value is not None]))


def replay(name: str, articles: Articles, draws: int, size: int) -> None:
    """One line of the table."""
    generator = np.random.default_rng(0)
    right = {"first five": 0, "bpref of them": 0, "fair pool": 0, "bpref of it": 0}
    wrong_beyond_interval, extra = 0, []
    for _ in range(draws):
        drawn = [articles[index] for index in generator.choice(len(articles), size, replace=False)]
        everything = [np.ones(len(truth), dtype=bool) for truth, *_ in drawn]
        true = difference(drawn, everything)[0]
        naive = []
        for truth, parent, _ in drawn:
            seen = np.zeros(len(truth), dtype=bool)
            seen[pool([0], parent)] = True
            naive.append(seen)
        judged, more = judge(drawn)
        extra.append(more)
        for label, seen in (("first five", naive), ("fair pool", judged)):
            mean, low, high, condensed = difference(drawn, seen)
            right[label] += np.sign(mean) == np.sign(true)
            right[f"bpref of {'them' if label == 'first five' else 'it'}"] += np.sign(condensed) == np.sign(true)
            if label == "fair pool":
                wrong_beyond_interval += (low > 0 > true) or (high < 0 < true)
    shares = " | ".join(f"{100 * number / draws:.1f}%" for number in right.values())
    print(f"| {name} | {shares} | {100 * wrong_beyond_interval / draws:.1f}% | {np.mean(extra):.0f} |")


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("validation", type=Path)
    parser.add_argument("--draws", type=int, default=200)
    parser.add_argument("--articles", type=int, default=40)
    parser.add_argument("--cache", type=Path)
    options = parser.parse_args()
    articles = read_articles(options.validation, options.cache)
    for which, name in ((1, "parent"), (2, "child")):
        arp = average_r_precision([(article[0], article[which]) for article in articles])
        print(f"{name}: ARP {arp:.3f} on {len(articles)} articles with full labels")
    print(
        "| pair | first five | their bpref | fair pool | its bpref | beyond the interval, wrongly | more judgements |"
    )
    replay("parent proposed", articles, options.draws, options.articles)
    replay("child proposed", [(t, c, p) for t, p, c in articles], options.draws, options.articles)


if __name__ == "__main__":
    main()
