"""Passes without padding: the tokens of all rows one after the other, as one long row.

Linear layers, norms and dropout compute real tokens. Only attention sees rows. On a CPU it puts them apart in groups of
like length, padded, and takes the results back. A GPU has kernels that are told where rows begin. There, some tokens
at the end fill up the pass to one of few sizes, since steps of a size can be replayed. Same vectors, same gradients.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np
import torch
from sentence_transformers import SentenceTransformer
from sentence_transformers.sentence_transformer.modules import Pooling, Transformer
from torch import Tensor, nn

from model.encoder import PAD_MULTIPLE, sides_apart
from model.row_batches import PassSize, chunks
from model.training.library_internals import attention_of, attention_of_rows

# The attentions of quick.py, which know rows: plain products on a CPU, PyTorch's own kernels on a GPU.
ATTENTION, UNASKED = "keyline", "keyline_sdpa"
# Architectures whose vectors and gradients a test found equal with padding and without. The results of other types may
# depend on places in the batch, as relative positions do: they keep padding.
TYPES = frozenset({"bert", "camembert", "distilbert", "electra", "modernbert", "roberta", "xlm-roberta"})
# What sentence-transformers pools of a long row as it does of padded ones, without waiting for a GPU.
POOLINGS = frozenset({"cls", "lasttoken", "mean", "mean_sqrt_len_tokens"})
# A pass on a GPU has a multiple of this many rows; and its tokens are rounded up by an eighth or less, 64 at least.
ROWS_MULTIPLE, TOKENS_MULTIPLE = 16, 64
# The blocks in which the kernels of attention read rows.
LONGEST_MULTIPLE = 128
# The number added to the scores of padding: the least of bfloat16, which float32 has, too.
NOWHERE = torch.finfo(torch.bfloat16).min

Attention = Callable[..., tuple[Tensor, Tensor | None]]


def packs(encoder: SentenceTransformer) -> bool:
    """Whether the passes of this encoder need no padding, while `quick_attention` lasts."""
    if len(encoder) < 2 or not isinstance(encoder[0], Transformer) or not isinstance(encoder[1], Pooling):
        return False
    config, modes = encoder[0].auto_model.config, encoder[1].pooling_mode
    attention = attention_of(encoder[0].auto_model)
    return (
        config.model_type in TYPES
        and not getattr(config, "is_decoder", False)
        and (attention == ATTENTION or (attention == UNASKED and not hasattr(config, "sliding_window")))
        and POOLINGS.issuperset([modes] if isinstance(modes, str) else modes)
        and not sides_apart(encoder)
    )


@dataclass(frozen=True, slots=True)
class Packed:
    """Rows as one long row: its arrays by the libraries' names, and what attention has to know of its rows.

    `groups`: (rows, length) of each group that attention pads, on a CPU. There the array `slots`, shape (tokens,), is
    where each token stands among these. `longest`: no row has more tokens, on a GPU.
    """

    arrays: dict[str, np.ndarray]
    groups: Sequence[tuple[int, int]] = ()
    longest: int = 0

    def features(self, tensors: Mapping[str, Tensor]) -> dict[str, Any]:
        """What an encoder takes, of these arrays as tensors."""
        ids, slots = tensors["input_ids"], tensors.get("slots")
        if slots is None:
            mask = torch.zeros(1, device=ids.device)
        else:
            places = sum(rows * length for rows, length in self.groups)
            mask = torch.full((places,), NOWHERE, device=ids.device).index_fill_(0, slots, 0.0)
        # Of four dimensions, so that transformers makes no mask of its own, which would be of all tokens by all tokens.
        mask = mask.view(1, 1, 1, -1)
        return {**tensors, "attention_mask": mask, "groups": self.groups, "longest": self.longest}


def packed(encoder: SentenceTransformer, rows: Sequence[list[int]], size: PassSize) -> Packed:
    """Token ids of rows, the longest first, as one row. On a CPU attention pads groups of rows, cut by `size`."""
    if attention_of(encoder[0].auto_model) == UNASKED:
        return _filled_up(encoder, rows)
    lengths = np.array([len(row) for row in rows])
    arrays, places = _arrays(encoder, rows, lengths)
    groups = [(len(own), -(-lengths[own[0]] // PAD_MULTIPLE) * PAD_MULTIPLE) for own in chunks(lengths.tolist(), size)]
    widths = np.repeat([length for _, length in groups], [count for count, _ in groups])
    starts = np.cumsum(widths) - widths
    arrays["slots"] = np.repeat(starts, lengths) + places
    return Packed(arrays, groups=[(count, int(length)) for count, length in groups])


def _filled_up(encoder: SentenceTransformer, rows: Sequence[list[int]]) -> Packed:
    """The rows, and behind them others of padding up to one of few numbers of rows and tokens; at least one."""
    tokens, longest = sum(map(len, rows)), -(-len(rows[0]) // LONGEST_MULTIPLE) * LONGEST_MULTIPLE
    multiple = max(TOKENS_MULTIPLE, 2 ** tokens.bit_length() // 16)

    def rows_for(padding: int) -> int:
        """How many rows of padding there are; none is longer than the rows' own, else the kernels read it wrongly."""
        least = -(-padding // len(rows[0]))
        return least + -(len(rows) + least) % ROWS_MULTIPLE

    padding = multiple - tokens % multiple
    while rows_for(padding) > padding:  # each has a token
        padding += multiple
    ends = np.arange(rows_for(padding) + 1) * padding // rows_for(padding)
    filled = [*rows, *([encoder.tokenizer.pad_token_id or 0] * length for length in np.diff(ends).tolist())]
    arrays, _ = _arrays(encoder, filled, np.array([len(row) for row in filled]))
    return Packed(arrays, longest=longest)


def _arrays(
    encoder: SentenceTransformer, rows: Sequence[list[int]], lengths: np.ndarray
) -> tuple[dict[str, np.ndarray], np.ndarray]:
    """The arrays of one long row, and each token's place in its own."""
    ends = np.concatenate([[0], np.cumsum(lengths)])
    places = np.arange(ends[-1]) - np.repeat(ends[:-1], lengths)
    arrays = {
        "input_ids": np.fromiter(chain.from_iterable(rows), np.int64)[None],
        "position_ids": (places + _first_position(encoder))[None],
        "seq_idx": np.repeat(np.arange(len(rows)), lengths)[None],
        "cu_seq_lens_q": ends,
    }
    return arrays, places


def by_offsets(attention: Attention) -> Attention:
    """An attention by the offsets of rows where it gets them; without them as the given one."""

    def attend(
        module: nn.Module,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        attention_mask: Tensor | None,
        *,
        cu_seq_lens_q: Tensor | None = None,
        longest: int = 0,
        scaling: float | None = None,
        dropout: float = 0.0,
        **options: Any,
    ) -> tuple[Tensor, Tensor | None]:
        if cu_seq_lens_q is None:
            return attention(module, query, key, value, attention_mask, scaling=scaling, dropout=dropout, **options)
        # Not `each[0]`: its gradient would be copied into zeros for all rows.
        queries, keys, values = (each.squeeze(0).transpose(0, 1) for each in (query, key, value))
        if scaling is not None and not math.isclose(scaling, queries.shape[-1] ** -0.5):
            queries = queries * (scaling * queries.shape[-1] ** 0.5)  # the kernels' own scale is the usual one
        return attention_of_rows(queries, keys, values, cu_seq_lens_q, longest, dropout).unsqueeze(0), None

    return attend


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
