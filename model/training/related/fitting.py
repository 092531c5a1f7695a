"""What maps and encoders of related articles share: steps over reference lists, by one of the losses between pairs."""

from collections.abc import Callable, Sequence

import numpy as np
import torch
from torch import Tensor

from model.training.related.drawing import Drawn, ReferenceLists, draws
from model.training.related.losses import PAIR_LOSSES, Batch
from model.training.related.related_settings import RelatedSettings


def take_steps(
    vectors_of: Callable[[Drawn], Sequence[Tensor]],
    classes: Tensor | None,
    lists: ReferenceLists,
    settings: RelatedSettings,
    move: Callable[[Tensor], None],
    progress: Callable[[int, int], None],
) -> list[float]:
    """All epochs; returns the mean loss of each. `progress` is called before each step.

    `vectors_of` gives the unit vectors of the articles drawn, of their works and of those against them; `move` takes
    the loss and moves the weights. `classes`: of ArcFace, the weight vectors of all articles.
    """
    generator = np.random.default_rng(settings.seed)
    steps = -(-len(lists.cited) // settings.articles) * settings.epochs
    done, told = 0, []
    for _ in range(settings.epochs):
        losses: list[Tensor] = []
        for drawn in draws(lists, settings, generator):
            progress(done, steps)
            articles, works, hard = vectors_of(drawn)
            own, holds = (torch.from_numpy(each).to(articles.device) for each in (drawn.own, drawn.holds))
            labels = None if classes is None else torch.from_numpy(drawn.articles[drawn.own]).to(articles.device)
            loss = PAIR_LOSSES[settings.loss](Batch(articles, works, own, holds, hard, classes, labels), settings)
            move(loss)
            losses.append(loss.detach())  # read once an epoch: a GPU would be waited for
            done += 1
        told.append(float(torch.stack(losses).mean()))
    return told
