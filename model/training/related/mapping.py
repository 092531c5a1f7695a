"""A map of unit vectors, learnt so that what an article cites comes near it; of any encoder's vectors."""

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import torch
from safetensors.numpy import save_file

from model.training.related.drawing import ReferenceLists, draws
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
    start = torch.eye(articles.shape[1])
    matrix = start.clone().requires_grad_()
    classes = torch.tensor(articles, requires_grad=True) if settings.loss is PairLoss.ARCFACE else None
    optimiser = torch.optim.Adam([matrix, *([] if classes is None else [classes])], lr=settings.learning_rate)

    lists, generator = ReferenceLists.of(cited, hard), np.random.default_rng(settings.seed)
    steps, done = -(-len(cited) // settings.articles) * settings.epochs, 0
    for _ in range(settings.epochs):
        for drawn in draws(lists, settings, generator):
            progress(done, steps)
            rows = (articles[drawn.articles], works[drawn.works], works[drawn.hard])
            own, of_works, against = (
                torch.nn.functional.normalize(torch.from_numpy(vectors) @ matrix, dim=1) for vectors in rows
            )
            article_of, holds = torch.from_numpy(drawn.own), torch.from_numpy(drawn.holds)
            labels = None if classes is None else torch.from_numpy(drawn.articles[drawn.own])
            batch = Batch(own, of_works, article_of, holds, against, classes, labels)
            loss = PAIR_LOSSES[settings.loss](batch, settings)
            optimiser.zero_grad()
            (loss + settings.weight_decay * ((matrix - start) ** 2).sum()).backward()
            optimiser.step()
            done += 1
    return np.asarray(matrix.detach().numpy(), dtype=np.float32)


def save(matrix: np.ndarray, learnt_from: Sequence[int], folder: Path) -> None:
    """Writes the map into a folder as safetensors, with the numbers that stand for the articles it was learnt from."""
    save_file({"map": matrix, "learnt_from": np.array(learnt_from, dtype=np.int64)}, str(folder / FILE))
