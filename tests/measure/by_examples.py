"""Prints what a topic by examples is worth: ranked by ten sentences, and then by verdicts that are given on top.

python -m tests.measure.by_examples TOPIC=FILE.jsonl.gz ... [--editing open] [--draws N] [--skip N] [--most N]
    [--by-lot] [--queue] [--cache FOLDER]

Each file holds labelled articles as JSON lines, or abstracts that tell of hallmarks; `--editing` adds a part of
tests/data/edit_labels.csv (see tests.measure.ranking). Each draw halves the articles by lot. Five sentences that count
and five that do not come from the first half, and verdicts on its articles: the five best sentences of one after the
other, or with `--by-lot` five by lot. All figures are of the other half. `blank` is the shipped topic that knows
nothing. With `--queue` the best sentences of all articles are judged, in batches, and what is counted is how many key
sentences were among them: by the examples and the head alone, and by what verdicts teach in the articles picked from.
Encodes with all-MiniLM-L6-v2, not fine-tuned.
"""

import argparse
import functools
import gzip
import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from annotate.active_learning.sentence_queue import BATCH, MOST_ROUNDS
from annotate.active_learning.taught_examples import FEWEST, NEW
from annotate.proposing.examples import Likeness, unjudged
from annotate.proposing.unlabelled import SENTENCES
from annotate.topics.by_examples import ByExamples, text_of
from annotate.topics.file import read_topic, shipped
from model.active_learning import wording
from model.active_learning.features import FEATURES, features_of, prior_of
from model.active_learning.head import PROJECTIONS, Head, first_head, rows_of, teach
from model.active_learning.picking import pick
from model.active_learning.self_training import Labelled, Unlabelled
from model.active_learning.structure import structure_of
from model.active_learning.taught import UNLABELLED_WEIGHT, Taught
from model.evaluation.metrics import average_precision, average_r_precision
from model.labelled import UNLABELLED
from model.proposing.query import generic_query
from model.proposing.ranking import Pool, top_k
from model.proposing.rules import EXAMPLES
from tests.measure.common_part import COUNTS
from tests.measure.learned import encoded
from tests.measure.ranking import read_edits

BLANK = shipped("blank").rules
FEW = 5  # examples of either kind
PROPOSED = 5  # sentences of an article that are judged
Place = tuple[int, int]  # an article, and the position of a sentence in it
LOOKED_AT = (50, 100, 200)  # sentences of the queue
VERDICTS = (5, 10, 20, 50, 100)
CLEARLY = 0.01  # of ARP
BEGUN, ALONE = "by examples", "by examples, no unlabelled sentences"
LIKE, COSINE = FEATURES.index(EXAMPLES), FEATURES.index("cosine")  # the cosine is standardised in its article
# What counts, in the words of the curators' guidelines and of the shipped topics.
ABOUT = {
    "expression": "A named gene's product is seen in a named tissue, cell or stage, by the authors' own experiment.",
    "kinase": "A named protein was shown to phosphorylate, or not, a named substrate, by the authors' own assay.",
    "editing": shipped("gene_editing").file.about,
    "trials": shipped("clinical_trial_findings").file.about,
    "hallmarks": COUNTS["hallmarks"],
}


@functools.cache
def structure(text: str) -> np.ndarray:
    """What `structure_of` tells of one text, shape (columns,)."""
    return structure_of([text])[0]


def counted_once(texts: Sequence[str]) -> np.ndarray:
    """As `structure_of`, but each text once."""
    return np.stack([structure(text) for text in texts])


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


