"""A step computed part by part: the gradient of the whole, with one part's activations in memory.

The vectors of all parts are computed first, without a graph; the loss of them tells each vector's gradient; then each
part is computed again, with its graph, and given its own. So that all losses stay what they are, whatever they compare.
Source: Gao et al. 2021, "Scaling deep contrastive learning batch size under memory limited setup" (GradCache).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from sentence_transformers import SentenceTransformer

from model.encoder import forward, mixed_precision_of
from model.prompts import Side
from model.training.settings import TrainingSettings
from model.training.steps import Prepared

OnePass = tuple[Side, dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Randomness:
    """Where the random generators stand that dropout draws from."""

    own: dict[str, Any]
    cpu: torch.Tensor
    gpu: torch.Tensor | None

    @classmethod
    def now(cls, noise: np.random.Generator, device: torch.device) -> "Randomness":
        """As they stand."""
        gpu = torch.cuda.get_rng_state(device) if device.type == "cuda" else None
        return cls(dict(noise.bit_generator.state), torch.get_rng_state(), gpu)

    def again(self, noise: np.random.Generator, device: torch.device) -> None:
        """Puts them back there."""
        noise.bit_generator.state = self.own
        torch.set_rng_state(self.cpu)
        if self.gpu is not None:
            torch.cuda.set_rng_state(self.gpu, device)


class Computed:
    """The vectors of some passes, and the way back through them.

    `noise` is what dropout draws from. `kept`: the activations of all passes stay in memory until then; else each pass
    is computed again, with the same noise, which takes a third more time.
    """

    def __init__(
        self,
        encoder: SentenceTransformer,
        settings: TrainingSettings,
        noise: np.random.Generator,
        passes: Sequence[OnePass],
        *,
        kept: bool = False,
    ) -> None:
        self.encoder, self.settings, self.noise, self.passes, self.kept = encoder, settings, noise, passes, kept
        self._stood: list[Randomness] = []
        self._results: list[torch.Tensor] = []
        with torch.set_grad_enabled(kept):
            for one in passes:
                self._stood.append(Randomness.now(noise, encoder.device))
                self._results.append(self._vectors_of(one))

    def vectors(self) -> list[torch.Tensor]:
        """Of each pass, shape (rows, dimension), float32, without a graph."""
        return [result.detach() for result in self._results]

    def backward(self, gradients: Sequence[torch.Tensor]) -> None:
        """Adds to the weights' gradients what these of each pass's vectors make of them."""
        for one, stood, result, gradient in zip(self.passes, self._stood, self._results, gradients, strict=True):
            if self.kept:
                result.backward(gradient)
            else:
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
