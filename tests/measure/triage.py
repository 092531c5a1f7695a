"""The figures of docs/screening.md: `cross FILE ...` learns and measures within files, `few FILE ...` learns from few
articles, drawn by lot, `misses FILE ...` from some whose key sentences are not all among the proposals, `mix OUT`
writes the mixed corpus.

python -m tests.measure.triage cross triage_mutations_dev.jsonl.gz
python -m tests.measure.triage few sample triage_drugs_adhd.jsonl.gz
python -m tests.measure.triage cross sample --folds 49
python -m tests.measure.triage misses triage_drugs_adhd.jsonl.gz
python -m tests.measure.triage mix mixed.jsonl.gz
"""

import argparse
import csv
import gzip
import hashlib
import json
from collections import defaultdict
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path

import numpy as np
from scipy.special import expit
from sklearn.model_selection import StratifiedKFold

from annotate.articles.document import SectionKind
from annotate.articles.parsing import Wanted, read_articles
from annotate.articles.sentences import split_sentences
from annotate.gold.sample import ABSTRACTS, on_topic, sample_files, text_hash
from annotate.screening.screening_files import TriageLine, as_examples, measured, read_triage
from annotate.topics.project_topic import current_topic
from model.active_learning.screening import LEAST, fit_triage, missed_share
from model.evaluation.calibration import expected_calibration_error

SAMPLE = "sample"
OFF_TOPIC = 200
DRAWS, MOST = 12, 300
# Of the articles with a key sentence of Evidence Inference, MISSED have none among the first five.
MISSED, READ = 0.21, 0.3


def labels() -> dict[str, dict[str, int]]:
    """Of each labelled article of the sample, by PMID, the label by the hash of a sentence's text."""
    found: dict[str, dict[str, int]] = defaultdict(dict)
    for row in csv.DictReader((files("annotate.gold") / "sample_labels.csv").read_text().splitlines()):
        found[row["pmid"]][row["text_sha256"]] = int(row["label"])
    return found


def abstracts(pmids: frozenset[str] | None) -> Iterator[tuple[str, str, list[str]]]:
    """(PMID, title, paragraphs of the abstract) of the articles of the package's MEDLINE file."""
    (path,) = [path for path in sample_files() if path.name == ABSTRACTS]
    for entry in read_articles(path, Wanted(pmids=pmids)):
        article = entry.article
        if article is not None and article.pmid:
            texts = [p.text for section, _, p in article.paragraphs() if section.kind is SectionKind.ABSTRACT]
            yield article.pmid, article.title, texts


def sample_lines() -> list[TriageLine]:
    """The labelled articles of the sample: wanted where one of their sentences is key."""
    known = labels()
    found = abstracts(frozenset(known))
    return [TriageLine(title, " ".join(texts), int(any(known[pmid].values()))) for pmid, title, texts in found]


def cross(lines: list[TriageLine], folds: int) -> dict[str, float | None]:
    """The four measures, each article by what the other folds taught; as many folds as articles leave one out."""
    truth = np.array([line.label for line in lines])
    examples = as_examples(lines, current_topic().rules)
    p = np.zeros(len(lines))
    everyone = np.arange(len(lines))
    parts: list[np.ndarray] = (
        [np.array([n]) for n in everyone]
        if folds >= len(lines)
        else [held for _, held in StratifiedKFold(folds, shuffle=True, random_state=0).split(everyone, truth)]
    )
    for held in parts:
        seen = np.setdiff1d(everyone, held)
        p[held] = expit(fit_triage(examples.at(seen), truth[seen]).log_odds(examples.at(held)))
    return measured(truth.tolist(), p)


def few(lines: list[TriageLine], size: int) -> str:
    """Means over DRAWS lots of so many articles to learn from, with both kinds in their shares, measured on at most
    MOST others; beside the calibration error the one that probabilities would have by which these others were drawn.
    `told over true`: how many they say hold something, over how many do, in all draws together."""
    truth = np.array([line.label for line in lines])
    examples = as_examples(lines, current_topic().rules)
    found: list[list[float]] = []
    told = held = 0.0
    for seed in range(DRAWS):
        lot = np.random.default_rng(seed)
        kinds = [lot.permutation(np.flatnonzero(truth == kind)) for kind in (1, 0)]
        wanted = max(LEAST, round(size * truth.mean()))
        seen = lot.permutation(np.concatenate([kinds[0][:wanted], kinds[1][: size - wanted]]))
        unseen = lot.permutation(np.setdiff1d(np.arange(len(lines)), seen))[:MOST]
        p = expit(fit_triage(examples.at(seen), truth[seen]).log_odds(examples.at(unseen)))
        true = measured(truth[unseen].tolist(), p)
        told, held = told + float(p.sum()), held + float(truth[unseen].sum())
        drawn = [expected_calibration_error(p, (lot.random(len(p)) < p).astype(int)) or 0.0 for _ in range(DRAWS)]
        found.append([true["auroc"] or 0.0, true["ece"] or 0.0, float(np.mean(drawn))])
    auroc, error, least = np.mean(found, axis=0)
    return f"of {size}: auroc {auroc:.3f} ece {error:.3f}, were they right {least:.3f} told over true {told / held:.2f}"


