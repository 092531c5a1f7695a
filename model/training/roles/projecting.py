"""Function vectors: a linear projection of the terms of a sentence, trained so that equal functions lie together."""

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch import Tensor

from model.roles.context import one_thread
from model.training.losses import metric_loss
from model.training.settings import MetricLoss

DIMENSION = 64
EPOCHS = 6
RATE = 5e-3
BATCH = 64
# Of P classes and K sentences a batch, as the reference has it. K 1, where the loss has a weight for each class, is
# plain shuffling: every sentence once an epoch. So losses are compared together with their sampling
# (docs/measurements/roles.md).
PER_CLASS = {MetricLoss.SOFTMAX: 1, MetricLoss.ARCFACE: 1}
SENTENCES_OF_A_CLASS = 8
DROPPED = 0.3  # of a sentence's terms, at random: so that it is not the phrase alone that tells its function
FIRST_SPREAD = 0.1


def fit_projection(
    rows: Any,
    functions: np.ndarray,
    loss: MetricLoss = MetricLoss.SOFTMAX,
    seed: int = 0,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> np.ndarray:
    """A projection, shape (terms, DIMENSION), float32; zeros for terms that no sentence has.

    rows: sparse TF-IDF, (n, terms). functions: (n,) class numbers from 0.
    """
    rng = np.random.default_rng(seed)
    with one_thread(), torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        bag = torch.nn.EmbeddingBag(rows.shape[1], DIMENSION, mode="sum", sparse=True)
        torch.nn.init.normal_(bag.weight, std=FIRST_SPREAD)
        compared = metric_loss(loss, int(functions.max()) + 1, DIMENSION)
        optimisers: list[torch.optim.Optimizer] = [torch.optim.SparseAdam(bag.parameters(), RATE)]
        if parameters := list(compared.parameters()):
            optimisers.append(torch.optim.Adam(parameters, RATE))
        labels = torch.from_numpy(np.asarray(functions, dtype=np.int64))
        for epoch in range(EPOCHS):
            for batch in class_batches(functions, PER_CLASS.get(loss, SENTENCES_OF_A_CLASS), rng):
                value = compared(_projected(bag, rows[batch], dropped=DROPPED), labels[batch])
                for optimiser in optimisers:
                    optimiser.zero_grad()
                value.backward()
                for optimiser in optimisers:
                    optimiser.step()
            progress(epoch + 1, EPOCHS)
    seen = np.asarray(rows.getnnz(axis=0) > 0).ravel()
    return np.asarray(bag.weight.detach().numpy() * seen[:, None], dtype=np.float32)


def class_batches(functions: np.ndarray, per_class: int, rng: np.random.Generator) -> list[np.ndarray]:
    """Batches of BATCH sentences for one epoch, drawn as P classes of `per_class` each; small classes come again."""
    if per_class == 1:  # every sentence once
        order = rng.permutation(len(functions))
        return [order[start : start + BATCH] for start in range(0, len(order), BATCH)]
    members = [np.flatnonzero(functions == number) for number in range(int(functions.max()) + 1)]
    members = [rng.permutation(own) for own in members if len(own) > 1]
    classes = min(BATCH // per_class, len(members))
    found = []
    for _ in range(max(1, len(functions) // BATCH)):
        chosen = rng.choice(len(members), classes, replace=False)
        found.append(np.concatenate([rng.choice(members[one], per_class) for one in chosen]))
    return found


def _projected(bag: torch.nn.EmbeddingBag, rows: Any, *, dropped: float) -> Tensor:
    weights = torch.from_numpy(rows.data)
    weights = weights * (torch.rand_like(weights) >= dropped) / (1 - dropped)
    starts = torch.from_numpy(rows.indptr[:-1].astype(np.int64))
    found: Tensor = bag(torch.from_numpy(rows.indices.astype(np.int64)), starts, per_sample_weights=weights)
    return found
