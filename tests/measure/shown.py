"""Prints how many sentences are shown at first, and what they are worth, by fixed five and by rule.

    python -m tests.measure.shown choose
    python -m tests.measure.shown report GOLD.csv TRAIN.jsonl.gz [--cache FOLDER]

`choose` tries levels and shares on the half of tests/data/edit_labels.csv for developing (tests/measure/ranking.py).
`report` measures the rule as built on the other parts, on a file of gold, and on one half of ARTICLES articles of a
file of full texts. What it gives of probabilities comes from a head that has learnt from articles apart from these:
the half for developing, or the other half of the full texts. Articles without a key sentence are among them, and no
article has document labels. Encodes with the embedded encoder, not fine-tuned. Not collected by pytest.
"""

import argparse
import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from annotate.active_learning.heads import Base, calibration_of, counts_of
from annotate.experiments.corpora import read_articles
from model.active_learning.features import features_of
from model.active_learning.head import first_head, rows_of, teach
from model.active_learning.taught import Taught
from model.evaluation.calibration import Platt
from model.proposing.query import generic_query
from model.proposing.ranking import Pool, by_hybrid, top_k
from model.proposing.shown import LEVEL, SHARE, by_probability, by_share
from tests.measure.learned import encoded
from tests.measure.ranking import read_edits, read_gold
from tests.support.topics import PRIOR, RULES

K = 5
FOLDS = 5
ARTICLES = 120
LEVELS = (0.02, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5)
SHARES = (0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.5)


@dataclass(frozen=True, eq=False)
class Ranked:
    """One article: its labels, what the head sees of its sentences, their hybrid scores, and their probabilities."""

    truth: np.ndarray
    rows: np.ndarray
    scores: np.ndarray
    probabilities: np.ndarray | None = None

    def ordered(self) -> list[int]:
        """The sentences, best first: by their probabilities where there are any, else by the hybrid."""
        return top_k(self.scores if self.probabilities is None else self.probabilities, len(self.truth))


Rule = Callable[[Ranked], int]


def ranked(sentences: Sequence[str], labels: Sequence[int], vectors: np.ndarray, query: np.ndarray) -> Ranked:
    """An article of which no name is given."""
    pool = Pool(sentences, vectors @ query, cosine_weight=RULES.cosine.generic, rules=RULES)
    return Ranked(np.array(labels), rows_of(features_of(pool), vectors), by_hybrid(pool))


def all_ranked(articles: Sequence[tuple[Sequence[str], Sequence[int]]], cache: Path | None = None) -> list[Ranked]:
    """Articles given as sentences and labels."""
    vectors = encoded([text for sentences, _ in articles for text in sentences], cache)
    query = encoded([generic_query(RULES)])[0]
    parts = np.split(vectors, np.cumsum([len(sentences) for sentences, _ in articles])[:-1])
    return [ranked(*article, own, query) for article, own in zip(articles, parts, strict=True)]


def told(articles: Sequence[Ranked], taught: Sequence[Ranked]) -> list[Ranked]:
    """The articles with the calibrated probabilities of a head that has learnt from others, read in full."""
    first = first_head(np.vstack([one.rows for one in taught]), PRIOR)
    known = {number: Taught(one.rows, one.truth) for number, one in enumerate(taught)}
    base = Base(teach(first, list(known.values())), first, frozenset(), known, counts_of(known.values()))
    found = calibration_of(base)["calibration"]
    platt = Platt(found["a"], found["b"])
    return [
        Ranked(one.truth, one.rows, one.scores, platt.probability(base.head.log_odds(one.rows))) for one in articles
    ]


def cross_told(articles: Sequence[Ranked]) -> list[Ranked]:
    """The same, each fifth of the articles by a head that has learnt from the rest."""
    folds = np.random.default_rng(0).permutation(len(articles)) % FOLDS
    found = []
    for fold in range(FOLDS):
        rest = [one for one, own in zip(articles, folds, strict=True) if own != fold]
        found += told([one for one, own in zip(articles, folds, strict=True) if own == fold], rest)
    return found


def five(one: Ranked) -> int:
    """As it was: five, or all."""
    return min(K, len(one.truth))


def of_level(level: float) -> Rule:
    """As many of the first five as reach this probability."""
    return lambda one: by_probability(one.probabilities[one.ordered()[:K]], level)  # type: ignore[index]


def of_share(share: float) -> Rule:
    """This share of the sentences."""
    return lambda one: by_share(len(one.truth), K, share)


def line(name: str, articles: Sequence[Ranked], rule: Rule) -> str:
    """Sentences shown an article, their precision, recall, share of articles with a key sentence that show all."""
    counts = [rule(one) for one in articles]
    hits = np.array([one.truth[one.ordered()[:count]].sum() for one, count in zip(articles, counts, strict=True)])
    gold = np.array([one.truth.sum() for one in articles])
    whole = (hits == gold)[gold > 0].mean()
    figures = f"{np.mean(counts):.2f} | {hits.sum() / sum(counts):.3f} | {hits.sum() / gold.sum():.3f} | {whole:.3f}"
    return f"| {name} | {figures} |"


def table(name: str, articles: Sequence[Ranked], rules: dict[str, Rule]) -> None:
    """Prints a line a rule."""
    for rule, how in rules.items():
        print(line(f"{name}, {len(articles)} articles, {rule}", articles, how), flush=True)


def abstracts(part: str) -> list[Ranked]:
    """All articles of a part of edit_labels.csv."""
    return all_ranked([(one.sentences, one.labels) for one in read_edits(part, all_of_them=True)])


def halves(path: Path, cache: Path | None) -> tuple[list[Ranked], list[Ranked]]:
    """ARTICLES full texts in two halves, both by a hash of their names."""
    found = sorted(read_articles(path), key=lambda one: hashlib.sha256(one.key.encode()).digest())[:ARTICLES]
    articles = all_ranked([(one.sentences, one.truth) for one in found], cache / "shown.npy" if cache else None)
    return articles[: ARTICLES // 2], articles[ARTICLES // 2 :]


def report(gold: Path, texts: Path, cache: Path | None) -> None:
    """The rule as built, on articles that nothing was chosen by."""
    beside = abstracts("open")
    sources = {part: (abstracts(part), beside) for part in ("closed", "fresh")}
    sources[gold.stem] = all_ranked([(one.sentences, one.labels) for one in read_gold(gold, all_of_them=True)]), beside
    first, second = halves(texts, cache)
    sources["full texts"] = second, first
    for name, (articles, taught) in sources.items():
        table(f"{name}, not calibrated", articles, {"five": five, f"share {SHARE:g}": of_share(SHARE)})
        table(f"{name}, calibrated", told(articles, taught), {"five": five, f"level {LEVEL:g}": of_level(LEVEL)})


def main() -> None:
    """Runs what is asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("choose")
    reporting = commands.add_parser("report")
    reporting.add_argument("gold", type=Path)
    reporting.add_argument("texts", type=Path)
    reporting.add_argument("--cache", type=Path)
    options = parser.parse_args()
    print("| articles, rule | shown an article | precision | recall | all shown |\n|---|---|---|---|---|")
    if options.command == "report":
        report(options.gold, options.texts, options.cache)
        return
    beside = abstracts("open")
    table("open, not calibrated", beside, {"five": five} | {f"share {share:g}": of_share(share) for share in SHARES})
    levels: dict[str, Rule] = {f"level {level:g}": of_level(level) for level in LEVELS}
    table("open, calibrated", cross_told(beside), {"five": five} | levels)


if __name__ == "__main__":
    main()
