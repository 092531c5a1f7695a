"""Stop rules replayed: how often they reach 95% of what is there, and the reading that they save.

python -m tests.measure.stopping screen FOLDER --docs D --qrels J [--included 2]  # orders of reviews, with lots
python -m tests.measure.stopping read FOLDER --articles F --topic T [--word W]    # orders of labelled articles
python -m tests.measure.stopping replay FOLDER [--kept REGEX] [--looks 1]         # the rules, on reviews by name

`screen` and `read` order by words alone, relearnt as the review goes on, two in twenty drawn by lot as the queue does
(`read`) or as the page Find does (`screen`), and keep the orders in the folder. With `--word`, articles are on topic
where their prompts hold it, and the others hold nothing. `replay` tells the reviews that the rule was not chosen on
apart: those whose names the regular expression finds.
"""

import argparse
import gzip
import json
import re
from collections import defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

import tests.measure.published_rules
from annotate.finding.asking.screening import DRAW_EVERY, FIRST_EVERY
from annotate.finding.judged.judged_files import read_documents, read_judgements
from annotate.review.stopping import stop_of
from annotate.topics.file import shipped
from db.review.progress import KeyCounts
from model.finding.feedback import Pool, pool_of, scores
from model.proposing.ranking import Pool as Sentences
from model.proposing.ranking import by_terms
from model.proposing.rules import Rules
from model.review.blocks import BLOCK, in_block
from model.review.stop_rule import History
from model.review.stopping import MIN_DRAWS, Draw, estimated_total, unfound
from tests.measure.published_rules import RULES, oracle, stopped

SHOWN = 5  # proposals of an article
READ_IN_FULL = 0.15  # of the articles that are judged by their proposals
LEAST = 8  # relevant articles of a review that is replayed
FEW = 0.05
# (judged before, drawn by lot before, generator): whether the next one is drawn by lot.
Lots = Callable[[int, int, np.random.Generator], bool]


def ordered(
    pool: Pool, labels: np.ndarray, promising: np.ndarray | None, seed: int, batch: int, lots: Lots
) -> tuple[np.ndarray, np.ndarray]:
    """The places of all documents in their order, and whether each was drawn by lot. Nothing is learnt once all that
    are relevant were shown: the rest only waits."""
    generator, drawn = np.random.default_rng(seed), 0
    shown: list[int] = []
    by_lot: list[bool] = []
    seen = np.zeros(len(labels), dtype=bool)
    while len(shown) < len(labels):
        said = labels[shown]
        if said.sum() == labels.sum():
            found = np.zeros(len(labels))
        elif 0 < said.sum() < len(said):
            found = scores(pool, shown, said.tolist(), None if promising is None else promising[shown].tolist())
        else:
            found = generator.random(len(labels))
        best = np.argsort(-found, kind="stable")
        for _ in range(min(batch, len(labels) - len(shown))):
            lot = lots(len(shown), drawn, generator)
            place = int(generator.choice(np.flatnonzero(~seen)) if lot else best[~seen[best]][0])
            drawn += lot
            seen[place] = True
            shown.append(place)
            by_lot.append(lot)
    return np.array(shown), np.array(by_lot)


