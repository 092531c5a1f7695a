"""The encoder itself trained on reference lists, by the same losses as the map of its vectors."""

from collections.abc import Callable, Sequence

import numpy as np
import torch
from sentence_transformers import SentenceTransformer

from model.encoder import encode, mixed_precision_of, tokenize
from model.training.packed.cut import forward_in_chunks
from model.training.related.drawing import Drawn, ReferenceLists, draws
from model.training.related.losses import PAIR_LOSSES, Batch
from model.training.related.related_settings import PairLoss, RelatedSettings

MOST_GRADIENT = 1.0  # the length to which gradients are cut: Devlin et al. 2019


def fit_encoder(
    encoder: SentenceTransformer,
    articles: Sequence[str],
    works: Sequence[str],
    lists: ReferenceLists,
    settings: RelatedSettings,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> list[float]:
    """Trains the encoder in place; returns the mean loss of each epoch. `progress` is called before each step.

    articles, works: texts, each cut where the encoder cuts; lists: places among the works. With the same seed the same
    weights.
    """
    torch.manual_seed(settings.seed)
    generator = np.random.default_rng(settings.seed)
    tokens = tokenize(encoder, articles), tokenize(encoder, works)
    classes = _classes(encoder, articles) if settings.loss is PairLoss.ARCFACE else None
    weights = [each for each in encoder.parameters() if each.requires_grad]
    learnt = weights if classes is None else [*weights, classes]
    optimiser = torch.optim.AdamW(learnt, lr=settings.learning_rate, weight_decay=settings.weight_decay)
    steps = -(-len(articles) // settings.articles) * settings.epochs
    done, told = 0, []
    encoder.train()
    for _ in range(settings.epochs):
        losses: list[torch.Tensor] = []
        for drawn in draws(lists, settings, generator):
            progress(done, steps)
            with mixed_precision_of(encoder, enabled=True):
                vectors = _vectors(encoder, tokens, drawn)
            loss = PAIR_LOSSES[settings.loss](_batch(vectors, drawn, classes), settings)
            optimiser.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(learnt, MOST_GRADIENT)
            optimiser.step()
            losses.append(loss.detach())  # read once an epoch: a GPU would be waited for
            done += 1
        told.append(float(torch.stack(losses).mean()))
    encoder.eval()
    return told


def _classes(encoder: SentenceTransformer, articles: Sequence[str]) -> torch.Tensor:
    """A weight vector each article, to begin with its own."""
    return torch.from_numpy(encode(encoder, articles)).to(encoder.device).requires_grad_()


def _vectors(
    encoder: SentenceTransformer, tokens: tuple[list[list[int]], list[list[int]]], drawn: Drawn
) -> torch.Tensor:
    """Unit vectors of the articles, of their works and of those against them, in this order."""
    articles, works = tokens
    rows = [articles[place] for place in drawn.articles]
    rows += [works[place] for place in np.concatenate([drawn.works, drawn.hard])]
    return torch.nn.functional.normalize(forward_in_chunks(encoder, rows).float(), dim=1)


def _batch(vectors: torch.Tensor, drawn: Drawn, classes: torch.Tensor | None) -> Batch:
    own, holds = (torch.from_numpy(each).to(vectors.device) for each in (drawn.own, drawn.holds))
    articles, works, hard = torch.split(vectors, [len(drawn.articles), len(drawn.works), len(drawn.hard)])
    labels = torch.from_numpy(drawn.articles[drawn.own]).to(vectors.device) if classes is not None else None
    return Batch(articles, works, own, holds, hard, classes, labels)
