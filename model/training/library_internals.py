"""The private names of libraries that this product uses: here, and nowhere else in it.

A private name may change with any release. `SEEN_IN` has the releases in which these were read; a test runs each
function below and names the library, so that an upgrade shows at once what has to be looked at again.
"""

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

# Library -> the release in which the private names used below were last read.
SEEN_IN = {"transformers": "5.23.0"}


def attention_of(model: Any) -> str:
    """The name of the attention that a transformer computes with, such as "sdpa"; to be set by its public setter.

    transformers: `config._attn_implementation`, which no public name reads.
    """
    name: str = model.config._attn_implementation
    return name


def attention_can_be_chosen(model: Any) -> bool:
    """Whether a transformer takes its attention from the registry, to which anybody can add one.

    transformers: `_supports_attention_backend`, a mark of the class.
    """
    return bool(model._supports_attention_backend)


def copy_all(to: Sequence[Tensor], source: Sequence[Tensor]) -> None:
    """Copies each tensor into its counterpart, also into another type, in place, all in one pass.

    torch: `_foreach_copy_`; `Tensor.copy_` does the same for a single tensor.
    """
    torch._foreach_copy_(list(to), list(source))


def attention_of_rows(query: Tensor, key: Tensor, value: Tensor, ends: Tensor, longest: int, dropout: float) -> Tensor:
    """Attention within rows that stand one after the other, on a GPU: (tokens, heads, width), and the same shape back.

    ends: (rows + 1,) where each row ends, from 0; no row has more than `longest` tokens. FlashAttention for half
    precision, else the memory-efficient kernel.

    torch: `_flash_attention_forward` and `_efficient_attention_forward`, which nested tensors call. Those take
    milliseconds of Python for each call; the public `varlen_attn` has no dropout.
    """
    ends, longest = ends.int(), min(longest, len(query))
    found: Sequence[Tensor]
    if query.dtype == torch.float32:
        rows = (each[None] for each in (query, key, value))
        found = torch.ops.aten._efficient_attention_forward(
            *rows, None, ends, ends, longest, longest, dropout, 0, query.requires_grad
        )
        return found[0][0]
    found = torch.ops.aten._flash_attention_forward(
        query, key, value, ends, ends, longest, longest, dropout, False, False
    )
    return found[0]
