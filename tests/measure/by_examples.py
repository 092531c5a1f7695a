"""Prints what a topic by examples is worth: ranked by ten sentences, and then by verdicts that are given on top.

python -m tests.measure.by_examples TOPIC=FILE.jsonl.gz ... [--editing open] [--draws N] [--most N] [--cache FOLDER]

Each file holds labelled articles as JSON lines; `--editing` adds a part of tests/data/edit_labels.csv (see
tests.measure.ranking). Each draw halves the articles by lot. Five sentences that count and five that do not come from
the first half, and verdicts on its articles: the five best sentences of one after the other, by the head of then. All
figures are of the other half. `blank` is the shipped topic that knows nothing; `proposed again` is what the next
propose job makes of the verdicts, examples and a new head. Encodes with all-MiniLM-L6-v2, not fine-tuned.
"""

import argparse
import gzip
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from annotate.active_learning.taught_examples import FEWEST
from annotate.proposing.examples import Likeness
from annotate.topics.by_examples import ByExamples, text_of
from annotate.topics.file import read_topic, shipped
from model.active_learning.features import FEATURES, features_of, prior_of
from model.active_learning.head import Head, first_head, rows_of, teach
from model.active_learning.taught import Taught
from model.evaluation.metrics import average_precision, average_r_precision
from model.labelled import UNLABELLED
from model.proposing.query import generic_query
from model.proposing.ranking import Pool, top_k
from model.proposing.rules import EXAMPLES
from tests.measure.learned import encoded
from tests.measure.ranking import read_edits

BLANK = shipped("blank").rules
FEW = 5  # examples of either kind
PROPOSED = 5  # sentences of an article that are judged
Place = tuple[int, int]  # an article, and the position of a sentence in it
VERDICTS = (0, 5, 20, 50, 100)
LIKE = FEATURES.index(EXAMPLES)
# What counts, in the words of the curators' guidelines and of the shipped topics.
ABOUT = {
    "expression": "A named gene's product is seen in a named tissue, cell or stage, by the authors' own experiment.",
    "kinase": "A named protein was shown to phosphorylate, or not, a named substrate, by the authors' own assay.",
    "editing": shipped("gene_editing").file.about,
    "trials": shipped("clinical_trial_findings").file.about,
}


@dataclass(frozen=True, eq=False)
class Article:
    """An article's sentences, their labels 0 or 1, shape (n,), and their vectors (n, dimension)."""

    sentences: list[str]
    truth: np.ndarray
    vectors: np.ndarray


@dataclass(frozen=True, eq=False)
class Drawn:
    """A topic by examples of one draw: its examples, the rows of its articles as a head sees them, and the weights that
    it begins with, as of `prior_of`."""

    chosen: Sequence[Place]
    rows: list[np.ndarray]
    prior: np.ndarray

    def head(self, articles: Sequence[int], judged: Mapping[int, np.ndarray]) -> Head:
        """The head for such articles after the labels of those that were judged."""
        first = first_head(np.vstack([self.rows[i] for i in articles]), self.prior)
        return teach(first, [Taught(self.rows[i], labels) for i, labels in judged.items()])


def articles_of(given: list[tuple[list[str], Sequence[int]]], cache: Path | None) -> list[Article]:
    """Articles with their vectors, from the cache where there is one."""
    vectors = encoded([text for sentences, _ in given for text in sentences], cache)
    ends = np.cumsum([len(sentences) for sentences, _ in given])[:-1]
    parts = np.split(vectors, ends)
    return [Article(texts, np.array(labels), own) for (texts, labels), own in zip(given, parts, strict=True)]


def read_lines(path: Path, most: int) -> list[tuple[list[str], Sequence[int]]]:
    """(sentences, labels) of the first articles of a file."""
    with gzip.open(path, "rt", encoding="utf-8") as file:
        rows = [json.loads(line) for line in file][:most]
    return [(row["sentences"], row["labels"]) for row in rows]


def rows_by(articles: Sequence[Article], query: np.ndarray) -> list[np.ndarray]:
    """What a head sees of each article by a topic without cues, before anything is learnt from examples."""
    pools = (Pool(one.sentences, one.vectors @ query, rules=BLANK) for one in articles)
    return [rows_of(features_of(pool), one.vectors) for pool, one in zip(pools, articles, strict=True)]


def drawn_examples(articles: Sequence[Article], half: Sequence[int], generator: np.random.Generator) -> list[Place]:
    """FEW sentences that count, then FEW that do not."""
    found: list[Place] = []
    for label in (1, 0):
        places = [(i, int(j)) for i in half for j in np.flatnonzero(articles[i].truth == label)]
        found += [places[k] for k in generator.choice(len(places), FEW, replace=False)]
    return found


