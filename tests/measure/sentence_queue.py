"""Prints how many key sentences are found by the best sentences of all articles, and by the best strategies by article.

    python -m tests.measure.sentence_queue LABELLED.jsonl.gz [--articles 300] [--draws 10] [--proposals 5]
                                           [--strategies score change ...] [--cache FOLDER] [--try]

Nothing is known at first. Each draw takes so many articles of the file by lot. In the queue of sentences TOP sentences
stand for an article, those that the head likes best at first; a batch is picked, judged by the labels, and learnt. By
article a strategy hands out articles, of each of which so many proposals are judged, ranked again after each verdict.
Counted is what was looked at, sentence by sentence, and how many key sentences were among it. --try compares settings
of the queue of sentences instead: for a file on which they may be chosen.

Encodes with the embedded encoder, not fine-tuned; --cache keeps FOLDER/<name of file>.npy (as tests.measure.learned)
and the rows.
"""

import argparse
import gzip
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from unittest.mock import patch

import numpy as np
from scipy import stats

from annotate.active_learning.article_features import TOP
from annotate.active_learning.sentence_queue import BATCH
from annotate.experiments.replay import Material, replay
from annotate.experiments.simulation_spec import Evaluate, Replay
from annotate.topics.file import shipped
from model.active_learning import picking
from model.active_learning.acquisition import STRATEGIES
from model.active_learning.features import features_of, prior_of
from model.active_learning.head import PROJECTIONS, first_head, rows_of, teach
from model.active_learning.taught import Taught
from model.labelled import KEY, NOT_KEY, UNLABELLED
from model.proposing.ranking import Pool, top_k
from tests.measure.learned import encoded

LOOKED_AT = (100, 200, 400)
TOPIC = "clinical_trial_findings"


@dataclass(frozen=True)
class Setting:
    """How the queue of sentences works: how many it picks at once, of one article at most, and whether the sentences of
    an article that nobody was asked about teach, too."""

    batch: int = BATCH
    of_article: int = picking.MOST_OF_ARTICLE
    nearly_same: float = picking.NEARLY_SAME
    unasked_teach: bool = False


def material_of(path: Path, folder: Path | None) -> Material:
    """A file's articles as a replay takes them, ranked by the topic of clinical trials without names."""
    name = path.name.removesuffix(".jsonl.gz").rpartition("_")[2]
    kept = folder / f"{name}-rows.npz" if folder else None
    if kept and kept.exists():
        return Material.load(kept)
    with gzip.open(path, "rt", encoding="utf-8") as file:
        articles = [json.loads(line) for line in file]
    rules = shipped(TOPIC).rules
    texts = [text for article in articles for text in article["sentences"]]
    vectors = encoded(texts, folder / f"{name}.npy" if folder else None)
    query = encoded([dict(rules.queries)[rules.best_query]])[0]
    ends = np.cumsum([len(article["sentences"]) for article in articles])[:-1]
    rows = [
        rows_of(features_of(Pool(article["sentences"], own @ query, rules=rules)), own)
        for article, own in zip(articles, np.split(vectors, ends), strict=True)
    ]
    truth = [np.array(article["labels"]) for article in articles]
    made = Material([article["pmcid"] for article in articles], rows, truth, prior_of(rules, rules.cosine.named))
    if kept:
        made.save(kept)
    return made


def drawn(material: Material, articles: int, seed: int) -> Material:
    """So many of its articles, by lot."""
    chosen = np.random.default_rng(seed).permutation(len(material.keys))[:articles].tolist()
    names = ("keys", "rows", "truth")
    return Material(*([getattr(material, name)[i] for i in chosen] for name in names), material.prior)


def by_sentence(material: Material, setting: Setting, most: int) -> list[int]:
    """Whether each sentence that the queue of sentences asks about is key, in order."""
    base = head = first_head(np.vstack(material.rows), material.prior)
    tops = [top_k(base.log_odds(rows), TOP) for rows in material.rows]
    article = np.repeat(np.arange(len(tops)), [len(own) for own in tops])
    position = np.concatenate(tops)
    rows = np.vstack([own[top] for own, top in zip(material.rows, tops, strict=True)])
    labels = [np.full(len(own), UNLABELLED) for own in material.truth]
    is_open = np.ones(len(rows), dtype=bool)
    found: list[int] = []
    while len(found) < most and is_open.any():
        scores = np.where(is_open, head.log_odds(rows), -np.inf)
        limits = {"MOST_OF_ARTICLE": setting.of_article, "NEARLY_SAME": setting.nearly_same}
        with patch.multiple(picking, **limits):
            places = picking.pick(scores, article, rows[:, -PROJECTIONS:], setting.batch)
        for place in places:
            number, where = int(article[place]), int(position[place])
            is_key = int(material.truth[number][where] == 1)
            labels[number][where] = KEY if is_key else NOT_KEY
            found.append(is_key)
        is_open[places] = False
        asked = sorted({int(number) for number in article[~is_open]})
        taught = [Taught(material.rows[number], labels[number]) for number in asked]
        head = teach(base, taught if setting.unasked_teach else [one.judged for one in taught])
    return found


