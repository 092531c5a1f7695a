"""The curve of a training: its steps as they are reported, and its scores on the validation articles."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True, slots=True)
class Step:
    """One optimiser step as it is reported; loss is the running mean of the last steps."""

    step: int
    steps: int
    loss: float
    pairs_per_second: float
    seconds_left: float


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """The validation score (higher is better) after a number of steps; epoch 0 is the encoder as it came.

    A point of the curve, whose weights are kept in memory if it is the best; files to resume from are written by
    model/training/checkpoints.py.
    """

    epoch: int
    step: int
    score: float


def stored_curve(history: Sequence[Step | Checkpoint], most_steps: int) -> list[dict[str, Any]]:
    """The steps and checkpoints of a training as JSON-able rows, in order, as they are stored with its run.

    Of more than `most_steps` steps that number stay, evenly spread, the first and the last among them; every checkpoint
    stays.
    """
    steps = [entry for entry in history if isinstance(entry, Step)]
    kept = {id(steps[int(at)]) for at in np.linspace(0, len(steps) - 1, min(most_steps, len(steps)))}
    return [
        {"kind": type(entry).__name__.lower(), **asdict(entry)}
        for entry in history
        if isinstance(entry, Checkpoint) or id(entry) in kept
    ]
