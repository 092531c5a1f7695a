"""The curve of a training, as it is stored with its run. Imports torch."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

from model.training.curve import Checkpoint, Step


def stored_curve(history: Sequence[Step | Checkpoint], most_steps: int) -> list[dict[str, Any]]:
    """The steps and checkpoints of a training as JSON-able rows, in order.

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
