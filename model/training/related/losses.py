"""Losses between articles and the works that they cite, one function a line of PAIR_LOSSES. All vectors have length 1.

Each takes a Batch and settings and returns a scalar.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor

from model.training.related.related_settings import PairLoss, RelatedSettings

# Beyond it the slope of the arc cosine has no bound.
CLAMP = 1e-6


@dataclass(frozen=True)
class Batch:
    """What a step compares. `articles`: (n, d); `works`: (m, d), each cited by the article `own[i]` of the n.

    `cited`: bool (n, m), which article cites which of the works, the own among them. `hard`: (m, d), a work for each
    that its article does not cite though it shares words with it. `classes`: (c, d), weight vectors of all articles,
    and `labels`: (m,), the class of each work; needed by ArcFace alone.
    """

    articles: Tensor
    works: Tensor
    own: Tensor
    cited: Tensor
    hard: Tensor
    classes: Tensor | None = None
    labels: Tensor | None = None


def arcface(batch: Batch, settings: RelatedSettings) -> Tensor:
    """Mean of -log [e^(s cos(t_y + m)) / (e^(s cos(t_y + m)) + sum over j != y of e^(s cos t_j))] over the works.

    t_j is the angle to the weight vector of class j, y the article that cites. Where t_y + m > pi, cos(t_y + m) would
    rise again: there it is cos t_y - m sin m, as Deng et al. 2019 do.
    """
    assert batch.classes is not None and batch.labels is not None
    cosines = (batch.works @ torch.nn.functional.normalize(batch.classes, dim=1).T).clamp(-1 + CLAMP, 1 - CLAMP)
    rows = torch.arange(len(cosines), device=cosines.device)
    target = with_margin(cosines[rows, batch.labels], settings.margin)
    logits = settings.scale * cosines.index_put((rows, batch.labels), target)
    return torch.nn.functional.cross_entropy(logits, batch.labels)


def with_margin(cosines: Tensor, margin: float) -> Tensor:
    """cos(t + m) of cosines of t, made to fall on beyond t = pi - m; cosines within (-1, 1)."""
    turned = torch.cos(torch.acos(cosines) + margin)
    return torch.where(cosines > math.cos(math.pi - margin), turned, cosines - margin * math.sin(margin))


def multiple_negatives(batch: Batch, settings: RelatedSettings) -> Tensor:
    """Mean over works i of article a of -log e^(s c_ai) / (e^(s c_ai) + sum_j e^(s c_aj)). j are works that a does not
    cite, the hard ones among them. Source: Henderson et al. 2017; with the hard negatives, Karpukhin et al. 2020."""
    logits = settings.scale * batch.articles @ batch.works.T
    rows = torch.arange(len(batch.works), device=batch.works.device)
    own = logits[batch.own, rows][:, None]
    others = logits.masked_fill(batch.cited, -torch.inf)[batch.own]
    hard = settings.scale * (batch.articles[batch.own] * batch.hard).sum(dim=1, keepdim=True)
    return -torch.log_softmax(torch.cat([own, others, hard], dim=1), dim=1)[:, 0].mean()


def triplet(batch: Batch, settings: RelatedSettings) -> Tensor:
    """Mean over works of max(0, c(article, hard) - c(article, work) + m). Source: Schroff et al. 2015."""
    articles = batch.articles[batch.own]
    difference = (articles * batch.hard).sum(dim=1) - (articles * batch.works).sum(dim=1)
    return torch.relu(difference + settings.margin).mean()


PAIR_LOSSES: dict[PairLoss, Callable[[Batch, RelatedSettings], Tensor]] = {
    PairLoss.ARCFACE: arcface,
    PairLoss.MULTIPLE_NEGATIVES: multiple_negatives,
    PairLoss.TRIPLET: triplet,
}
