"""How REL ranks in 8 bits, beside float32: what it costs, which order stays, and how good both are.

    python -m tests.measure.relevance --home FOLDER --docs D --queries Q --qrels J [--model rel-1] [--questions 60]

Candidates are the first hundred of the stages that need no training. Prints for each way seconds by the clock and of a
core's work a question; in how many questions the first five stay as in float32, by REL alone and fused as a search
fuses it, and the first; how far down the first five of float32 lie; and the measures of REL alone and fused. Needs
requirements-int8.txt.
"""

import argparse
import os
import shutil
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import torch

from annotate.finding.find import Order, ranked
from annotate.finding.memory import MemoryLibrary
from annotate.finding.rankers.judged_questions import read_judged
from annotate.finding.rankers.reading import Inputs
from annotate.finding.rankers.relevance_training import UNTRAINED, cross_validated, fused_with
from annotate.finding.rankers.versions import files_of, version_named
from annotate.finding.stages import CANDIDATES
from model.devices import bfloat16_pays
from model.evaluation.metrics import same_first
from model.finding.faceted_text import Laid
from model.finding.ranker_files import load_relevance, load_relevance_int8, write_relevance_int8
from model.finding.relevance import FIRST, Int8Relevance, RelevanceModel, relevance_of
from model.passes import token_batches
from tests.measure.int8 import order
from tests.measure.machine import machine

Way = Callable[[Sequence[Laid]], np.ndarray]
FLOAT32 = "float32"
MEASURES = ("ndcg_at_10", "precision_at_10", "average_precision")


def before(model: RelevanceModel) -> Way:
    """As it was done before: one batch after the other, by all cores together."""

    def way(rows: Sequence[Laid]) -> np.ndarray:
        found = np.zeros(len(rows), dtype=np.float32)
        for batch in token_batches([len(row) for row in rows], 4_096):
            with torch.inference_mode():
                found[batch] = model([rows[i] for i in batch]).numpy()
        return found

    return way


def ways_of(whole: RelevanceModel, int8: Int8Relevance) -> dict[str, Way]:
    """What is compared, by its name."""
    found: dict[str, Way] = {
        FLOAT32: lambda rows: relevance_of(whole, rows, mixed_precision=False),
        "float32, cores together": before(whole),
        "bfloat16": lambda rows: relevance_of(whole, rows),
        "8 bits alone": lambda rows: relevance_of(int8.small, rows, mixed_precision=False),
        f"8 bits, the first {FIRST} whole": int8.odds,
    }
    if not bfloat16_pays("cpu"):
        del found["bfloat16"]
    return found


def main() -> None:
    """Prints the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--home", required=True, help="the data folder that has the model")
    parser.add_argument("--model", default="rel-1")
    for name in ("docs", "queries", "qrels"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    parser.add_argument("--questions", type=int, default=60, help="so many of the file, evenly")
    options = parser.parse_args()
    os.environ["KEYLINE_HOME"] = options.home
    judged = read_judged(options.docs, options.queries, options.qrels)
    names = list(judged.questions)
    names = names[:: max(1, len(names) // options.questions)][: options.questions]
    library = MemoryLibrary(judged.documents.values(), keep=True)
    version = version_named(options.model)
    whole = load_relevance(files_of(version), "cpu").eval()
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "copy"
        shutil.copytree(files_of(version), copy)
        write_relevance_int8(copy)
        int8 = load_relevance_int8(copy)
    inputs, ways = Inputs(whole, int(version.settings["max_tokens"])), ways_of(whole, int8)
    print(*machine("cpu"), sep="\n")
    orders: dict[str, Order] = {name: ranked(judged.questions[name], library, UNTRAINED) for name in names}
    keys = {name: each.keys[:CANDIDATES] for name, each in orders.items()}
    laid = {
        name: inputs.laid(judged.questions[name].asked, [judged.documents[key] for key in own])
        for name, own in keys.items()
    }
    lengths = [len(row) for rows in laid.values() for row in rows]
    print(
        f"{len(names)} questions, {np.mean([len(own) for own in keys.values()]):.0f} candidates of "
        f"{np.mean(lengths):.0f} tokens",
        flush=True,
    )
    odds: dict[str, list[np.ndarray]] = {name: [] for name in ways}
    taken: dict[str, list[tuple[float, float]]] = {name: [] for name in ways}
    for way in ways.values():
        way(laid[names[0]])
    for rows in laid.values():  # all ways of one question at a time, so that each meets the same other work
        for name, way in ways.items():
            clock, work = time.perf_counter(), time.process_time()
            odds[name].append(way(rows))
            taken[name].append((time.perf_counter() - clock, time.process_time() - work))
    fused: dict[str, list[np.ndarray]] = {}
    for name, own in odds.items():
        clock, work = np.mean(taken[name], axis=0)
        middle = np.median([work for _, work in taken[name]])
        print(f"{name:26}{clock:5.2f} s, {work:5.2f} s of a core, {middle:.2f} in the middle;")
        scores = {each: dict(zip(keys[each], one.tolist(), strict=True)) for each, one in zip(names, own, strict=True)}
        fused[name] = [np.array(list(fused_with(orders[each], one).values())) for each, one in scores.items()]
        pairs = [(order(one), order(other)) for one, other in zip(odds[FLOAT32], own, strict=True)]
        lowest = max(1 + other.index(place) for one, other in pairs for place in one[:5])
        five, first = (same_first(odds[FLOAT32], own, k) for k in (5, 1))
        five_fused = same_first(fused[FLOAT32], fused[name])
        print(f"{'':26}the first five stay in {five:.1%}, fused in {five_fused:.1%}, the first in {first:.1%};")
        print(f"{'':26}the first five are among its first {lowest}; {', '.join(MEASURES)}:")
        means = cross_validated(judged.only(names), orders, scores)["cross_validated"]
        for system in ("rel", "fused"):
            print(f"{'':26}{system} {', '.join(f'{means[system][each]:.4f}' for each in MEASURES)}", flush=True)


if __name__ == "__main__":
    main()
