"""Passes without padding: the tokens of all rows one after the other, as one long row.

Linear layers, norms and dropout compute real tokens alone. Attention alone sees rows: it puts them apart in groups of
like length, padded, computes as it does with padding, and takes the results back. Same vectors, same gradients.
"""

from collections.abc import Callable, Mapping, Sequence
from itertools import chain
from typing import Any

import numpy as np
import torch
from sentence_transformers import SentenceTransformer
from sentence_transformers.sentence_transformer.modules import Pooling, Transformer
from torch import Tensor, nn

from model.encoder import PAD_MULTIPLE, sides_apart
from model.row_batches import PassSize, chunks
from model.training.library_internals import attention_of

# The attentions of quick.py, which know rows: plain products, and PyTorch's own with a mask that needs no waiting.
ATTENTION, UNASKED = "keyline", "keyline_sdpa"
# Architectures whose vectors and gradients a test found equal with padding and without. The results of other types may
# depend on places in the batch, as relative positions do: they keep padding.
TYPES = frozenset({"bert", "camembert", "distilbert", "electra", "modernbert", "roberta", "xlm-roberta"})
# What sentence-transformers pools of a long row as it does of padded ones, without waiting for a GPU.
POOLINGS = frozenset({"cls", "lasttoken", "mean", "mean_sqrt_len_tokens"})
# The number added to the scores of padding: the least of bfloat16, which float32 has, too.
NOWHERE = torch.finfo(torch.bfloat16).min

Attention = Callable[..., tuple[Tensor, Tensor | None]]


def packs(encoder: SentenceTransformer) -> bool:
    """Whether the passes of this encoder need no padding, while `quick_attention` lasts."""
    if len(encoder) < 2 or not isinstance(encoder[0], Transformer) or not isinstance(encoder[1], Pooling):
        return False
    config, modes = encoder[0].auto_model.config, encoder[1].pooling_mode
    return (
        config.model_type in TYPES
        and not getattr(config, "is_decoder", False)
        and attention_of(encoder[0].auto_model) in {ATTENTION, UNASKED}
        and POOLINGS.issuperset([modes] if isinstance(modes, str) else modes)
        and not sides_apart(encoder)
    )


def packed(
    encoder: SentenceTransformer, rows: Sequence[list[int]], size: PassSize
) -> tuple[dict[str, np.ndarray], list[tuple[int, int]]]:
    """Token ids of rows, the longest first, as one row: its arrays by the libraries' names, and (rows, length) of each
    group that attention pads, cut by `size`. `slots`, shape (tokens,), is where each token stands among these."""
    lengths = np.array([len(row) for row in rows])
    ends = np.concatenate([[0], np.cumsum(lengths)])
    places = np.arange(ends[-1]) - np.repeat(ends[:-1], lengths)  # of each token in its row
    groups = [(len(own), -(-lengths[own[0]] // PAD_MULTIPLE) * PAD_MULTIPLE) for own in chunks(lengths.tolist(), size)]
    widths = np.repeat([length for _, length in groups], [count for count, _ in groups])
    starts = np.cumsum(widths) - widths
    arrays = {
        "input_ids": np.fromiter(chain.from_iterable(rows), np.int64)[None],
        "position_ids": (places + _first_position(encoder))[None],
        "seq_idx": np.repeat(np.arange(len(rows)), lengths)[None],
        "cu_seq_lens_q": ends,
        "slots": np.repeat(starts, lengths) + places,
    }
    return arrays, [(count, int(length)) for count, length in groups]


def packed_features(tensors: Mapping[str, Tensor], groups: Sequence[tuple[int, int]]) -> dict[str, Any]:
    """What an encoder takes, of these arrays as tensors."""
    slots = tensors["slots"]
    places = sum(rows * length for rows, length in groups)
    mask = torch.full((places,), NOWHERE, device=slots.device).index_fill_(0, slots, 0.0)
    # Of four dimensions, so that transformers makes no mask of its own, which would be of all tokens by all tokens.
    return {**tensors, "attention_mask": mask.view(1, 1, 1, -1), "groups": groups}


def by_rows(attention: Attention) -> Attention:
    """An attention that computes row by row where it is told `slots` and `groups`, else as the given one."""

    def attend(
        module: nn.Module,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        attention_mask: Tensor | None,
        *,
        slots: Tensor | None = None,
        groups: Sequence[tuple[int, int]] = (),
        sliding_window: int | None = None,
        **values: Any,
    ) -> tuple[Tensor, Tensor | None]:
        if slots is None or attention_mask is None:
            return attention(module, query, key, value, attention_mask, sliding_window=sliding_window, **values)
        heads, tokens, width = query.shape[1:]
        sizes = [rows * length for rows, length in groups]
        empty = query.new_zeros(sum(sizes), heads * width)
        flat = [each.transpose(1, 2).reshape(tokens, heads * width) for each in (query, key, value)]
        apart = [empty.index_copy(0, slots, each).split(sizes) for each in flat]
        masks = attention_mask.to(query.dtype).flatten().split(sizes)
        found = []
        for (rows, length), mask, *parts in zip(groups, masks, *apart, strict=True):
            seen = mask.view(rows, 1, 1, length)
            if sliding_window is not None:
                seen = torch.minimum(seen, _window(sliding_window, length, mask))
            own = [part.view(rows, length, heads, width).transpose(1, 2) for part in parts]
            found.append(attention(module, *own, seen, **values)[0].reshape(rows * length, heads * width))
        return torch.cat(found).index_select(0, slots).view(1, tokens, heads, width), None

    return attend


def _window(width: int, length: int, like: Tensor) -> Tensor:
    """The numbers added to the scores of tokens that stand `width` apart or more, shape (length, length).

    transformers tells its attentions one more than the distance up to which tokens are seen.
    """
    places = torch.arange(length, device=like.device)
    return like.new_zeros(length, length).masked_fill_((places[:, None] - places).abs() >= width, NOWHERE)


def _first_position(encoder: SentenceTransformer) -> int:
    """The position of a row's first token: RoBERTa and its kin begin behind the position of padding."""
    for module in encoder.modules():
        positions = getattr(module, "position_embeddings", None)
        if isinstance(positions, nn.Embedding) and positions.padding_idx is not None:
            return int(positions.padding_idx) + 1
    return 0
