"""Prints what the learned ranking is worth beside the fixed hybrid, by number of labelled articles.

python -m tests.measure.learned GOLD.csv TRAIN.jsonl.gz VALIDATION.jsonl.gz [--cache FOLDER]

Encodes with the embedded encoder, not fine-tuned; with --cache it reads and writes FOLDER/<name of file>.npy, float16
unit vectors in file order of the sentences. Not collected by pytest.
"""

import argparse
import gzip
import json
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np

import model.active_learning.taught
from model.active_learning.features import FEATURES, features_of
from model.active_learning.learned import cross_validated, fit_ranker, r_precisions
from model.active_learning.taught import Taught
from model.evaluation.metrics import average_r_precision
from model.evaluation.summary import mean_difference
from model.labelled import UNLABELLED
from model.proposing.query import query_for
from model.proposing.ranking import Pool, top_k
from tests.measure.ranking import read_gold
from tests.support.topics import GENERIC, PRIOR, RULES

SIZES = (5, 10, 15, 20, 30, 50, 100, 200, 400)
DRAWS = 10


def encoded(texts: list[str], cache: Path | None = None) -> np.ndarray:
    """Unit vectors of the texts, from the cache where there is one."""
    if cache and cache.exists():
        return np.load(cache).astype(np.float32)
    from model.encoder import encode, load
    from model.files import embedded_encoder

    encoder = load(embedded_encoder())
    encoder.max_seq_length = 128
    vectors = encode(encoder, texts)
    if cache:
        np.save(cache, vectors.astype(np.float16))
    return vectors


def pools_of(path: Path, folder: Path | None, most: int | None = None) -> list[tuple[Pool, np.ndarray, np.ndarray]]:
    """The articles of labelled JSON lines, or the first of them: sentences with cosines to the best generic query,
    labels and embeddings."""
    with gzip.open(path, "rt", encoding="utf-8") as file:
        rows = [json.loads(line) for line in file][:most]
    name = path.name.removesuffix(".jsonl.gz").rpartition("_")[2] + (f"_{most}" if most else "")
    cache = folder / f"{name}.npy" if folder else None
    vectors = encoded([text for row in rows for text in row["sentences"]], cache)
    query = encoded([GENERIC])[0]
    ends = np.cumsum([len(row["sentences"]) for row in rows])
    return [
        (Pool(row["sentences"], own @ query, rules=RULES), np.array(row["labels"]), own)
        for row, own in zip(rows, np.split(vectors, ends[:-1]), strict=True)
    ]


def lines_of(path: Path, folder: Path | None) -> list[Taught]:
    """The articles of labelled JSON lines, cosines to the best generic query."""
    return [Taught(features_of(pool), labels, pool.sentences) for pool, labels, _ in pools_of(path, folder)]


def gold_of(path: Path, described: Callable[[Pool], np.ndarray] = features_of) -> list[Taught]:
    """The articles of a gold CSV that have a key sentence, cosines to their own query; their features as told."""
    examples = []
    for article in read_gold(path):
        vectors = encoded([query_for(RULES, article.terms), *article.sentences])
        pool = Pool(article.sentences, vectors[1:] @ vectors[0], article.terms, rules=RULES)
        examples.append(Taught(described(pool), article.labels, pool.sentences))
    return examples


def arp(examples: list[Taught], weights: np.ndarray) -> float:
    """ARP of a weighted sum of the features."""
    return average_r_precision([(e.truth.tolist(), (e.rows @ weights).tolist()) for e in examples])


def learned(train: list[Taught], test: list[Taught]) -> list[float]:
    """R-precision by article of `test` by a ranker fitted on `train`."""
    ranker = fit_ranker(train, PRIOR)
    return r_precisions(test, [ranker.score_article(e) for e in test])


def without_words(examples: list[Taught]) -> list[Taught]:
    """The same articles, of which the features teach alone."""
    return [replace(example, sentences=()) for example in examples]