def misses(lines: list[TriageLine], size: int) -> str:
    """Means over DRAWS lots of so many articles to learn from, of which MISSED of those that hold something show none
    among their proposals, and READ are read in full all the same, by lot: what the others' labels taught before, and
    what they teach now that they are weighed by what reading in full has shown."""
    truth = np.array([line.label for line in lines])
    examples = as_examples(lines, current_topic().rules)
    found: list[list[float]] = []
    for seed in range(DRAWS):
        lot = np.random.default_rng(seed)
        seen = lot.permutation(len(lines))[:size]
        unseen = np.setdiff1d(np.arange(len(lines)), seen)
        hidden, read = lot.random(size) < MISSED, lot.random(size) < READ
        before = (truth[seen] * ~(hidden & ~read)).astype(float)
        share = missed_share((truth[seen] > 0)[read & (hidden | (truth[seen] == 0))].tolist())
        after = np.where((before == 0) & ~read, share, before)
        row = []
        for labels in (before, after):
            p = expit(fit_triage(examples.at(seen), labels).log_odds(examples.at(unseen)))
            true = measured(truth[unseen].tolist(), p)
            row += [true["auroc"] or 0.0, true["ece"] or 0.0, p.sum() / truth[unseen].sum()]
        found.append(row)
    told = (
        "auroc {:.3f} ece {:.3f} told over true {:.2f}".format(*part) for part in np.mean(found, axis=0).reshape(2, 3)
    )
    return f"of {size}: holds nothing: {next(told)}; weighed: {next(told)}"


def mix(out: Path) -> int:
    """Writes the labelled abstracts of the sample and OFF_TOPIC others by lot as labelled JSON lines; their number."""
    known, topic = labels(), on_topic()
    lines, others = [], []
    for pmid, title, texts in abstracts(None):
        sentences = [text[start:end] for text in texts for start, end in split_sentences(text)]
        if pmid in known:
            marked = [known[pmid].get(text_hash(sentence), 0) for sentence in sentences]
            lines.append({"id": pmid, "sentences": sentences, "labels": marked, "read_in_full": True})
        elif sentences and not topic.search(" ".join([title, *sentences])):
            none = [0] * len(sentences)
            others.append({"id": pmid, "sentences": sentences, "labels": none, "read_in_full": True})
    others.sort(key=lambda line: hashlib.sha256(f"off topic:{line['id']}".encode()).digest())
    with gzip.open(out, "wt", encoding="utf-8") as file:
        for line in [*lines, *others[:OFF_TOPIC]]:
            file.write(json.dumps(line) + "\n")
    return len(lines) + OFF_TOPIC


def main() -> None:
    """Prints one line a file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    crossed = commands.add_parser("cross")
    crossed.add_argument("files", nargs="+", help=f"JSON lines as `triage evaluate` takes them, or {SAMPLE}")
    crossed.add_argument("--folds", type=int, default=5)
    little = commands.add_parser("few")
    little.add_argument("files", nargs="+", help="likewise")
    little.add_argument("--sizes", type=int, nargs="+", default=[25, 50, 100, 200])
    missed = commands.add_parser("misses")
    missed.add_argument("files", nargs="+", help="likewise")
    missed.add_argument("--sizes", type=int, nargs="+", default=[100, 200])
    commands.add_parser("mix").add_argument("out", type=Path)
    options = parser.parse_args()
    if options.command == "mix":
        print(f"{mix(options.out)} articles")
        return
    for name in options.files:
        lines = sample_lines() if name == SAMPLE else read_triage(Path(name))
        if options.command in ("few", "misses"):
            for size in (size for size in options.sizes if size < 0.6 * len(lines)):
                print(name, (few if options.command == "few" else misses)(lines, size), flush=True)
            continue
        found = cross(lines, options.folds)
        print(name, len(lines), " ".join(f"{key} {value:.3f}" for key, value in found.items() if value is not None))


if __name__ == "__main__":
    main()
