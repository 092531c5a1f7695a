"""Losses between one query and the sentences of a batch: pure tensor code, one function and one line each."""

from collections.abc import Callable

import torch
from torch import Tensor


def contrastive(cosines: Tensor, labels: Tensor, margin: float) -> Tensor:
    """Mean of 1/2 [y D^2 + (1 - y) max(0, m - D)^2] with D = 1 - cosine.

    cosines, labels: shape (n,). Source: Hadsell, Chopra, LeCun 2006; sentence-transformers' ContrastiveLoss with
    the cosine distance.
    """
    distance = 1 - cosines
    return 0.5 * (labels * distance**2 + (1 - labels) * torch.relu(margin - distance) ** 2).mean()


def cosine_similarity(cosines: Tensor, labels: Tensor, margin: float) -> Tensor:
    """Mean squared error of the cosines to the labels; the margin is not used. Source: Reimers, Gurevych 2019."""
    return torch.nn.functional.mse_loss(cosines, labels)


LOSSES: dict[str, Callable[[Tensor, Tensor, float], Tensor]] = {
    "contrastive": contrastive,
    "cosine similarity": cosine_similarity,
}
