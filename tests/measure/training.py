"""Fine-tuning on few labels, cross-validated by article: ARP by cosine and hybrid for a set of settings.

    python -m tests.measure.training GOLD.csv [--folds 5] [--seeds 1]

GOLD.csv has the columns pmid, label, sentence, genes, cells, edit. About two minutes a setting on two cores.
"""

import argparse
import csv
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np

from annotate.articles.document_labels import Labels, terms_of
from model.encoder import encode, load
from model.evaluation.metrics import r_precision
from model.files import embedded_encoder
from model.labelled import LabelledArticle
from model.proposing.query import query_for
from model.proposing.ranking import Pool, Ranking
from model.proposing.terms import DocumentTerms
from model.training.fine_tuning import fine_tune
from model.training.settings import PRESETS, TrainingSettings
from tests.support.labels import gene_labels
from tests.support.topics import GENERIC, RULES

FIXED = GENERIC
FEW = PRESETS["few labels"]
SETTINGS: dict[str, TrainingSettings | None] = {
    "not fine-tuned": None,
    "few labels": FEW,
    "few labels, contrastive": replace(FEW, loss="contrastive", batch_size=32),
    "few labels, listwise": replace(FEW, loss="listwise"),
    "few labels, without dropout": replace(FEW, dropout=False),
    "few labels, query 3": replace(FEW, query=FIXED),
    "few labels, 2e-5": replace(FEW, learning_rate=2e-5),
    "few labels, 8 epochs": replace(FEW, epochs=8),
    "best": PRESETS["best"],
    "reference": PRESETS["reference"],
}
WEIGHTS = (0.25, 0.5, 1.0, 2.0)
Article = tuple[DocumentTerms, list[str], list[int]]


def articles_of(path: Path) -> list[Article]:
    """Terms, sentences and labels of each article."""
    rows: dict[str, list[dict[str, str]]] = {}
    with path.open(newline="") as file:
        for row in csv.DictReader(file):
            rows.setdefault(row["pmid"], []).append(row)
    articles = []
    for own in rows.values():
        labels = Labels()
        for row in own:
            labels = labels.merged(gene_labels(row["genes"], row["cells"], row["edit"]))
        articles.append((terms_of(labels), [r["sentence"] for r in own], [int(r["label"]) for r in own]))
    return articles


def folds_of(articles: list[Article], folds: int) -> Iterator[tuple[list[Article], list[Article]]]:
    """(training articles, held-out articles), each article held out once."""
    order = np.random.default_rng(0).permutation(len(articles))
    for fold in range(folds):
        held = set(order[fold::folds].tolist())
        yield [a for i, a in enumerate(articles) if i not in held], [articles[i] for i in sorted(held)]


def measure(articles: list[Article], settings: TrainingSettings | None, folds: int) -> dict[str, float]:
    """ARP over all held-out articles with key sentences."""
    scores: dict[str, list[float]] = {}
    own = settings.query if settings else None
    for train, held in folds_of(articles, folds):
        encoder = load(embedded_encoder())
        if settings:
            chosen = [
                LabelledArticle(str(n), query_for(RULES, terms, own), sentences, labels)
                for n, (terms, sentences, labels) in enumerate(train)
            ]
            fine_tune(encoder, chosen, settings)
        for terms, sentences, labels in held:
            if not sum(labels):
                continue
            vectors = encode(encoder, [query_for(RULES, terms, own), *sentences])
            cosines = vectors[1:] @ vectors[0]
            scores.setdefault("cosine", []).append(r_precision(labels, cosines))
            for weight in WEIGHTS:
                pool = Pool(sentences, cosines, terms, cosine_weight=weight, rules=RULES)
                score = r_precision(labels, Ranking.HYBRID.scores(pool))
                scores.setdefault(f"hybrid {weight}", []).append(score)
    return {name: float(np.mean(values)) for name, values in scores.items()}


def main() -> None:
    """Prints one line a setting: the mean over seeds."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("gold", type=Path)
    parser.add_argument("--folds", type=int, default=5)
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--only", nargs="+", help="settings by the beginning of their names")
    options = parser.parse_args()
    articles = articles_of(options.gold)
    for name, settings in SETTINGS.items():
        if options.only and not name.startswith(tuple(options.only)):
            continue
        started = time.monotonic()
        seeds = range(options.seeds if settings else 1)
        runs = [measure(articles, settings and replace(settings, seed=seed), options.folds) for seed in seeds]
        means = {ranking: np.mean([run[ranking] for run in runs]) for ranking in runs[0]}
        shown = "  ".join(f"{ranking} {mean:.3f}" for ranking, mean in means.items())
        print(f"{name:50} {shown}  ({time.monotonic() - started:.0f} s)", flush=True)


if __name__ == "__main__":
    main()
