"""The curve of a training: its steps as they are reported, and its scores on the validation articles."""

from dataclasses import dataclass


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
