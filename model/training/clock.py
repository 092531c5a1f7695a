"""How a training goes: the running mean of its loss, its speed, and whether it has diverged."""

import math
import time

import torch

# Reading the loss makes a GPU wait for all that was queued; once in this many steps is often enough.
STEPS_A_READING = {"cpu": 1, "cuda": 20}


class Diverged(RuntimeError):
    """The loss became infinite or no number: the training stops, and its useless weights are not kept."""


class TrainingClock:
    """The running mean of the loss, and the speed without what validation takes."""

    def __init__(self) -> None:
        self.pairs = 0
        self.seconds = 0.0
        self.mean = math.nan
        self._waiting: list[torch.Tensor] = []
        self._last = time.monotonic()

    def add(self, pairs: int, loss: torch.Tensor) -> None:
        """Counts one step; its loss is read later, since reading makes a GPU wait."""
        self.pairs += pairs
        self._waiting.append(loss.detach())

    def resume(self) -> None:
        """Leaves out what went by since the last reading."""
        self._last = time.monotonic()

    def read(self, done: int) -> float:
        """Brings the mean up to date; raises Diverged."""
        for loss in torch.stack(self._waiting).tolist() if self._waiting else ():
            if not math.isfinite(loss):
                raise Diverged(f"the loss of step {done} is {loss}; a lower learning rate may help")
            self.mean = loss if math.isnan(self.mean) else 0.9 * self.mean + 0.1 * loss
        self._waiting.clear()
        now = time.monotonic()
        self.seconds += now - self._last
        self._last = now
        return self.mean

    def speed(self) -> float:
        """Pairs a second, over all readings."""
        return self.pairs / max(self.seconds, 1e-9)
