"""A map of unit vectors, learnt so that what an article cites comes near it; of any encoder's vectors."""

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import torch
from safetensors.numpy import load_file, save_file

from model.training.related.drawing import Drawn, ReferenceLists, draws
from model.training.related.losses import PAIR_LOSSES, Batch
from model.training.related.related_settings import PairLoss, RelatedSettings

FILE = "map.safetensors"


def fit(
    articles: np.ndarray,
    works: np.ndarray,
    cited: Sequence[np.ndarray],
    hard: Sequence[np.ndarray],
    settings: RelatedSettings,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> np.ndarray:
    """The matrix of the map, float32[d, d]: vectors @ matrix, made of length 1, are what to compare.

    articles: float32[n, d]; works: float32[m, d]; cited: places of the works of each article; hard: places of works
    that it does not cite, at least one each. It begins as the identity, to which weight decay draws it back. With the
    same seed the same matrix.
    """
    torch.manual_seed(settings.seed)
    generator = np.random.default_rng(settings.seed)
    dimension = articles.shape[1]
    matrix = torch.eye(dimension, requires_grad=True)
    learnt = [matrix]
    classes = torch.tensor(articles, requires_grad=True) if settings.loss is PairLoss.ARCFACE else None
    learnt += [] if classes is None else [classes]
    optimiser = torch.optim.Adam(learnt, lr=settings.learning_rate)
    lists = ReferenceLists.of(cited, hard)
    for epoch in range(settings.epochs):
        progress(epoch, settings.epochs)
        for drawn in draws(lists, settings, generator):
            loss = PAIR_LOSSES[settings.loss](_batch(articles, works, drawn, matrix, classes), settings)
            loss = loss + settings.weight_decay * ((matrix - torch.eye(dimension)) ** 2).sum()
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
    return np.asarray(matrix.detach().numpy(), dtype=np.float32)


def _batch(
    articles: np.ndarray, works: np.ndarray, drawn: Drawn, matrix: torch.Tensor, classes: torch.Tensor | None
) -> Batch:
    return Batch(
        articles=_mapped(articles[drawn.articles], matrix),
        works=_mapped(works[drawn.works], matrix),
        own=torch.from_numpy(drawn.own),
        cited=torch.from_numpy(drawn.holds),
        hard=_mapped(works[drawn.hard], matrix),
        classes=classes,
        labels=torch.from_numpy(drawn.articles[drawn.own]) if classes is not None else None,
    )


def _mapped(vectors: np.ndarray, matrix: torch.Tensor) -> torch.Tensor:
    return torch.nn.functional.normalize(torch.from_numpy(vectors) @ matrix, dim=1)


def save(matrix: np.ndarray, learnt_from: Sequence[int], folder: Path) -> None:
    """Writes the map into a folder as safetensors, with the numbers that stand for the articles it was learnt from."""
    save_file({"map": matrix, "learnt_from": np.array(learnt_from, dtype=np.int64)}, str(folder / FILE))


def load(folder: Path) -> np.ndarray:
    """The matrix of a folder, float32[d, d]."""
    return np.asarray(load_file(str(folder / FILE))["map"], dtype=np.float32)
