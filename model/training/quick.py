"""What makes training quick on a CPU: attention as plain products, dropout from 16-bit noise, a small vocabulary.

PyTorch's own kernels lose there: bernoulli_ draws one number at a time, and the backward pass of bfloat16 attention
takes six times as long as plain products (tests/measure/bench.py prints both). The gradient is the same.
"""

import contextlib
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import torch
from sentence_transformers import SentenceTransformer
from sentence_transformers.sentence_transformer.modules import Router
from torch import Tensor, nn
from transformers import AttentionInterface
from transformers.masking_utils import AttentionMaskInterface, eager_mask, sdpa_mask

from model.training.library_internals import attention_can_be_chosen, attention_of
from model.training.packed.packing import ATTENTION, UNASKED, by_offsets, by_rows

# The name of PyTorch's own attention in transformers.
STOCK = "sdpa"
# Where architectures keep a probability of dropout as a number instead of a module.
PROBABILITIES = ("dropout", "attention_dropout", "dropout_prob")


class _Dropped(torch.autograd.Function):
    """x times a random mask of 0 and 1 / (1 - p)."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, keep: Tensor, scale: float) -> Tensor:
        """The masked values."""
        ctx.save_for_backward(keep)
        ctx.scale = scale
        return torch.where(keep, x, 0).mul_(scale)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, None, None]:
        """The masked gradient."""
        (keep,) = ctx.saved_tensors
        return torch.where(keep, gradients[0], 0).mul_(ctx.scale), None, None


class QuickDropout(nn.Module):
    """Dropout with a probability of p, to 1/65,536, drawn from the run's own generator, four values a draw."""

    def __init__(self, p: float, generator: np.random.Generator) -> None:
        super().__init__()
        self.p = p
        self.generator = generator

    def forward(self, x: Tensor) -> Tensor:
        """x with a share of p set to 0 and the rest scaled up, in training; x itself otherwise."""
        if not self.training or self.p == 0:
            return x
        count = x.numel()
        noise = self.generator.integers(-(2**63), 2**63, (count + 3) // 4, dtype=np.int64)
        keep = torch.from_numpy(noise).view(torch.int16)[:count].view(x.shape) < round((1 - self.p) * 65536) - 32768
        dropped: Tensor = _Dropped.apply(x, keep, 1 / (1 - self.p))  # type: ignore[no-untyped-call]  # (torch gives none)
        return dropped


def plain_attention(
    module: nn.Module,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attention_mask: Tensor | None,
    scaling: float | None = None,
    dropout: float = 0.0,
    **_: object,
) -> tuple[Tensor, None]:
    """softmax(q k' s + mask) v as two batched products; shapes (batch, heads, tokens, width of a head)."""
    scale = query.shape[-1] ** -0.5 if scaling is None else scaling
    scores = torch.matmul(query * scale, key.transpose(2, 3))
    if attention_mask is not None:
        # float32's minimum is -inf in bfloat16: a fully masked row, as padding may be, would give nan.
        scores = scores + attention_mask.to(scores.dtype).clamp(min=torch.finfo(scores.dtype).min)
    weights = torch.softmax(scores, dim=-1)
    own = getattr(module, "dropout", None)
    weights = own(weights) if isinstance(own, nn.Module) else nn.functional.dropout(weights, dropout, module.training)
    return torch.matmul(weights, value).transpose(1, 2).contiguous(), None


def unasked_mask(*args: Any, **values: Any) -> Tensor | None:
    """PyTorch's mask without the question whether any row is padded, for which a GPU would be waited for."""
    mask: Tensor | None = sdpa_mask(
        *args, **values | {"allow_is_causal_skip": False, "allow_is_bidirectional_skip": False}
    )
    return mask


AttentionInterface.register(ATTENTION, by_rows(plain_attention))
AttentionMaskInterface.register(ATTENTION, eager_mask)
AttentionInterface.register(UNASKED, by_offsets(AttentionInterface()[STOCK]))
AttentionMaskInterface.register(UNASKED, unasked_mask)


@contextlib.contextmanager
def quick_attention(encoder: SentenceTransformer) -> Iterator[None]:
    """Plain attention on a CPU while the context lasts, where the architecture lets attention be chosen; on a GPU
    PyTorch's own, which then waits for nothing."""
    models = [m for m in encoder.modules() if hasattr(m, "set_attn_implementation") and hasattr(m, "config")][:1]
    chosen = _chosen(models[0], encoder.device.type) if models else None
    if chosen is None:
        yield
        return
    before = attention_of(models[0])
    models[0].set_attn_implementation(chosen)
    try:
        yield
    finally:
        models[0].set_attn_implementation(before)


def _chosen(model: nn.Module, device: str) -> str | None:
    """The attention to train with on this kind of device; None for the model's own."""
    if device == "cpu":
        return ATTENTION if _is_plain(model) else None
    return UNASKED if attention_can_be_chosen(model) and attention_of(model) == STOCK else None


def _is_plain(model: nn.Module) -> bool:
    """Whether `plain_attention` computes what the model's own attention does.

    Attention can be chosen, each head has keys of its own, and the scores go into the softmax as they are.
    """
    config = model.config
    heads = getattr(config, "num_attention_heads", None)
    grouped = getattr(config, "num_key_value_heads", heads) != heads
    softcapped = getattr(config, "attn_logit_softcapping", None)
    return attention_can_be_chosen(model) and not grouped and not softcapped


@contextlib.contextmanager
def dropout_of(encoder: SentenceTransformer, generator: np.random.Generator, *, enabled: bool) -> Iterator[None]:
    """Quick dropout on a CPU while the context lasts; no dropout at all if not enabled."""
    changed: list[tuple[nn.Module, str, nn.Module | float]] = []
    for parent in list(encoder.modules()):
        for name, child in list(parent.named_children()):
            if isinstance(child, nn.Dropout) and (not enabled or encoder.device.type == "cpu"):
                setattr(parent, name, QuickDropout(child.p if enabled else 0.0, generator))
                changed.append((parent, name, child))
        for name in () if enabled else PROBABILITIES:
            if isinstance(p := getattr(parent, name, None), float):
                setattr(parent, name, 0.0)
                changed.append((parent, name, p))
    try:
        yield
    finally:
        for parent, name, child in changed:
            setattr(parent, name, child)


class SmallVocabulary(nn.Module):
    """A word embedding with rows only for words that occur in the training texts.

    Stands in for an encoder's word embedding during training, so that the optimiser passes over a few thousand rows and
    not over all. The other words get no gradient: AdamW would only shrink them by the weight decay. `restore` does that
    at once when it writes the trained rows back.
    """

    def __init__(self, full: nn.Embedding, used: Iterable[int]) -> None:
        super().__init__()
        padding = [] if full.padding_idx is None else [full.padding_idx]
        rows = torch.tensor(sorted({*used, *padding}), device=full.weight.device)
        self.rows: Tensor
        self.place: Tensor
        self.full = [full]  # in a list, so that it is no part of this module
        self.register_buffer("rows", rows, persistent=False)
        place = torch.full((full.num_embeddings,), -1, device=rows.device)
        place[rows] = torch.arange(len(rows), device=rows.device)
        self.register_buffer("place", place, persistent=False)
        self.padding_idx = None if full.padding_idx is None else int(place[full.padding_idx])
        self.weight = nn.Parameter(full.weight.detach()[rows].clone())

    def forward(self, ids: Tensor) -> Tensor:
        """Vectors of the token ids, shape (..., width). IndexError for a word that was not named at the start."""
        return nn.functional.embedding(self.place[ids], self.weight, self.padding_idx)

    def restore(self, shrunk: float) -> nn.Embedding:
        """The full embedding with the trained rows in place, all others times `shrunk`."""
        (full,) = self.full
        with torch.no_grad():
            full.weight.mul_(shrunk)
            full.weight[self.rows] = self.weight
        return full


def word_embedding(encoder: SentenceTransformer) -> tuple[nn.Module, str] | None:
    """(module, attribute) of the encoder's word embedding; None where it has none that could be replaced.

    One that other modules share, as T5's do, could not: they would go on with the old one. Nor could the words of an
    encoder with one model for queries and one for sentences: each may have words of its own. A frozen one stays as it
    is.
    """
    if any(isinstance(module, Router) for module in encoder.modules()):
        return None
    for model in encoder.modules():
        embedding = model.get_input_embeddings() if hasattr(model, "get_input_embeddings") else None
        if isinstance(embedding, nn.Embedding):
            children = [(parent, *named) for parent in encoder.modules() for named in parent.named_children()]
            places = [(p, name) for p, name, child in children if getattr(child, "weight", None) is embedding.weight]
            return places[0] if len(places) == 1 and embedding.weight.requires_grad else None
    return None


class Shrinking:
    """The share that is left of the vectors of words that do not occur: weight decay takes some of it at each step."""

    def __init__(self) -> None:
        self.factor = 1.0

    def step(self, decay: float) -> None:
        """One step with this share of weight decay."""
        self.factor *= 1 - decay


@contextlib.contextmanager
def small_vocabulary(encoder: SentenceTransformer, words: set[int]) -> Iterator[Shrinking]:
    """Trains only the word vectors that occur while the context lasts, to the same result as when all are."""
    shrinking = Shrinking()
    place = word_embedding(encoder)
    if place is None:
        yield shrinking
        return
    parent, name = place
    small = SmallVocabulary(getattr(parent, name), words)
    setattr(parent, name, small)
    try:
        yield shrinking
    finally:
        setattr(parent, name, small.restore(shrinking.factor))
