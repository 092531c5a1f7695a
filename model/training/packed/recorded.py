"""Steps of a training on a GPU as CUDA graphs: the kernels of a step are recorded once, then started by one call.

A step of a BERT starts some two thousand kernels. With short steps Python takes longer to start them than a GPU to
compute them. Source: https://pytorch.org/docs/stable/notes/cuda.html#cuda-graphs
"""

import logging
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field, replace
from typing import Any

import torch

from model.training.steps import Prepared

# Each takes the time of two steps, and some memory of its own.
MOST_RECORDED = 128

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, eq=False)
class Recorded:
    """A step on the device: its kernels, the numbers that they read, and the loss that they write."""

    graph: torch.cuda.CUDAGraph
    block: torch.Tensor
    loss: torch.Tensor

    def replay(self, step: Prepared) -> torch.Tensor:
        """The loss of another step of the same form, which is taken."""
        self.block.copy_(step.block, non_blocking=True)
        self.graph.replay()
        return self.loss.clone()


@dataclass(slots=True)
class Recorder:
    """Takes the steps of a training by `take`, which moves the weights and returns the loss.

    On a GPU a step whose form comes again is recorded. All graphs share their memory, since no two run at once. What
    cannot be recorded is taken as it is.
    """

    take: Callable[[Prepared], torch.Tensor]
    device: torch.device
    _seen: set[Hashable] = field(default_factory=set)
    _recorded: dict[Hashable, Recorded] = field(default_factory=dict)
    _pool: Any = None
    _fails: bool = False

    def step(self, step: Prepared) -> torch.Tensor:
        """The loss of a step, which is taken; a tensor on the device."""
        form = step.form
        if form is not None and form in self._seen and form not in self._recorded and self._may_record():
            self._record(form, step)
        self._seen.add(form)
        return self._recorded[form].replay(step) if form in self._recorded else self.take(step)

    def _may_record(self) -> bool:
        return self.device.type == "cuda" and not self._fails and len(self._recorded) < MOST_RECORDED

    def _record(self, form: Hashable, step: Prepared) -> None:
        """Records the kernels of a step, none of which runs, where they can be recorded."""
        graph = torch.cuda.CUDAGraph()
        block, stream = step.block.to(self.device), torch.cuda.current_stream(self.device)
        try:
            # The thread that prepares steps may go on meanwhile.
            with torch.cuda.graph(graph, pool=self._pool, capture_error_mode="thread_local"):
                loss = self.take(replace(step, block=block))
        except RuntimeError as error:
            _log.warning("the steps of this training are not recorded: %s", error)
            self._fails = True
            _leave_failed(stream, block)
            return
        self._pool = graph.pool()
        self._recorded[form] = Recorded(graph, block, loss)


def _leave_failed(stream: torch.cuda.Stream, block: torch.Tensor) -> None:
    """Ends what a failed recording has left: its stream is the current one, and dropout's generator waits for the
    recording to end. Another one, of a copy of the block, does end."""
    torch.cuda.set_stream(stream)
    with torch.cuda.graph(torch.cuda.CUDAGraph(), capture_error_mode="thread_local"):
        block.clone()
