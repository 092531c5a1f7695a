"""What padding costs a training: python -m tests.measure.padding TRAIN.jsonl.gz [--articles 60] [--steps 15].

First what one epoch of the preset "best" on the first articles of labelled JSON lines is cut into: tokens with padding
and passes, by the sizes of each kind of device and by others beside them. Then some of its steps, and of the reference
method's on the sentences of the bench, each computed with padding and without, in turn, by one thread of this machine's
processor, without mixed precision: pairs a second of its work, and how many operations of tensors a step starts, views
left out, also where passes are cut as on a GPU.
"""

import argparse
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import torch
from torch.utils._python_dispatch import TorchDispatchMode

import model.training.packed.cut
from model.encoder import PAD_MULTIPLE, load, tokenize
from model.files import embedded_encoder
from model.labelled import LabelledArticle
from model.prompts import Side
from model.row_batches import PassSize, chunks, shares
from model.training.packed.cut import PACKED_TOKENS, PASS_SIZES
from model.training.packed.stepping import Stepper
from model.training.pairs import epoch_batches, table_of
from model.training.quick import dropout_of, quick_attention, small_vocabulary
from model.training.settings import PRESETS, TrainingSettings
from model.training.steps import optimiser_of
from tests.measure.bench import QUERY, corpus, pairs_of

OTHERS = {
    "one pass, up to 65,536 tokens": PassSize(65_536, fill=0.75),
    "up to 8,192 tokens": PassSize(8_192, fill=0.75),
    **{f"a pass costs {cost:,} tokens": PassSize(8_192, fixed_cost=cost) for cost in (512, 1_024, 4_096)},
}
WAYS = ("with padding", "without")


def stepper_of(encoder: Any, articles: Sequence[LabelledArticle], settings: TrainingSettings) -> Stepper:
    """What computes steps of these articles."""
    table = table_of(articles)
    tokens = dict(enumerate(tokenize(encoder, table.sentences)))
    queries = tokenize(encoder, table.queries, Side.QUERY)
    return Stepper(encoder, settings, table, queries, tokens, np.random.Generator(np.random.SFC64(0)))


def batches_of(stepper: Stepper) -> list[np.ndarray]:
    """The rows of each step of an epoch."""
    return epoch_batches(stepper.table, stepper.tokens, stepper.settings, np.random.default_rng(0))


def cut(stepper: Stepper) -> None:
    """Prints a line for each size of passes."""
    steps = [[len(stepper.tokens[row]) for row in rows.tolist()] for rows in batches_of(stepper)]
    tokens = sum(map(sum, steps))
    print(f"{len(steps)} steps of {sum(map(len, steps)) / len(steps):.0f} sentences, {tokens / len(steps):,.0f} tokens")
    for name, size in {**PASS_SIZES, **OTHERS}.items():
        passes = [[step[i] for i in chunk] for step in steps for chunk in chunks(step, size)]
        padded = [-(-own[0] // PAD_MULTIPLE) * PAD_MULTIPLE * len(own) for own in passes]
        each = len(passes) / len(steps)
        print(f"{name:32} {sum(padded) / tokens:.2f}x the tokens, {each:.2f} passes a step, largest {max(padded):,}")
    own = [sum(step[i] for i in share) for step in steps for share in shares(step, PACKED_TOKENS["cpu"])]
    each = len(own) / len(steps)
    print(f"{'without padding':32} {sum(own) / tokens:.2f}x the tokens, {each:.2f} passes a step, largest {max(own):,}")


class Started(TorchDispatchMode):
    """Counts the operations that are started, without those that only look at a tensor in another way."""

    count = 0

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        self.count += not func.is_view
        return func(*args, **kwargs or {})


@contextmanager
def going(way: str) -> Iterator[None]:
    """Passes with padding or without, while the context lasts."""
    stock = model.training.packed.cut.packs
    with patch.object(model.training.packed.cut, "packs", stock if way == "without" else lambda encoder: False):
        yield


def compare(name: str, stepper: Stepper, number: int) -> None:
    """Prints what some steps take with padding and without."""
    encoder, settings = stepper.encoder, stepper.settings
    batches = batches_of(stepper)[: number + 1]
    seconds, operations, passes = ({way: [] for way in WAYS} for _ in range(3))
    encoder.train()
    with (
        quick_attention(encoder),
        dropout_of(encoder, stepper.noise, enabled=settings.dropout),
        small_vocabulary(encoder, stepper.words()),
    ):
        optimiser = optimiser_of(encoder, settings)
        for rows in batches:
            for way in WAYS:
                with going(way):
                    began = time.process_time()
                    (step,) = stepper.prepared([rows])
                    stepper.backward(step)
                    torch.nn.utils.clip_grad_norm_(encoder.parameters(), 1.0)
                    optimiser.step()
                    optimiser.zero_grad(set_to_none=True)
                    seconds[way].append(time.process_time() - began)
                    passes[way].append(len(step.passes.each))
        for way in WAYS:
            for size in PASS_SIZES.values():
                with going(way), patch.dict(PASS_SIZES, cpu=size), Started() as started:
                    (step,) = stepper.prepared([batches[1]])
                    stepper.backward(step)
                operations[way].append(f"{started.count:,}")
            encoder.zero_grad(set_to_none=True)
    pairs = sum(map(len, batches[1:]))
    for way in WAYS:
        took, each = sum(seconds[way][1:]), np.mean(passes[way][1:])
        counted = " or, as on a GPU, ".join(operations[way])
        print(f"{name}, {way}: {pairs / took:.1f} pairs /core s, {each:.2f} passes a step, {counted} operations")
    padded, packed = (sum(seconds[way][1:]) for way in WAYS)
    print(
        f"{name}, {len(batches) - 1} steps: {padded:.1f} and {packed:.1f} s of a core, {padded / packed:.2f}x",
        flush=True,
    )


def main() -> None:
    """Prints how passes are cut, and what they take with padding and without."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("path", type=Path)
    parser.add_argument("--articles", type=int, default=60)
    parser.add_argument("--steps", type=int, default=15, help="0 computes nothing")
    options = parser.parse_args()
    torch.set_num_threads(1)
    encoder = load(embedded_encoder(), "cpu")
    found = [LabelledArticle(str(n), QUERY, *each) for n, each in enumerate(corpus(options.path)[: options.articles])]
    best = stepper_of(encoder, found, replace(PRESETS["best"], mixed_precision=False))
    cut(best)
    if options.steps:
        compare("best", best, options.steps)
        pairs = pairs_of(corpus(None), 32 * (options.steps + 1))
        reference = TrainingSettings(query=QUERY, mixed_precision=False)
        together = [LabelledArticle("all", QUERY, *pairs)]
        compare("the bench's", stepper_of(load(embedded_encoder(), "cpu"), together, reference), options.steps)


if __name__ == "__main__":
    main()
