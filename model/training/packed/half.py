"""Weights in bfloat16 for the passes of a training on a GPU, made of those in float32 before each step.

Autocast makes them for each product, and casts what goes in and comes out: a third of the time of a step.
Source: Micikevicius et al. 2018, "Mixed precision training" (master weights).
"""

import copy

import torch
from sentence_transformers import SentenceTransformer

from model.training.library_internals import copy_all


class HalfTwin:
    """A copy of an encoder that computes in bfloat16. The encoder itself has the weights that are trained."""

    def __init__(self, encoder: SentenceTransformer) -> None:
        self.encoder = copy.deepcopy(encoder).train()
        for own in self.encoder.parameters():
            own.data = own.data.bfloat16()
        both = zip(encoder.parameters(), self.encoder.parameters(), strict=True)
        self._pairs = [(full, half) for full, half in both if full.requires_grad]

    def renew(self) -> None:
        """Takes over the weights as they are now, without gradients."""
        self.encoder.zero_grad(set_to_none=True)
        with torch.no_grad():
            copy_all([half for _, half in self._pairs], [full for full, _ in self._pairs])

    def hand_back(self) -> None:
        """Gives the gradients to the encoder, in float32."""
        moved = [(full, half.grad) for full, half in self._pairs if half.grad is not None]
        for full, _ in moved:
            full.grad = torch.empty_like(full)
        copy_all([full.grad for full, _ in moved if full.grad is not None], [gradient for _, gradient in moved])