def read_lines(path: Path, skipped: int, most: int) -> list[tuple[list[str], Sequence[int]]]:
    """(sentences, labels) of articles of a file; of abstracts that tell of hallmarks those of the training part that
    have sentences of both kinds."""
    with gzip.open(path, "rt", encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    if "hallmarks" in rows[0]:
        told = [row for row in rows if row["split"] == "train" and any(row["hallmarks"]) and not all(row["hallmarks"])]
        rows = [row | {"labels": [int(bool(found)) for found in row["hallmarks"]]} for row in told]
    return [(row["sentences"], row["labels"]) for row in rows[skipped : skipped + most]]


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


def sampled(
    articles: Sequence[Article], bare: Sequence[np.ndarray], judged: Collection[Place], weight: float, most: int
) -> Unlabelled:
    """About `most` sentences that nobody judged, of articles by lot; their cosines to what counts at this weight."""
    places: list[Place] = []
    for i in np.random.default_rng(len(articles)).permutation(len(articles)).tolist():
        if len(places) < most:
            places += [(i, j) for j in range(len(articles[i].truth))]
    places = [place for place in places if place not in judged]
    return Unlabelled(
        [articles[i].sentences[j] for i, j in places],
        np.array([articles[i].vectors[j] for i, j in places]),
        weight * np.array([bare[i][j, COSINE] for i, j in places]),
    )


def by_examples(
    articles: Sequence[Article],
    name: str,
    bare: Sequence[np.ndarray],
    chosen: Sequence[Place],
    judged: Mapping[int, np.ndarray],
    unlabelled: int = SENTENCES,
) -> Drawn:
    """The topic that people make of these examples, and what these labels and so many unlabelled sentences teach it."""
    texts = [articles[i].sentences[j] for i, j in chosen]
    given = ByExamples(name, ABOUT[name], tuple(dict.fromkeys(texts[:FEW])), tuple(dict.fromkeys(texts[FEW:])))
    rules = read_topic(text_of(given, shipped("blank"))).rules
    taught = [(i, int(j)) for i, labels in judged.items() for j in np.flatnonzero(labels != UNLABELLED)]
    others = [(i, j) for i, labels in judged.items() for j in unjudged(i + 1, np.flatnonzero(labels == UNLABELLED))]
    places = [*chosen, *taught, *others]
    known = len(chosen) + len(taught)
    labelled = Labelled(
        [articles[i].sentences[j] for i, j in places],
        np.stack([articles[i].vectors[j] for i, j in places]),
        np.array([articles[i].truth[j] for i, j in places[:known]] + [0] * len(others)),
        np.array([1.0] * known + [UNLABELLED_WEIGHT] * len(others)),
    )
    numbers = np.array([0] * len(chosen) + [i + 1 for i, _ in places[len(chosen) :]])  # 0 stands for the topic's own
    weight = rules.cosine.generic / rules.examples.weight
    learnt = Likeness(labelled, numbers, sampled(articles, bare, {*chosen, *taught}, weight, unlabelled))
    rows = [own.copy() for own in bare]
    for i, (own, one) in enumerate(zip(rows, articles, strict=True)):
        own[:, LIKE] = learnt.ranker_for(i + 1).log_odds(one.sentences, one.vectors)
    return Drawn(chosen, rows, prior_of(rules, rules.cosine.generic))


def judged_by(
    articles: Sequence[Article], drawn: Drawn, order: Sequence[int], lot: np.random.Generator | None
) -> Iterator[tuple[int, dict[int, np.ndarray]]]:
    """(verdicts given, the labels by article): of each article in this order its best sentences, or some by lot."""
    head = drawn.head(order, {})
    judged: dict[int, np.ndarray] = {}
    verdicts = 0
    for number in order:
        count = len(drawn.rows[number])
        best = top_k(head.log_odds(drawn.rows[number]), PROPOSED)
        seen = best if lot is None else lot.choice(count, min(count, PROPOSED), replace=False).tolist()
        judged[number] = np.full(count, UNLABELLED)
        judged[number][seen] = articles[number].truth[seen]
        verdicts += len(seen)
        yield verdicts, judged


def measured(articles: Sequence[Article], scores: Sequence[np.ndarray], half: Sequence[int]) -> tuple[float, float]:
    """(ARP, average precision over all sentences) of the articles of a half."""
    pairs = [(articles[i].truth, scores[i]) for i in half]
    return average_r_precision(pairs), average_precision(*map(np.concatenate, zip(*pairs, strict=True)))


def show(name: str, articles: Sequence[Article], draws: int, by_lot: bool) -> None:
    """Prints the table of a topic."""
    about, nothing = encoded([ABOUT[name], generic_query(BLANK)])
    blank, bare = (rows_by(articles, query) for query in (nothing, about))
    found: dict[str, list[tuple[float, float]]] = {}
    for draw in range(draws):
        generator = np.random.default_rng(draw)
        order = generator.permutation(len(articles)).tolist()
        half, other = order[: len(order) // 2], order[len(order) // 2 :]
        chosen = drawn_examples(articles, half, generator)

        def note(told: str, drawn: Drawn, judged: Mapping[int, np.ndarray]) -> None:
            head = drawn.head(order, judged)  # noqa: B023 (called at once)
            scores = [head.log_odds(own) for own in drawn.rows]
            found.setdefault(told, []).append(measured(articles, scores, other))  # noqa: B023

        begun = by_examples(articles, name, bare, chosen, {})
        note("blank", Drawn((), blank, prior_of(BLANK, 1.0)), {})
        note(ALONE, by_examples(articles, name, bare, chosen, {}, unlabelled=0), {})
        note(BEGUN, begun, {})
        wanted = list(VERDICTS)
        for verdicts, judged in judged_by(articles, begun, half, generator if by_lot else None):
            if wanted and verdicts >= wanted[0]:
                note(f"{wanted.pop(0)} verdicts", by_examples(articles, name, bare, chosen, judged), judged)
    sentences, keys = sum(len(one.truth) for one in articles), sum(int(one.truth.sum()) for one in articles)
    print(f"{name}: {len(articles)} articles, {sentences:,} sentences, {keys} key; {draws} draws")
    print(f"| ranked by | ARP | average precision | ARP above the beginning | draws more than {CLEARLY} below it |")
    for told, values in found.items():
        rows = np.array(values)
        gain = rows[:, 0] - np.array(found[BEGUN])[:, 0]
        error = 1.96 * gain.std() / len(gain) ** 0.5
        print(f"| {told} | {rows[:, 0].mean():.3f} | {rows[:, 1].mean():.3f} | {gain.mean():+.3f} ± {error:.3f} | "
              f"{(gain < -CLEARLY).sum()} |", flush=True)  # fmt: skip


def found_in_queue(articles: Sequence[Article], name: str, bare: Sequence[np.ndarray], draw: int, taught: bool):
    """How many key sentences are among the first of LOOKED_AT in the queue of the sentences of all articles."""
    chosen = drawn_examples(articles, range(len(articles)), np.random.default_rng(draw))
    begun = by_examples(articles, name, bare, chosen, {})
    first = first_head(np.vstack(begun.rows), begun.prior)
    rows, new = [*begun.rows], begun.rows
    of = np.repeat(np.arange(len(rows)), [len(own) for own in rows])
    at = np.concatenate([np.arange(len(own)) for own in rows])
    asked = np.array(
        [(article, position) in chosen for article, position in zip(of.tolist(), at.tolist(), strict=True)]
    )
    judged: dict[int, np.ndarray] = {}
    hits: list[int] = []
    stale: set[int] = set()
    last = 0
    while len(hits) < max(LOOKED_AT) and not asked.all():
        if taught and len(hits) >= FEWEST and len(hits) >= (1 + NEW) * last:
            last, stale = len(hits), {*range(len(rows))}
            new = by_examples(articles, name, bare, chosen, judged).rows
        for round_ in range(MOST_ROUNDS + 1):
            head = teach(first, [Taught(rows[i], labels).judged for i, labels in judged.items()])
            every = np.vstack(rows)
            scores = np.where(asked, -np.inf, head.log_odds(every))
            places = pick(scores, of, every[:, -PROJECTIONS:], BATCH)
            renewed = {int(of[place]) for place in places} & stale if round_ < MOST_ROUNDS else set()
            if not renewed:
                break
            for number in renewed:
                rows[number] = new[number]
            stale -= renewed
        for place in places:
            number, position = int(of[place]), int(at[place])
            asked[place] = True
            judged.setdefault(number, np.full(len(rows[number]), UNLABELLED))[position] = articles[number].truth[
                position
            ]
            hits.append(int(articles[number].truth[position]))
    return [sum(hits[:looked]) for looked in LOOKED_AT]


def show_queue(name: str, articles: Sequence[Article], draws: int) -> None:
    """Prints what the queue of sentences finds."""
    bare = rows_by(articles, encoded([ABOUT[name]])[0])
    alone, ours = (
        np.array([found_in_queue(articles, name, bare, draw, taught) for draw in range(draws)])
        for taught in (False, True)
    )
    print(f"| {name}: looked at | key by the examples | and by verdicts | difference |")
    for place, looked in enumerate(LOOKED_AT):
        more = ours[:, place] - alone[:, place]
        told = f"{more.mean():+.1f} ± {1.96 * more.std() / draws**0.5:.1f}"
        print(f"| {looked} | {alone[:, place].mean():.1f} | {ours[:, place].mean():.1f} | {told} |", flush=True)


def main() -> None:
    """Runs what is asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("topics", nargs="*", help="TOPIC=FILE.jsonl.gz")
    parser.add_argument("--editing", choices=("open", "closed", "fresh"))
    parser.add_argument("--draws", type=int, default=50)
    parser.add_argument("--skip", type=int, default=0, help="articles of a file, on which something was chosen")
    parser.add_argument("--by-lot", action="store_true")
    parser.add_argument("--queue", action="store_true")
    parser.add_argument("--most", type=int, default=120, help="articles of a file")
    parser.add_argument("--cache", type=Path)
    options = parser.parse_args()
    wording.terms_of = functools.cache(wording.terms_of)  # each text once for all fits
    wording.structure_of = counted_once
    files = (one.partition("=") for one in options.topics)
    given = {name: read_lines(Path(path), options.skip, options.most) for name, _, path in files}
    if options.editing:
        edits = read_edits(options.editing, all_of_them=True)
        given["editing"] = [(one.sentences, one.labels.tolist()) for one in edits]
    for name, lines in given.items():
        cache = options.cache / f"{name}_{options.skip}_{len(lines)}.npy" if options.cache else None
        articles = articles_of(lines, cache)
        if options.queue:
            show_queue(name, articles, options.draws)
        else:
            show(name, articles, options.draws, options.by_lot)


if __name__ == "__main__":
    main()
