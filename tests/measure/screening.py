"""Screenings replayed as the page runs them, with draws by lot: how often the estimate of what is left holds.

Run `python -m tests.measure.screening --docs D --queries Q --qrels J`; prints a JSON object.
"""

import argparse
import json
from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np

from annotate.finding.asking.screening import progress, whats_next
from annotate.finding.judged.judged_files import read_documents, read_judgements, read_questions
from annotate.finding.judged.screening import review_pool
from annotate.finding.memory import MemoryLibrary
from db.finding.questions import Said
from model.evaluation.intervals import Estimate
from model.finding.feedback import Pool, scores

BATCH = 20
SHARES = (0.1, 0.2, 0.3, 0.5, 0.7)


def replayed(pool: Pool, relevant: Mapping[str, bool], seed: int) -> Iterator[tuple[float, Estimate | None, int]]:
    """(share judged, estimate of what is left, what is left) at each of SHARES, as the page would tell them."""
    keys, due = list(relevant), list(SHARES)
    said: dict[str, Said] = {}
    places = {key: place for place, key in enumerate(keys)}
    while due:
        found = scores(pool, [places[key] for key in said], [each.grade > 0 for each in said.values()])
        ordered = sorted(keys, key=lambda key: -found[places[key]])
        for each in whats_next(ordered, said, seed, BATCH):
            said[each.key] = Said(each.key, int(relevant[each.key]), each.waiting, len(said))
        if len(said) >= due[0] * len(keys):
            left = sum(relevant.values()) - sum(each.grade for each in said.values())
            yield due.pop(0), progress(keys, said).left, left


def main() -> None:
    """How often the interval holds what is left, and how often its upper bound is not passed, over all reviews."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in ("docs", "queries", "qrels"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    parser.add_argument("--seeds", type=int, default=4)
    parser.add_argument("--included", type=int, default=2)
    options = parser.parse_args()
    library = MemoryLibrary(read_documents(options.docs), keep=True)
    questions = read_questions(options.queries)
    seen = []
    for name, grades in read_judgements(options.qrels).items():
        relevant = {key: grade >= options.included for key, grade in grades.items()}
        pool = review_pool(library, list(relevant), questions.get(name))
        for seed in range(options.seeds):
            told = replayed(pool, relevant, seed)
            seen += [(share, *_held(left, truth)) for share, left, truth in told if left is not None]
    for share in SHARES:
        held = np.array([each[1:] for each in seen if each[0] == share], dtype=float)
        means = dict(zip(("interval", "upper_bound", "mean_left", "mean_estimate"), held.mean(axis=0), strict=True))
        print(json.dumps({"judged": share, "screenings": len(held)} | {k: round(v, 3) for k, v in means.items()}))


def _held(left: Estimate, truth: int) -> tuple[bool, bool, int, float]:
    return left.low <= truth <= left.high, truth <= left.high, truth, left.value


if __name__ == "__main__":
    main()
