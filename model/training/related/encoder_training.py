"""The encoder itself trained on reference lists, by the same losses as the map of its vectors."""

from collections.abc import Callable, Sequence

import numpy as np
import torch
from sentence_transformers import SentenceTransformer

from model.encoder import encode, mixed_precision_of, tokenize
from model.training.packed.cut import forward_in_chunks
from model.training.related.drawing import Drawn, ReferenceLists
from model.training.related.fitting import take_steps
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
    of_articles, of_works = tokenize(encoder, articles), tokenize(encoder, works)
    classes = None
    if settings.loss is PairLoss.ARCFACE:  # a weight vector each article, to begin with its own
        classes = torch.from_numpy(encode(encoder, articles)).to(encoder.device).requires_grad_()
    weights = [each for each in encoder.parameters() if each.requires_grad]
    learnt = weights if classes is None else [*weights, classes]
    optimiser = torch.optim.AdamW(learnt, lr=settings.learning_rate, weight_decay=settings.weight_decay)

    def vectors_of(drawn: Drawn) -> tuple[torch.Tensor, ...]:
        rows = [of_articles[place] for place in drawn.articles]
        rows += [of_works[place] for place in np.concatenate([drawn.works, drawn.hard])]
        with mixed_precision_of(encoder, enabled=True):
            vectors = forward_in_chunks(encoder, rows)
        unit = torch.nn.functional.normalize(vectors.float(), dim=1)
        return torch.split(unit, [len(drawn.articles), len(drawn.works), len(drawn.hard)])

    def move(loss: torch.Tensor) -> None:
        optimiser.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(learnt, MOST_GRADIENT)
        optimiser.step()

    encoder.train()
    losses = take_steps(vectors_of, classes, lists, settings, move, progress)
    encoder.eval()
    return losses
