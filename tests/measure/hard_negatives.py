"""Whether negatives that are found anew within an epoch teach more than random ones.

python -m tests.measure.hard_negatives TRAIN.jsonl.gz [--train 300] [--test 120] [--parts 4] [--seeds 2]

The preset "best", one epoch over the first articles of labelled JSON lines with key sentences, each with its own query;
the next ones are ranked by cosine. With hard negatives the epoch is cut into parts (`hard_renewals`): the first takes
random negatives, each later one half of them from what the encoder of that moment ranks highest in the part's articles,
less as many as the article has key sentences. Prints the Average R-Precision of each seed, and the paired difference by
article. Not collected by pytest.
"""

import argparse
import time
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from annotate.experiments.corpora import read_articles
from model.encoder import load
from model.evaluation.metrics import bootstrap_interval, r_precision
from model.files import embedded_encoder
from model.labelled import KEY, LabelledArticle
from model.training.fine_tuning import fine_tune
from model.training.settings import PRESETS, Negatives
from model.training.validation import cosines_of


def trained(train: list[LabelledArticle], test: list[LabelledArticle], parts: int, seed: int) -> np.ndarray:
    """The R-precision of each test article; hard negatives where there are parts."""
    hard: dict[str, Any] = {"negatives": Negatives.HARD, "hard_renewals": parts} if parts else {}
    encoder = load(embedded_encoder())
    fine_tune(encoder, train, replace(PRESETS["best"], seed=seed, **hard))
    return np.array([r_precision(a.truth, own) for a, own in zip(test, cosines_of(encoder, test), strict=True)])


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("path", type=Path)
    parser.add_argument("--train", type=int, default=300)
    parser.add_argument("--test", type=int, default=120)
    parser.add_argument("--parts", type=int, default=4)
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--first-seed", type=int, default=0)
    options = parser.parse_args()
    keyed = (article for article in read_articles(options.path) if KEY in article.labels)
    articles = list(islice(keyed, options.train + options.test))
    train, test = articles[: options.train], articles[options.train :]
    found: dict[int, list[np.ndarray]] = {0: [], options.parts: []}
    for seed in range(options.first_seed, options.first_seed + options.seeds):
        for parts, runs in found.items():
            began = time.process_time()
            runs.append(trained(train, test, parts, seed))
            name = f"hard, in {parts} parts" if parts else "random"
            print(
                f"seed {seed}, {name}: {runs[-1].mean():.3f}, {time.process_time() - began:,.0f} s of processor",
                flush=True,
            )
    difference = np.mean(found[options.parts], axis=0) - np.mean(found[0], axis=0)
    between = bootstrap_interval(difference, np.random.default_rng(0))
    print(
        f"hard less random: {difference.mean():+.3f} ({between.low:+.3f} to {between.high:+.3f}), {len(test)} articles"
    )


if __name__ == "__main__":
    main()
