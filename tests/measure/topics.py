"""Prints how well the shipped topics rank the articles of a labelled file without any training.

python -m tests.measure.topics ARTICLES.jsonl.gz [--cache FOLDER]

Labelled JSON lines with prompts, as Evidence Inference has them. Each article is asked for what its prompts say, and
once more as if nobody had named anything. Encodes with all-MiniLM-L6-v2, not
fine-tuned; the cache keeps what it encoded.
"""

import argparse
import gzip
import json
from pathlib import Path

import numpy as np

from annotate.experiments.corpora import prompt_query
from annotate.topics.file import SHIPPED, shipped
from model.evaluation.metrics import bootstrap_interval, r_precision
from model.evaluation.summary import mean_difference
from model.proposing.query import generic_query
from model.proposing.ranking import Pool, by_cosine, by_hybrid
from tests.measure.learned import encoded


def main(path: Path, cache: Path | None) -> None:
    """Encodes, ranks and prints a table: a line a topic and query, ARP of the cosine and of the topic's hybrid."""
    with gzip.open(path, "rt", encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    vectors = encoded([text for row in rows for text in row["sentences"]], cache and cache / "topics.npy")
    parts = np.split(vectors, np.cumsum([len(row["sentences"]) for row in rows])[:-1])
    topics = [shipped(key) for key in SHIPPED]
    asked = encoded([generic_query(topic.rules) for topic in topics] + [prompt_query(row["prompts"]) for row in rows])
    print("| topic | query | articles | cosine | hybrid | difference |\n|---|---|---|---|---|---|")
    for topic, generic in zip(topics, asked, strict=False):
        rules = topic.rules
        for name, weight in (("the article's", rules.cosine.named), ("that of no article", rules.cosine.generic)):
            cosine, hybrid = [], []
            for row, own, query in zip(rows, parts, asked[len(topics) :], strict=True):
                truth = (np.array(row["labels"]) == 1).astype(int)
                if not truth.any():
                    continue
                cosines = own @ (query if name == "the article's" else generic)
                pool = Pool(row["sentences"], cosines, cosine_weight=weight, rules=rules)
                cosine.append(r_precision(truth, by_cosine(pool)) or 0.0)
                hybrid.append(r_precision(truth, by_hybrid(pool)) or 0.0)
            shown = [_interval(values) for values in (cosine, hybrid)]
            more = mean_difference(hybrid, cosine)
            print(
                f"| {topic.name} | {name} | {len(cosine)} | {shown[0]} | {shown[1]} "
                f"| {more.mean:+.3f} ({more.low:+.3f} to {more.high:+.3f}) |"
            )


def _interval(values: list[float]) -> str:
    found = bootstrap_interval(values, np.random.default_rng(0))
    return f"{found.mean:.3f} ({found.low:.3f} to {found.high:.3f})"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("path", type=Path)
    parser.add_argument("--cache", type=Path)
    options = parser.parse_args()
    main(options.path, options.cache)
