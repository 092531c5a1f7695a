"""A step computed part by part: the gradient of the whole, with one part's activations in memory.

The vectors of all parts are computed first, without a graph; the loss of them tells each vector's gradient; then each
part is computed again, with its graph, and given its own. So that all losses stay what they are, whatever they compare.
Source: Gao et al. 2021, "Scaling deep contrastive learning batch size under memory limited setup" (GradCache).
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from sentence_transformers import SentenceTransformer

from model.encoder import forward, mixed_precision_of
from model.prompts import Side
from model.training.settings import TrainingSettings
from model.training.steps import Prepared


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


def backward_in_parts(
    encoder: SentenceTransformer, settings: TrainingSettings, step: Prepared, noise: np.random.Generator
) -> torch.Tensor:
    """Adds the gradients of a step to the weights', pass by pass; returns its loss. `noise` is what dropout draws from.

    It takes a third more time than with all passes in memory. Equal gradients, but for the order of sums.
    """
    device = encoder.device
    placed = step.on(device)

    def computed(side: Side, features: dict[str, torch.Tensor]) -> torch.Tensor:
        with mixed_precision_of(encoder, enabled=settings.mixed_precision):
            # An encoder adds what it computes to what it is given.
            return forward(encoder, dict(features), side).float()

    stood, results = [], []
    with torch.no_grad():
        for side, features in placed.passes:
            stood.append(Randomness.now(noise, device))
            results.append(computed(side, features))
    leaves = torch.cat(results).requires_grad_()
    loss = placed.loss(leaves, settings)
    loss.backward()
    gradients = leaves.grad.split([len(part) for part in results])
    for (side, features), before, gradient in zip(placed.passes, stood, gradients, strict=True):
        before.again(noise, device)
        computed(side, features).backward(gradient)
    return loss.detach()
