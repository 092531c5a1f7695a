"""Batches to a GPU and vectors back from it, without waiting for either: copies go on while it works. Imports torch."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from model.devices import halving, joined, parted

# The number of batches that may be on their way back.
ON_THEIR_WAY = 2


@dataclass(frozen=True, slots=True, eq=False)
class Batch:
    """Some arrays of whole numbers of one number of rows, as one block of memory; the places of the rows in all, and
    further arguments of the computation."""

    places: Sequence[int]
    block: torch.Tensor
    shapes: Sequence[tuple[int, ...]]
    options: Any

    @classmethod
    def of(cls, places: Sequence[int], arrays: Sequence[np.ndarray], device: torch.device, options: Any) -> "Batch":
        """A batch of these arrays, ready to be copied to the device."""
        return cls(places, joined(arrays, device), [array.shape for array in arrays], options)


def streamed(
    batches: Iterable[Batch], compute: Callable[..., torch.Tensor], device: torch.device
) -> Iterator[tuple[list[int], np.ndarray]]:
    """(places, compute(*tensors, options)) of each batch, in order; in halves where the GPU's memory is too small.

    The result of `compute` has a row for each of the batch. It is read when the copy of it has arrived, a few batches
    later.
    """
    coming: deque[tuple[list[int], torch.Tensor, torch.cuda.Event | None]] = deque()
    for batch in batches:
        tensors = parted(batch.block, batch.shapes, device)

        def own(rows: list[int], tensors: list[torch.Tensor] = tensors, options: Any = batch.options) -> torch.Tensor:
            return compute(*(tensor[rows[0] : rows[-1] + 1] for tensor in tensors), options)

        for rows, made in halving(own, list(range(len(batch.places)))):
            coming.append(([batch.places[row] for row in rows], *_sent(made)))
            while len(coming) > ON_THEIR_WAY:
                yield _arrived(coming.popleft())
    while coming:
        yield _arrived(coming.popleft())


def _sent(made: torch.Tensor) -> tuple[torch.Tensor, torch.cuda.Event | None]:
    """The tensor where the CPU can read it, once the event has come."""
    if made.device.type != "cuda":
        return made, None
    here = made.to("cpu", non_blocking=True)  # into pinned memory, by torch's own rule
    event = torch.cuda.Event()
    event.record()
    return here, event


def _arrived(sent: tuple[list[int], torch.Tensor, torch.cuda.Event | None]) -> tuple[list[int], np.ndarray]:
    places, here, event = sent
    if event is not None:
        event.synchronize()
    return places, here.numpy()