def show_words(name: str, bare: list[float], both: list[float]) -> None:
    """One line: ARP by the features alone, by words too, and their difference."""
    more = mean_difference(both, bare)
    print(f"  {name}: ARP by features {np.mean(bare):.3f}, by words too {np.mean(both):.3f}, difference"
          f" {more.value:+.3f} ({more.low:+.3f} to {more.high:+.3f})", flush=True)  # fmt: skip


def corpus(name: str, examples: list[Taught]) -> None:
    """Cross-validated ARP of the learned ranking beside the fixed hybrid and the cosine, and the seconds it takes."""
    cosine = (np.array(FEATURES) == "cosine").astype(float)
    started = time.perf_counter()
    found = r_precisions(examples, cross_validated(examples, PRIOR))
    validated = time.perf_counter() - started
    ranker = fit_ranker(examples, PRIOR)
    sentences = sum(len(e.labels) for e in examples)
    started = time.perf_counter()
    for example in examples:
        ranker.score_article(example)
    scoring = (time.perf_counter() - started) / sentences * 1e6
    print(f"{name}: {len(examples)} articles, {sentences:,} sentences")
    print(f"  ARP cosine {arp(examples, cosine):.3f}, fixed hybrid {arp(examples, PRIOR):.3f}")
    bare = without_words(examples)
    show_words("cross-validated", r_precisions(bare, cross_validated(bare, PRIOR)), found)
    print(f"  cross-validation {validated:.1f} s; scoring {scoring:.1f} us a sentence, features apart")


def curve(name: str, examples: list[Taught], sizes: tuple[int, ...]) -> None:
    """ARP on the articles left over, by the number of labelled ones: mean of draws, and how often hybrid was better."""
    print(f"| {name}: articles | learned | fixed hybrid | worse than the hybrid |")
    for size in sizes:
        generator, rows = np.random.default_rng(size), []
        for _ in range(DRAWS):
            order = generator.permutation(len(examples))
            train, test = ([examples[i] for i in part] for part in (order[:size], order[size : size + 300]))
            rows.append((np.mean(learned(train, test)), arp(test, PRIOR)))
        ours, fixed = np.array(rows).T
        print(f"| {size} | {ours.mean():.3f} | {fixed.mean():.3f} | {np.mean(ours < fixed):.0%} |", flush=True)


def incomplete(train: list[Taught], test: list[Taught]) -> None:
    """ARP by the weight of unlabelled sentences, where an expert saw only the five proposals of an earlier ranker."""
    first = fit_ranker(train[:40], PRIOR)
    seen = []
    for example in train[40:240]:
        labels = np.full(len(example.labels), UNLABELLED)
        shown = top_k(first.score(example.rows), 5)
        labels[shown] = example.labels[shown]
        seen.append(replace(example, labels=labels))
    kept = model.active_learning.taught.UNLABELLED_WEIGHT
    found = []
    for weight in (0.001, 0.05, 0.1, 0.25, 0.5, 1.0):
        model.active_learning.taught.UNLABELLED_WEIGHT = weight
        found.append(f"{weight}: {np.mean(learned(seen, test)):.3f}")
    model.active_learning.taught.UNLABELLED_WEIGHT = kept
    print("five proposals of 200 articles judged, ARP by the weight of the others:", ", ".join(found))


def main() -> None:
    """Prints all tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("gold", type=Path)
    parser.add_argument("train", type=Path)
    parser.add_argument("validation", type=Path)
    parser.add_argument("--cache", type=Path)
    options = parser.parse_args()
    gold = gold_of(options.gold)
    corpus("gold", gold)
    curve("gold", gold, (5, 10, 15))
    train, validation = (lines_of(path, options.cache) for path in (options.train, options.validation))
    curve("lines", train, SIZES)
    incomplete(train, validation)
    corpus("lines", train)
    by_features = learned(without_words(train), without_words(validation))
    show_words(f"fitted on these, {len(validation)} validation articles", by_features, learned(train, validation))


if __name__ == "__main__":
    main()
