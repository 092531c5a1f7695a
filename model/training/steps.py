"""One step of a training: its loss, the optimiser with its learning rate, and the way back to the parent."""

import functools
from collections.abc import Mapping, Sequence

import numpy as np
import torch
from sentence_transformers import SentenceTransformer
from torch import nn

from model.encoder import forward_in_chunks, mixed_precision_of
from model.labelled import KEY
from model.training.library_internals import move_towards
from model.training.losses import LOSSES
from model.training.pairs import SentenceTable
from model.training.settings import Compared, TrainingSettings

# Those of torch; architectures bring their own, whose names end in Norm (T5LayerNorm, Qwen3RMSNorm).
NORMS = (nn.LayerNorm, nn.RMSNorm, nn.GroupNorm, nn.BatchNorm1d)


def learning_rate_factor(step: int, steps: int, warmup: int) -> float:
    """Linear warm-up, then linear decay to 0; the warm-up never takes more than a tenth of a short run."""
    warmup = min(warmup, max(1, steps // 10))
    return (step + 1) / warmup if step < warmup else max(0.0, (steps - step) / max(1, steps - warmup))


def step_loss(
    encoder: SentenceTransformer,
    settings: TrainingSettings,
    table: SentenceTable,
    queries: Sequence[list[int]],
    tokens: Mapping[int, list[int]],
    batch: np.ndarray,
) -> torch.Tensor:
    """The loss of one step, with its graph: of these rows of the table, shape (n,).

    `queries` and `tokens` are token ids, of each query and of each row. The distinct queries of the rows are encoded
    once, together with the sentences.
    """
    used, which = np.unique(table.query[batch], return_inverse=True)
    rows = [*(queries[i] for i in used), *(tokens[i] for i in batch.tolist())]
    with mixed_precision_of(encoder, enabled=settings.mixed_precision):
        embeddings = forward_in_chunks(encoder, rows, len(used))
    unit = torch.nn.functional.normalize(embeddings.float(), dim=1)
    on_device = functools.partial(torch.as_tensor, device=encoder.device)
    cosines = (unit[len(used) :] * unit[: len(used)][on_device(which)]).sum(dim=1)
    labels = on_device((table.labels[batch] == KEY).astype(np.float32))
    groups = on_device(table.article[batch] if settings.loss.compared is Compared.WITHIN_ARTICLE else which)
    return LOSSES[settings.loss](cosines, labels, groups, settings.margin)


def decayed(encoder: SentenceTransformer) -> tuple[list[nn.Parameter], list[nn.Parameter]]:
    """The parameters that weight decay draws to 0, and those that it leaves alone: biases and all of the norms.

    A norm is told by its class, since architectures call it what they like: `norm`, `ln_1`, `LayerNorm`.
    """
    free = {
        id(own)
        for module in encoder.modules()
        for name, own in module.named_parameters(recurse=False)
        if name.endswith("bias") or isinstance(module, NORMS) or type(module).__name__.endswith("Norm")
    }
    trained = [own for own in encoder.parameters() if own.requires_grad]
    return [own for own in trained if id(own) not in free], [own for own in trained if id(own) in free]


def optimiser_of(
    encoder: SentenceTransformer, settings: TrainingSettings, steps: int
) -> tuple[torch.optim.Optimizer, torch.optim.lr_scheduler.LRScheduler]:
    """AdamW without weight decay on biases and norms, and its learning rate by step."""
    with_decay, without = decayed(encoder)
    optimiser = torch.optim.AdamW(
        [
            {"params": with_decay, "weight_decay": settings.weight_decay},
            {"params": without, "weight_decay": 0.0},
        ],
        lr=settings.learning_rate,
        fused=True,
    )
    factor = functools.partial(learning_rate_factor, steps=steps, warmup=settings.warmup_steps)
    return optimiser, torch.optim.lr_scheduler.LambdaLR(optimiser, factor)


def draw_back(encoder: SentenceTransformer, parents: Sequence[torch.Tensor], share: float) -> None:
    """Moves every weight by this share of its way back to the parent's. Source: L2-SP, Li et al. 2018, decoupled."""
    if parents:
        with torch.no_grad():
            move_towards(list(encoder.parameters()), parents, min(1.0, share))