def as_find(judged: int, drawn: int, _generator: np.random.Generator) -> bool:
    """The lots of the page Find: one in FIRST_EVERY, rarer once there is an estimate."""
    due = min((judged + 1) // FIRST_EVERY, MIN_DRAWS) + max(0, judged + 1 - FIRST_EVERY * MIN_DRAWS) // DRAW_EVERY
    return drawn < due


def as_queue() -> Lots:
    """The lots of the queue: of each BLOCK articles a tenth, in places left to chance."""
    places: list[int] = []

    def is_lot(judged: int, _drawn: int, generator: np.random.Generator) -> bool:
        if judged % BLOCK == 0:
            places[:] = generator.choice(BLOCK, in_block(0.1, 0), replace=False).tolist()
        return judged % BLOCK in places

    return is_lot


def screen(options: argparse.Namespace) -> None:
    """Keeps the orders of each review with LEAST relevant records or more. Documents without a judgement count as
    irrelevant where most have none."""
    documents = {each.key: each for each in read_documents(options.docs)}
    for name, grades in sorted(read_judgements(options.qrels).items()):
        keys = [key for key in (grades if options.only_judged else documents) if key in documents]
        grade = np.array([grades.get(key, 0) for key in keys])
        labels = grade >= options.included
        if labels.sum() >= LEAST:
            texts = [(documents[key].title, documents[key].text) for key in keys]
            pool = pool_of(texts, by_design=options.only_judged)
            promising = grade > 0 if options.included > 1 else None
            for seed in range(options.seeds):
                order, by_lot = ordered(pool, labels, promising, seed, max(10, len(keys) // 40), as_find)
                _keep(options, f"{options.name}-{name}", seed, labels[order].astype(int), 0 * order, by_lot)


def read(options: argparse.Namespace) -> None:
    """Keeps the orders of a pool of articles: key sentences among the first proposals of each, and others."""
    with gzip.open(options.articles, "rt") as file:
        articles = [json.loads(line) for line in file]
    rules = shipped(options.topic).rules
    on = [options.word in json.dumps(each.get("prompts", "")).lower() for each in articles]
    key = np.array([_key(each, rules) if here else (0, 0) for each, here in zip(articles, on, strict=True)])
    pool = pool_of([(each["sentences"][0][:300], " ".join(each["sentences"][1:10])) for each in articles])
    for seed in range(options.seeds):
        order, by_lot = ordered(pool, key[:, 0] > 0, None, seed, 10, as_queue())
        _keep(options, options.name, seed, key[order, 0], key[order, 1], by_lot)


def _key(article: dict[str, Any], rules: Rules) -> tuple[int, int]:
    """Key sentences among the first SHOWN by the terms score, and the others."""
    labels = np.array(article["labels"])
    if not labels.sum():
        return 0, 0
    best = np.argsort(-by_terms(Sentences(article["sentences"], rules=rules)), kind="stable")[:SHOWN]
    return int(labels[best].sum()), int(labels.sum() - labels[best].sum())


def _keep(options: argparse.Namespace, name: str, seed: int, *parts: np.ndarray) -> None:
    options.folder.mkdir(exist_ok=True)
    key, added, by_lot = parts
    np.savez(options.folder / f"{name}-{seed}.npz", key=key, added=added, by_lot=by_lot)


def former(history: History) -> int:
    """Where the page first said that stopping would miss FEW at most: the interval of the lots, at each look."""
    looks = range(tests.measure.published_rules.LOOKS, history.pool, tests.measure.published_rules.LOOKS)
    return next((judged for judged in looks if _former_says(history.until(judged)) is not None), history.pool)


def _former_says(history: History) -> float | None:
    """The share that would be missed at most, as the page said it; None where it said nothing of the kind."""
    before = np.cumsum(history.holds) - history.holds
    rows = zip(history.waiting, before, history.holds, history.by_lot, strict=True)
    draws = [Draw(int(waiting), int(found), int(holds)) for waiting, found, holds, by_lot in rows if by_lot]
    if len(draws) < MIN_DRAWS:
        return None
    high = unfound(estimated_total(draws), history.found).high
    most = high / (history.found + high) if high else 0.0
    return most if most <= FEW else None


def reviews(folder: Path) -> dict[str, list[dict[str, np.ndarray]]]:
    """The kept orders by the name of their review."""
    found = defaultdict(list)
    for path in sorted(folder.glob("*.npz")):
        found[path.stem.rsplit("-", 1)[0]].append(dict(np.load(path)))
    return found


def replay(options: argparse.Namespace) -> None:
    """Prints, for the reviews that the rule was chosen on and for the others, a line a collection and rule, and a line
    a rule: how often TARGET was reached, the recall, the share saved, and that of what the oracle saves. Each review
    counts once."""
    tests.measure.published_rules.LOOKS = options.looks
    rules = {"former": former, **RULES}
    rows: dict[tuple[str, str, str], list[list[float]]] = defaultdict(list)
    for name, runs in reviews(options.folder).items():
        part = "kept apart" if options.kept and re.search(options.kept, name) else "chosen on"
        histories = [History(len(each["key"]), each["key"] > 0, each["by_lot"].astype(bool)) for each in runs]
        best = [stopped(each, oracle(each)).saved for each in histories]
        for rule, stops in rules.items():
            ends = [stopped(each, stops(each)) for each in histories]
            row = [float(np.mean([getattr(end, what) for end in ends])) for what in ("reached", "recall", "saved")]
            for group in (name.split("-")[0], "all"):
                rows[part, group, rule].append([*row, float(np.mean(best))])
    for (part, group, rule), found in sorted(rows.items()):
        reached, recall, saved, most = np.mean(found, axis=0)
        print(
            f"{part}, {group} ({len(found)}), {rule}: reached {reached:.3f}, recall {recall:.3f}, "
            f"saved {saved:.3f} of {most:.3f}, {saved / most:.0%}"
        )


def inside(options: argparse.Namespace) -> None:
    """Prints for each pool of articles, judged by their proposals (READ_IN_FULL of them read in full) and all read in
    full: in how many replays the page says that one may stop, and in how many it is true of all key sentences."""
    for name, runs in reviews(options.folder).items():
        if not any(each["added"].any() for each in runs):
            continue
        for way, share in (("by proposals", READ_IN_FULL), ("read in full", 1.0)):
            said = [end for seed, each in enumerate(runs) if (end := first_said(each, share, seed)) is not None]
            true = sum(recall >= 1 - FEW for recall, _ in said)
            saved = sum(saved for _, saved in said) / len(runs)
            print(f"{name}, {way}: said in {len(said)} of {len(runs)}, true in {true}; saved {saved:.3f}")


def first_said(kept: dict[str, np.ndarray], share: float, seed: int) -> tuple[float, float] | None:
    """(share of all key sentences found, share of the pool unread) when the page first says that one may stop."""
    pool = len(kept["key"])
    whole = np.random.default_rng(seed).random(pool) < share
    counts = {
        number: KeyCounts(int(key + more * full), int(key), int(more * full))
        for number, (key, more, full) in enumerate(zip(kept["key"], kept["added"], whole, strict=True))
    }
    by_lot, in_full = set(np.flatnonzero(kept["by_lot"]).tolist()), set(np.flatnonzero(whole).tolist())
    for judged in range(10, pool, 10):
        if stop_of(pool, range(judged), by_lot, counts, in_full, ()).may_stop:
            found = sum(counts[number].key for number in range(judged))
            return found / int(kept["key"].sum() + kept["added"].sum()), 1 - judged / pool
    return None


def main(arguments: Sequence[str] | None = None) -> None:
    """Runs one of the commands."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    for work in (screen, read, replay, inside):
        command = commands.add_parser(work.__name__)
        command.add_argument("folder", type=Path)
        command.set_defaults(work=work)
        if work in (screen, read):
            command.add_argument("--name", required=True)
            command.add_argument("--seeds", type=int, default=5)
        if work is screen:
            command.add_argument("--docs", type=Path, required=True)
            command.add_argument("--qrels", type=Path, required=True)
            command.add_argument("--included", type=int, default=2)
            command.add_argument("--only-judged", action="store_true")
        if work is read:
            command.add_argument("--articles", type=Path, required=True)
            command.add_argument("--topic", required=True)
            command.add_argument("--word", default="")
        if work is replay:
            command.add_argument("--kept", default="")
            command.add_argument("--looks", type=int, default=10)
    options = parser.parse_args(arguments)
    with threadpool_limits(1):
        options.work(options)


if __name__ == "__main__":
    main()
