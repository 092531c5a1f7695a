"""One step of a training: its loss, and the optimiser with its learning rate."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from sentence_transformers import SentenceTransformer
from torch import nn

from model.devices import joined, parted
from model.encoder import forward, mixed_precision_of
from model.labelled import KEY
from model.prompts import Side
from model.training.losses import LOSSES
from model.training.packed.cut import Passes, passes_of
from model.training.pairs import SentenceTable
from model.training.settings import TrainingSettings

# The norms of torch; architectures bring their own, whose names end in Norm (T5LayerNorm, Qwen3RMSNorm).
NORMS = (nn.LayerNorm, nn.RMSNorm, nn.GroupNorm, nn.BatchNorm1d)


def learning_rate_factor(step: int, steps: int, warmup: int) -> float:
    """Linear warm-up, then linear decay to 0; the warm-up never takes more than a tenth of a short run."""
    warmup = min(warmup, max(1, steps // 10))
    return (step + 1) / warmup if step < warmup else max(0.0, (steps - step) / max(1, steps - warmup))


@dataclass(frozen=True, slots=True, eq=False)
class Prepared:
    """One step as numbers that a GPU can be sent: of `rows` of the table and their distinct queries, in `parts` passes
    at least. `block` holds the passes' arrays. Of each row it also holds where its vector and its query's stand among
    all results. Then whether the row is key (1, 0), and the group within which it is compared."""

    rows: np.ndarray
    queries: int
    parts: int
    passes: Passes
    block: torch.Tensor
    shapes: Sequence[tuple[int, ...]]

    @property
    def form(self) -> tuple[tuple[int, ...], ...] | None:
        """What steps have in common that start the same kernels: the shapes, and the longest row that attention is told
        of each pass. None where hardly two steps have it in common: with padding, on a CPU, or in parts."""
        longest = tuple(one.packed.longest if one.packed else 0 for one in self.passes.each)
        return (longest, *map(tuple, self.shapes)) if self.parts == 1 and all(longest) else None

    def on(self, device: torch.device) -> "Placed":
        """The step on a device, brought there by one copy."""
        *tensors, own, asked, key, groups = parted(self.block, self.shapes, device)
        return Placed(list(self.passes.features(tensors)), own, asked, key.float(), groups)


@dataclass(frozen=True, slots=True, eq=False)
class Placed:
    """A step on the device: of each pass its side and what the encoder takes, and where the vector of each row, and of
    its query, stands among the results."""

    passes: Sequence[tuple[Side, dict[str, Any]]]
    own: torch.Tensor
    asked: torch.Tensor
    key: torch.Tensor
    groups: torch.Tensor

    def loss(self, results: torch.Tensor, settings: TrainingSettings) -> torch.Tensor:
        """The loss of the results of all passes, one after the other, float32."""
        unit = torch.nn.functional.normalize(results, dim=1)
        cosines = (unit[self.own] * unit[self.asked]).sum(dim=1)
        return LOSSES[settings.loss](cosines, self.key, self.groups, settings.margin)

    def loss_and_gradients(
        self, vectors: Sequence[torch.Tensor], settings: TrainingSettings
    ) -> tuple[torch.Tensor, tuple[torch.Tensor, ...]]:
        """The loss of the vectors of each pass, which have no graph, and the gradients of each pass's vectors."""
        leaves = torch.cat(list(vectors)).requires_grad_()
        loss = self.loss(leaves, settings)
        loss.backward()
        assert leaves.grad is not None
        return loss.detach(), leaves.grad.split([len(part) for part in vectors])


def prepared(
    encoder: SentenceTransformer,
    settings: TrainingSettings,
    table: SentenceTable,
    queries: Sequence[list[int]],
    tokens: Mapping[int, list[int]],
    rows: np.ndarray,
    parts: int = 1,
) -> Prepared:
    """A step of these rows of the table, shape (n,), in at least `parts` passes.

    `queries` and `tokens` are token ids, of each query and of each row. The distinct queries of the rows are encoded
    once, together with the sentences.
    """
    used, which = np.unique(table.query[rows], return_inverse=True)
    passes = passes_of(encoder, [*(queries[i] for i in used), *(tokens[i] for i in rows.tolist())], len(used), parts)
    asked, own = np.split(passes.back, [len(used)])
    arrays = [*passes.arrays, own, asked[which], table.labels[rows] == KEY, table.article[rows]]
    block = joined(arrays, encoder.device)
    return Prepared(rows, len(used), parts, passes, block, [array.shape for array in arrays])


def step_loss(encoder: SentenceTransformer, settings: TrainingSettings, step: Prepared) -> torch.Tensor:
    """The loss of one step, with its graph."""
    placed = step.on(encoder.device)
    with mixed_precision_of(encoder, enabled=settings.mixed_precision):
        results = torch.cat([forward(encoder, features, side) for side, features in placed.passes])
    return placed.loss(results.float(), settings)


def decayed(encoder: SentenceTransformer) -> tuple[list[nn.Parameter], list[nn.Parameter]]:
    """The parameters that weight decay draws to 0, and the parameters that it leaves: biases and all of the norms.

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


def optimiser_of(encoder: SentenceTransformer, settings: TrainingSettings) -> torch.optim.Optimizer:
    """AdamW without weight decay on biases and norms. On a GPU the rate is a tensor, so that steps can be recorded."""
    with_decay, without = decayed(encoder)
    on_gpu, rate = encoder.device.type == "cuda", float(settings.learning_rate)
    return torch.optim.AdamW(
        [
            {"params": with_decay, "weight_decay": float(settings.weight_decay), "full_rate": rate},
            {"params": without, "weight_decay": 0.0, "full_rate": rate},
        ],
        lr=torch.tensor(rate, device=encoder.device) if on_gpu else rate,
        fused=True,
        capturable=on_gpu,
    )


def set_rates(optimiser: torch.optim.Optimizer, factor: float) -> None:
    """The learning rate of the next step: of each group of weights its `full_rate` times this."""
    for group in optimiser.param_groups:
        rate = group["full_rate"] * factor
        if isinstance(group["lr"], torch.Tensor):
            group["lr"].fill_(rate)
        else:
            group["lr"] = rate