def by_article(material: Material, strategy: str, proposals: int, most: int, seed: int) -> list[int]:
    """The key sentences found by a strategy that hands out articles, spread over what it looked at of each."""
    articles = min(len(material.keys), -(-most // proposals))
    run = Replay("", 0, "", strategy, seed, proposals, seed_articles=0, articles=articles, evaluate=Evaluate.REST)
    found: list[int] = []
    # What ranks the rest is measured elsewhere, and takes most of the time.
    with patch("annotate.experiments.replay.Measured.arp", return_value=None):
        read = replay(run, material)["articles"]
    for article in read:
        found += [1] * article["found"] + [0] * (article["looked"] - article["found"])
    return found


def interval(values: Sequence[float]) -> str:
    """The mean with its 95% interval over draws, by Student's t; – where a draw has no such value."""
    if np.isnan(values).any():
        return "–"
    half = float(stats.t.ppf(0.975, len(values) - 1)) * float(np.std(values, ddof=1)) / len(values) ** 0.5
    return f"{np.mean(values):.1f} ± {half:.1f}" if np.mean(values) >= 10 else f"{np.mean(values):.2f} ± {half:.2f}"


def line(name: str, draws: Iterable[Sequence[int]]) -> list[list[float]]:
    """Prints what was found after each number looked at; returns it, a row a draw, nan where fewer were looked at."""
    counts = [[sum(found[:most]) if len(found) >= most else np.nan for most in LOOKED_AT] for found in draws]
    told = "; ".join(
        f"{most}: {interval(column)}" for most, column in zip(LOOKED_AT, zip(*counts, strict=True), strict=True)
    )
    print(f"{name}: {told}", flush=True)
    return counts


def tried(pools: Sequence[Material]) -> None:
    """Settings of the queue of sentences, one after the other."""
    settings = [Setting(), *(Setting(batch=number) for number in (1, 5, 20, 50))]
    settings += [Setting(of_article=number) for number in (1, 3, 10)]
    settings += [Setting(nearly_same=number) for number in (0.9, 2.0)] + [Setting(unasked_teach=True)]
    for setting in settings:
        line(str(setting), [by_sentence(pool, setting, max(LOOKED_AT)) for pool in pools])


def compared(pools: Sequence[Material], strategies: Sequence[str], readings: Sequence[int]) -> None:
    """Prints the queue of sentences beside each strategy by article, and its ratio to the best of them."""
    most = max(LOOKED_AT)
    ours = np.array(line("sentences of all articles", [by_sentence(pool, Setting(), most) for pool in pools]))
    others = {}
    for proposals in readings:
        for strategy in strategies:
            name = f"{STRATEGIES[strategy].label}, {proposals} proposals"
            draws = (by_article(pool, strategy, proposals, most, seed) for seed, pool in enumerate(pools))
            others[name] = np.array(line(name, draws))
    for place, looked in enumerate(LOOKED_AT):
        best = max(others, key=lambda name: float(np.nan_to_num(others[name][:, place].mean())))
        ratio = ours[:, place] / np.maximum(others[best][:, place], 1)
        print(f"after {looked}: {interval(ratio.tolist())} times as many as the best by article ({best})")


def main() -> None:
    """Prints one file's figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path)
    parser.add_argument("--articles", type=int, default=300)
    parser.add_argument("--draws", type=int, default=10)
    parser.add_argument("--proposals", type=int, nargs="+", default=[5, 10])
    parser.add_argument("--strategies", nargs="+", choices=list(STRATEGIES), default=["random", "score", "committee"])
    parser.add_argument("--cache", type=Path)
    parser.add_argument("--try", dest="trying", action="store_true")
    options = parser.parse_args()
    material = material_of(options.file, options.cache)
    pools = [drawn(material, options.articles, seed) for seed in range(options.draws)]
    sentences = np.mean([sum(map(len, pool.truth)) for pool in pools])
    keys = np.mean([sum(own.sum() for own in pool.truth) for pool in pools])
    print(
        f"{len(pools)} draws of {len(pools[0].keys)} articles, {sentences:,.0f} sentences, {keys:,.0f} key on average"
    )
    if options.trying:
        tried(pools)
    else:
        compared(pools, options.strategies, options.proposals)


if __name__ == "__main__":
    main()
