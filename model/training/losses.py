"""Losses, one function and one line each: between queries and the sentences of a batch, and between its sentences.

Each takes cosines of shape (n,), sentence to its own query; labels (n,), 1 or 0; groups (n,), equal for sentences
of an article; and the margin. Each returns a scalar. None asks for a number or a shape that is not known before: a GPU
would be waited for. `metric_loss` makes those between vectors of classes.
"""

import math
from collections.abc import Callable
from typing import TypeVar

import numpy as np
import torch
from torch import Tensor

from model.training.settings import Loss, MetricLoss

# Cosines lie close together; a softmax over them needs this factor. Source: sentence-transformers' default scale.
SCALE = 20.0
Cosines = TypeVar("Cosines", Tensor, np.ndarray)


def log_odds(cosines: Cosines, margin: float) -> Cosines:
    """What the logistic loss takes cosines for: s (c - m), shape (n,), so 0 where the cosine is the margin."""
    return SCALE * (cosines - margin)


def contrastive(cosines: Tensor, labels: Tensor, groups: Tensor, margin: float) -> Tensor:
    """Mean of 1/2 [y D^2 + (1 - y) max(0, m - D)^2] with D = 1 - cosine; groups are not used.

    Source: Hadsell, Chopra, LeCun 2006; sentence-transformers' ContrastiveLoss with the cosine distance.
    """
    distance = 1 - cosines
    return 0.5 * (labels * distance**2 + (1 - labels) * torch.relu(margin - distance) ** 2).mean()


def cosine_similarity(cosines: Tensor, labels: Tensor, groups: Tensor, margin: float) -> Tensor:
    """Mean squared error of the cosines to the labels; groups and margin are not used.

    Source: Reimers, Gurevych 2019; sentence-transformers' CosineSimilarityLoss.
    """
    return torch.nn.functional.mse_loss(cosines, labels)


def logistic(cosines: Tensor, labels: Tensor, groups: Tensor, margin: float) -> Tensor:
    """Mean cross entropy of the labels, with s (c - m) as the log odds; groups are not used.

    A sentence is as likely key as not where its cosine is the margin. Source: Cox 1958; the query's vector has the
    place of the weights.
    """
    return torch.nn.functional.binary_cross_entropy_with_logits(log_odds(cosines, margin), labels)


def listwise(cosines: Tensor, labels: Tensor, groups: Tensor, margin: float) -> Tensor:
    """Mean over groups with a key sentence of the cross entropy between softmax(s c) and the labels over their sum.

    Pushes an article's key sentences over all its others, as the ranking will be read. The margin is not used.
    Source: Cao et al. 2007 (ListNet), top-one probability.
    """
    same = _same(groups)
    logits = SCALE * cosines
    log_share = logits - torch.logsumexp(logits.expand(len(logits), -1).masked_fill(~same, -torch.inf), dim=1)
    share = labels / (same.to(labels.dtype) @ labels).clamp(min=1)
    # The shares of a group with a key sentence add up to 1.
    return -(share * log_share).sum() / share.sum().clamp(min=1)


def _same(groups: Tensor) -> Tensor:
    return groups[:, None] == groups[None, :]


# Each loss is the function above that has its name.
LOSSES: dict[Loss, Callable[[Tensor, Tensor, Tensor, float], Tensor]] = {
    loss: globals()[loss.name.lower()] for loss in Loss
}


class Softmax(torch.nn.Module):
    """-1/N sum log [exp(W_y x + b_y) / sum_j exp(W_j x + b_j)]: mean cross entropy of W x + b with the class."""

    def __init__(self, classes: int, dimension: int) -> None:
        super().__init__()
        self.output = torch.nn.Linear(dimension, classes)

    def forward(self, vectors: Tensor, classes: Tensor) -> Tensor:
        """The loss of a batch."""
        return torch.nn.functional.cross_entropy(self.output(vectors), classes)


# Of vectors that are made of length 1 first: the loss of pytorch-metric-learning, and its settings.
OF_LIBRARY: dict[MetricLoss, tuple[str, dict[str, float]]] = {
    # Mean over all triplets with a positive term of |x_a - x_p| - |x_a - x_n| + .05. Source: Schroff et al. 2015.
    MetricLoss.TRIPLET: ("TripletMarginLoss", {"margin": 0.05}),
    # Softmax over 16 cos(theta_j), with theta_y + .5 radians for the class itself. Source: Deng et al. 2019.
    MetricLoss.ARCFACE: ("ArcFaceLoss", {"margin": math.degrees(0.5), "scale": 16}),
    # 1/a log[1 + sum over positives e^-a(S - l)] + 1/b log[1 + sum over negatives e^b(S - l)]. Wang et al. 2019.
    MetricLoss.MULTI_SIMILARITY: ("MultiSimilarityLoss", {"alpha": 2, "beta": 40, "base": 0.75}),
    # Mean over positive pairs of -log[e^(S/T) / (e^(S/T) + sum over negatives e^(S/T))]. Source: Chen et al. 2020.
    MetricLoss.NT_XENT: ("NTXentLoss", {"temperature": 0.1}),
}


def metric_loss(loss: MetricLoss, classes: int, dimension: int) -> torch.nn.Module:
    """What takes vectors, shape (n, dimension), and the class of each (n,), from 0 to classes - 1, and gives a scalar.

    The settings are taken from the reference (SciToricsBERT, SDP 2022).
    """
    if loss is MetricLoss.SOFTMAX:
        return Softmax(classes, dimension)
    from pytorch_metric_learning import losses  # noqa: PLC0415 (takes seconds)

    name, settings = OF_LIBRARY[loss]
    weights = {"num_classes": classes, "embedding_size": dimension} if loss is MetricLoss.ARCFACE else {}
    made: torch.nn.Module = getattr(losses, name)(**weights, **settings)
    return made
