"""The mean of the weights of several trainings from one start: it ranks better than most of them, at the cost of one.

Source: Wortsman et al. 2022, "Model soups", the uniform soup.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

import torch


@dataclass(slots=True)
class MeanWeights:
    """The running mean of what trainings ended with: their weights, and what is left of words that do not occur."""

    count: int = 0
    factor: float = 1.0
    tensors: dict[str, torch.Tensor] = field(default_factory=dict)

    def add(self, weights: Mapping[str, torch.Tensor], factor: float) -> None:
        """Takes one more training in; numbers that are no fractions, such as a token's place, stay as they were."""
        self.count += 1
        if self.count == 1:
            self.factor = factor
            self.tensors = {name: tensor.detach().clone() for name, tensor in weights.items()}
            return
        self.factor += (factor - self.factor) / self.count
        for name, mean in self.tensors.items():
            if mean.is_floating_point():
                mean.lerp_(weights[name].detach().to(mean.dtype), 1 / self.count)
