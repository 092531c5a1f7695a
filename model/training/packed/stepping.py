"""The gradients of steps: prepared by a thread while a GPU computes, in parts where its memory is too small.

A step in parts has the gradient of the whole, with one part's activations in memory. The vectors of all parts are
computed first, without a graph; the loss of them tells each vector's gradient; then each part is computed again, with
its graph, and given its own. So every loss stays the same.
Source: Gao et al. 2021, "Scaling deep contrastive learning batch size under memory limited setup" (GradCache).
"""

import logging
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import torch
from sentence_transformers import SentenceTransformer

from model.devices import ahead, in_memory
from model.encoder import forward, mixed_precision_of
from model.prompts import Side
from model.training.pairs import SentenceTable
from model.training.settings import TrainingSettings
from model.training.steps import Prepared, prepared, step_loss

# Steps that are prepared before they are asked for. On a CPU the thread would take the cores from the work.
STEPS_AHEAD = 2

OnePass = tuple[Side, dict[str, Any]]

_log = logging.getLogger(__name__)


@dataclass(slots=True)
class Stepper:
    """Computes the gradients of steps of rows of one table.

    `parts`: in how many passes, at least, a device computes a step, one after the other; more once a step was too large
    for a GPU's memory. 1 keeps all passes of a step in memory.
    """

    encoder: SentenceTransformer
    settings: TrainingSettings
    table: SentenceTable
    queries: Sequence[list[int]]
    tokens: Mapping[int, list[int]]
    noise: np.random.Generator
    parts: int = 1

    def prepared(self, batches: Sequence[np.ndarray]) -> Iterator[Prepared]:
        """Steps of these rows, in order."""
        yield from ahead(self._prepared, batches, 0 if self.encoder.device.type == "cpu" else STEPS_AHEAD)

    def _prepared(self, rows: np.ndarray) -> Prepared:
        return prepared(self.encoder, self.settings, self.table, self.queries, self.tokens, rows, self.parts)

    def backward(self, step: Prepared) -> torch.Tensor:
        """Adds the gradients of a step to the weights'; returns its loss as a tensor on the device.

        Raises torch.OutOfMemoryError where not even single rows fit.
        """
        while True:
            if step.parts != self.parts:  # prepared before another one was too large
                step = self._prepared(step.rows)
            last = self.parts >= len(step.rows) + step.queries
            loss = in_memory(partial(self._backward, step), last=last)
            if loss is not None:
                return loss
            self.parts *= 2
            _log.warning("a step is too large for the GPU's memory: from now on in %d parts", self.parts)
            self.encoder.zero_grad(set_to_none=True)  # of the parts that were done

    def _backward(self, step: Prepared) -> torch.Tensor:
        if self.parts > 1:
            return backward_in_parts(self.encoder, self.settings, step, self.noise)
        loss = step_loss(self.encoder, self.settings, step)
        loss.backward()
        return loss

    def words(self, *others: Sequence[list[int]]) -> set[int]:
        """Token ids of all that a training encodes: of the table, of what it is judged by, and padding."""
        padding = [[word for word in (self.encoder.tokenizer.pad_token_id,) if word is not None]]
        return {word for rows in (self.queries, self.tokens.values(), *others, padding) for row in rows for word in row}


@dataclass(frozen=True, slots=True)
class Randomness:
    """Where the random generators stand that dropout draws from."""

    own: dict[str, Any]
    cpu: torch.Tensor
    gpu: torch.Tensor | None

    @classmethod
    def now(cls, noise: np.random.Generator, device: torch.device) -> "Randomness":
        """The present states of the random generators."""
        gpu = torch.cuda.get_rng_state(device) if device.type == "cuda" else None
        return cls(dict(noise.bit_generator.state), torch.get_rng_state(), gpu)

    def again(self, noise: np.random.Generator, device: torch.device) -> None:
        """Puts the random generators back to these states."""
        noise.bit_generator.state = self.own
        torch.set_rng_state(self.cpu)
        if self.gpu is not None:
            torch.cuda.set_rng_state(self.gpu, device)


class Computed:
    """The vectors of some passes, and the way back through them.

    No activations stay in memory: on the way back each pass is computed again with the same noise, which takes a third
    more time. `noise` is what dropout draws from.
    """

    def __init__(
        self,
        encoder: SentenceTransformer,
        settings: TrainingSettings,
        noise: np.random.Generator,
        passes: Sequence[OnePass],
    ) -> None:
        self.encoder, self.settings, self.noise, self.passes = encoder, settings, noise, passes
        self._stood: list[Randomness] = []
        self._results: list[torch.Tensor] = []
        with torch.no_grad():
            for one in passes:
                self._stood.append(Randomness.now(noise, encoder.device))
                self._results.append(self._vectors_of(one))

    def vectors(self) -> list[torch.Tensor]:
        """The vectors of each pass, shape (rows, dimension), float32, without a graph."""
        return self._results

    def backward(self, gradients: Sequence[torch.Tensor]) -> None:
        """Adds to the weights' gradients what these gradients of each pass's vectors imply."""
        for one, stood, gradient in zip(self.passes, self._stood, gradients, strict=True):
            stood.again(self.noise, self.encoder.device)
            self._vectors_of(one).backward(gradient)

    def _vectors_of(self, one: OnePass) -> torch.Tensor:
        side, features = one
        with mixed_precision_of(self.encoder, enabled=self.settings.mixed_precision):
            # An encoder adds what it computes to what it is given.
            return forward(self.encoder, dict(features), side).float()


def backward_in_parts(
    encoder: SentenceTransformer, settings: TrainingSettings, step: Prepared, noise: np.random.Generator
) -> torch.Tensor:
    """Adds the gradients of a step to the weights', pass by pass; returns its loss. `noise` is what dropout draws from.

    It takes a third more time than with all passes in memory. Equal gradients, but for the order of sums.
    """
    placed = step.on(encoder.device)
    computed = Computed(encoder, settings, noise, placed.passes)
    loss, gradients = placed.loss_and_gradients(computed.vectors(), settings)
    computed.backward(gradients)
    return loss
