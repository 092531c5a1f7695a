"""Fits what key sentences of all topics have in common, and prints what it is worth on each topic by the others.

python -m tests.measure.common_part TRIALS EXPRESSION KINASE HALLMARKS [--cache FOLDER] [--write]

All are .jsonl.gz. Trials: labelled articles of Evidence Inference, the first 240. Expression and kinase: sentences that
curators graded. Hallmarks: abstracts whose sentences tell of hallmarks of cancer, of the training part the first 300
with such a sentence. Gene editing: the open and closed halves of tests/data/edit_labels.csv. Each topic is ranked by
the cosine to a sentence that says what counts, and by that with the common part, whose weights have not seen the topic.
--write makes model/active_learning/common.json from all of them. Not collected by pytest.
"""

import argparse
import gzip
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegression

from model.active_learning.common import COMMON_COLUMNS, common_columns
from model.evaluation.metrics import r_precision
from model.evaluation.summary import mean_difference
from model.proposing.ranking import Pool, standardised
from tests.measure.learned import encoded
from tests.measure.ranking import read_edits
from tests.measure.topics import sections_of
from tests.support.paths import ROOT

REGULARISATION = 0.003  # scikit-learn's C, of topics that weigh 300 each; .03 and .3 rank alike
TOPIC_WEIGHT = 300.0
WEIGHTS = (1.0, 2.0, 3.0)  # standard deviations of the common part for one of the cosine
TRIALS, ABSTRACTS = 240, 300
WRITTEN = ROOT / "model" / "active_learning" / "common.json"
COUNTS = {
    "trials": "A key sentence reports a finding of this trial: what the intervention did to an outcome, against the"
    " comparator.",
    "gene editing": "A key sentence says what was edited in this study: the gene, the kind of edit, and the cells or"
    " the organism.",
    "expression": "A sentence counts where it tells that a named gene's product is seen in a named tissue, cell or"
    " stage, by the authors' own experiment.",
    "kinase": "A sentence counts where it tells that a named protein was shown to phosphorylate (or not) a named"
    " substrate, by the authors' own assay.",
    "hallmarks": "A sentence counts where it gives evidence of a hallmark of cancer: growth, escape from suppressors or"
    " death, immortality, vessels, invasion, energy, genome instability, inflammation or immune escape.",
}


@dataclass(frozen=True, eq=False)
class Labelled:
    """One article: its columns (n, len(COMMON_COLUMNS)), labels 0 or 1 and cosines to what counts, shape (n,)."""

    columns: np.ndarray
    truth: np.ndarray
    cosines: np.ndarray


Entries = list[tuple[list[str], list[int], list[str]]]  # sentences, labels and kinds of sections of each article


def entries_of(options: argparse.Namespace) -> dict[str, Entries]:
    """The articles of each topic that have key sentences and others."""
    trials = [(row["sentences"], [int(label == 1) for label in row["labels"]], sections_of(row["sentences"]))
              for row in lines_of(options.trials)[:TRIALS]]  # fmt: skip
    edits = [(one.sentences, one.labels.tolist(), ["abstract"] * len(one.sentences))
             for part in ("open", "closed") for one in read_edits(part)]  # fmt: skip
    graded = {
        name: [(row["sentences"], row["labels"], []) for row in lines_of(getattr(options, name))]
        for name in ("expression", "kinase")
    }
    hallmarks = [
        (row["sentences"], [int(bool(found)) for found in row["hallmarks"]], ["abstract"] * len(row["sentences"]))
        for row in lines_of(options.hallmarks)
        if row["split"] == "train"
    ]
    found = {"trials": trials, "gene editing": edits, **graded, "hallmarks": hallmarks}
    whole = {name: [one for one in entries if 0 < sum(one[1]) < len(one[1])] for name, entries in found.items()}
    return {**whole, "hallmarks": whole["hallmarks"][:ABSTRACTS]}


def lines_of(path: Path) -> list[dict[str, Any]]:
    """The rows of a file of JSON lines."""
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def articles_of(name: str, entries: Entries, cache: Path | None) -> list[Labelled]:
    """The articles of a topic, encoded."""
    vectors = encoded([text for texts, _, _ in entries for text in texts], cache and cache / f"common_{name}.npy")
    counts = encoded([COUNTS[name]])[0]
    parts = np.split(vectors, np.cumsum([len(texts) for texts, _, _ in entries])[:-1])
    return [
        Labelled(common_columns(Pool(texts, sections=sections)), np.array(labels), own @ counts)
        for (texts, labels, sections), own in zip(entries, parts, strict=True)
    ]


def fitted(topics: Iterable[Sequence[Labelled]]) -> np.ndarray:
    """The weights of the columns: each topic weighs the same, within it each article, within that either label."""
    rows, truth, weights = [], [], []
    for articles in topics:
        for one in articles:
            key = one.truth == 1
            rows.append(one.columns)
            truth.append(one.truth)
            weights.append(np.where(key, 0.5 / key.sum(), 0.5 / (~key).sum()) * TOPIC_WEIGHT / len(articles))
    model = LogisticRegression(C=REGULARISATION, max_iter=300)
    model.fit(np.vstack(rows), np.concatenate(truth), sample_weight=np.concatenate(weights))
    return np.asarray(model.coef_[0])


def parser_of(description: str | None) -> argparse.ArgumentParser:
    """What both programs that read these files take."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("trials", "expression", "kinase", "hallmarks"):
        parser.add_argument(name, type=Path)
    parser.add_argument("--cache", type=Path)
    return parser


def main() -> None:
    """Prints a line a topic; writes the weights of all."""
    parser = parser_of(__doc__)
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    topics = {name: articles_of(name, entries, options.cache) for name, entries in entries_of(options).items()}
    print("| topic | articles | cosine | common part |", *(f"{weight:g} times it, too |" for weight in WEIGHTS))
    for name, articles in topics.items():
        weights = fitted(others for other, others in topics.items() if other != name)
        common = [standardised(one.columns @ weights) for one in articles]
        cosines = [standardised(one.cosines) for one in articles]
        alone = [_arps(articles, scores) for scores in (cosines, common)]
        cells = [f"{np.mean(values):.3f}" for values in alone]
        for weight in WEIGHTS:
            both = _arps(articles, [one + weight * other for one, other in zip(cosines, common, strict=True)])
            more = mean_difference(both, alone[0])
            cells.append(f"{np.mean(both):.3f}, {more.mean:+.3f} ({more.low:+.3f} to {more.high:+.3f})")
        print("|", " | ".join([name, str(len(articles)), *cells]), "|", flush=True)
    if options.write:
        weights = dict(zip(COMMON_COLUMNS, (round(float(one), 3) for one in fitted(topics.values())), strict=True))
        told = {"made by": "python -m tests.measure.common_part", "articles": {n: len(a) for n, a in topics.items()}}
        WRITTEN.write_text(json.dumps({**told, "weights": weights}, indent=1) + "\n")


def _arps(articles: Sequence[Labelled], scores: Sequence[np.ndarray]) -> list[float]:
    return [r_precision(one.truth, own) or 0.0 for one, own in zip(articles, scores, strict=True)]


if __name__ == "__main__":
    main()