def by_examples(
    articles: Sequence[Article],
    name: str,
    bare: Sequence[np.ndarray],
    chosen: Sequence[Place],
    judged: Mapping[int, np.ndarray],
) -> Drawn:
    """The topic that people make of these examples, after the propose job that finds these labels."""
    texts = [articles[i].sentences[j] for i, j in chosen]
    given = ByExamples(name, ABOUT[name], tuple(dict.fromkeys(texts[:FEW])), tuple(dict.fromkeys(texts[FEW:])))
    rules = read_topic(text_of(given, shipped("blank"))).rules
    taught = [(i, int(j)) for i, labels in judged.items() for j in np.flatnonzero(labels != UNLABELLED)]
    places = [*chosen, *(taught if len(taught) >= FEWEST else ())]
    learnt = Likeness(
        [articles[i].sentences[j] for i, j in places],
        np.stack([articles[i].vectors[j] for i, j in places]),
        np.array([articles[i].truth[j] for i, j in places]),
        np.array([0] * len(chosen) + [i + 1 for i, _ in places[len(chosen) :]]),  # 0 stands for the topic's own
    )
    rows = [own.copy() for own in bare]
    for i, (own, one) in enumerate(zip(rows, articles, strict=True)):
        own[:, LIKE] = learnt.ranker_for(i + 1).log_odds(one.sentences, one.vectors)
    return Drawn(chosen, rows, prior_of(rules, rules.cosine.generic))


def judged_by(
    articles: Sequence[Article], drawn: Drawn, order: Sequence[int]
) -> Iterator[tuple[int, Head, dict[int, np.ndarray]]]:
    """(verdicts given, the head after them, the labels by article), beginning without any, in this order."""
    head = drawn.head(order, {})
    judged: dict[int, np.ndarray] = {}
    verdicts = 0
    yield 0, head, {}
    for number in order:
        best = top_k(head.log_odds(drawn.rows[number]), PROPOSED)
        judged[number] = np.full(len(drawn.rows[number]), UNLABELLED)
        judged[number][best] = articles[number].truth[best]
        head = drawn.head(order, judged)
        verdicts += len(best)
        yield verdicts, head, judged


def measured(articles: Sequence[Article], scores: Sequence[np.ndarray], half: Sequence[int]) -> tuple[float, float]:
    """(ARP, average precision over all sentences) of the articles of a half."""
    pairs = [(articles[i].truth, scores[i]) for i in half]
    return average_r_precision(pairs), average_precision(*map(np.concatenate, zip(*pairs, strict=True)))


def show(name: str, articles: Sequence[Article], draws: int) -> None:
    """Prints the table of a topic."""
    about, nothing = encoded([ABOUT[name], generic_query(BLANK)])
    blank, bare = (rows_by(articles, query) for query in (nothing, about))
    found: dict[str, list[tuple[float, float]]] = {}

    def note(told: str, drawn: Drawn, head: Head, half: Sequence[int]) -> None:
        scores = [head.log_odds(own) for own in drawn.rows]
        found.setdefault(told, []).append(measured(articles, scores, half))

    for draw in range(draws):
        generator = np.random.default_rng(draw)
        order = generator.permutation(len(articles)).tolist()
        half, other = order[: len(order) // 2], order[len(order) // 2 :]
        chosen = drawn_examples(articles, half, generator)
        begun = by_examples(articles, name, bare, chosen, {})
        for beginning, one in {"blank": Drawn((), blank, prior_of(BLANK, 1.0)), "by examples": begun}.items():
            wanted = list(VERDICTS)
            for verdicts, head, judged in judged_by(articles, one, half):
                if not wanted or verdicts < wanted[0]:
                    continue
                told = f"{wanted.pop(0)} verdicts"
                note(f"{beginning}, {told}", one, head, other)
                if one is begun and verdicts >= FEWEST:
                    again = by_examples(articles, name, bare, chosen, judged)
                    note(f"{beginning}, {told}, proposed again", again, again.head(order, judged), other)
    sentences, keys = sum(len(one.truth) for one in articles), sum(int(one.truth.sum()) for one in articles)
    print(f"{name}: {len(articles)} articles, {sentences:,} sentences, {keys} key; {draws} draws")
    print("| ranked by | ARP | average precision | ARP above the beginning | draws in which it is below |")
    for told, values in found.items():
        rows, begun = np.array(values), np.array(found[f"{told.partition(',')[0]}, 0 verdicts"])
        gain = rows[:, 0] - begun[:, 0]
        error = 1.96 * gain.std() / len(gain) ** 0.5
        print(f"| {told} | {rows[:, 0].mean():.3f} | {rows[:, 1].mean():.3f} | {gain.mean():+.3f} ± {error:.3f} | "
              f"{(gain < 0).sum()} |", flush=True)  # fmt: skip


def main() -> None:
    """Runs what is asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("topics", nargs="*", help="TOPIC=FILE.jsonl.gz")
    parser.add_argument("--editing", choices=("open", "closed", "fresh"))
    parser.add_argument("--draws", type=int, default=50)
    parser.add_argument("--most", type=int, default=120, help="articles of a file")
    parser.add_argument("--cache", type=Path)
    options = parser.parse_args()
    given = {
        name: read_lines(Path(path), options.most) for name, _, path in (one.partition("=") for one in options.topics)
    }
    if options.editing:
        edits = read_edits(options.editing, all_of_them=True)
        given["editing"] = [(one.sentences, one.labels.tolist()) for one in edits]
    for name, lines in given.items():
        cache = options.cache / f"{name}_{len(lines)}.npy" if options.cache else None
        show(name, articles_of(lines, cache), options.draws)


if __name__ == "__main__":
    main()
