"""The passes of a training: which rows go through an encoder together, and as what."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from sentence_transformers import SentenceTransformer

from model.devices import joined, limit_for, parted
from model.encoder import forward, padded, sides_apart
from model.prompts import Side
from model.row_batches import PassSize, chunks, shares
from model.training.packed.packing import Packed, packed, packs

# Sizes of padding: passes with padding, and on a CPU the groups of attention in passes without. There 768 tokens keep
# the cores busy. On a GPU each costs the starts of its kernels, too: that they take as long as 2,048 tokens was judged,
# not measured.
PASS_SIZES = {"cpu": PassSize(768, fill=0.75), "cuda": PassSize(8_192, fixed_cost=2_048)}
# A pass without padding takes about this many tokens. With 768 a CPU was as quick with full texts, 5% slower in short
# steps. All passes of a step are in memory together, so that on a GPU more passes would save none.
PACKED_TOKENS = {"cpu": 8_192, "cuda": 65_536}


@dataclass(frozen=True, slots=True)
class Pass:
    """Rows of one side that go through an encoder together: their places among all, and the arrays by name.

    `packed`: of a pass without padding, which may have more rows behind those.
    """

    side: Side
    rows: Sequence[int]
    arrays: Mapping[str, np.ndarray]
    packed: Packed | None = None

    @property
    def results(self) -> int:
        """How many vectors the encoder gives: those behind the rows' own are of padding."""
        return len(self.arrays["cu_seq_lens_q"]) - 1 if self.packed else len(self.rows)

    def features(self, tensors: Sequence[torch.Tensor]) -> dict[str, Any]:
        """What an encoder takes, of the arrays as tensors."""
        named = dict(zip(self.arrays, tensors, strict=True))
        return self.packed.features(named) if self.packed else named


@dataclass(frozen=True, slots=True)
class Passes:
    """All passes of some rows."""

    each: Sequence[Pass]

    @property
    def arrays(self) -> list[np.ndarray]:
        """The arrays of all passes."""
        return [array for one in self.each for array in one.arrays.values()]

    @property
    def back(self) -> np.ndarray:
        """Where among the results of all passes each row's stands."""
        found = np.empty(sum(len(one.rows) for one in self.each), dtype=np.intp)
        start = 0
        for one in self.each:
            found[one.rows] = start + np.arange(len(one.rows))
            start += one.results
        return found

    def features(self, tensors: Sequence[torch.Tensor]) -> Iterator[tuple[Side, dict[str, Any]]]:
        """(side, what an encoder takes) of each pass, of the arrays of all as tensors."""
        start = 0
        for one in self.each:
            end = start + len(one.arrays)
            yield one.side, one.features(tensors[start:end])
            start = end


def passes_of(encoder: SentenceTransformer, rows: Sequence[list[int]], queries: int = 0, parts: int = 1) -> Passes:
    """The passes of these token ids, of which the first `queries` are of queries; at least `parts` of them."""
    size = limit_for(PASS_SIZES, encoder.device)
    if packs(encoder):
        chosen = shares([len(row) for row in rows], limit_for(PACKED_TOKENS, encoder.device), parts)
        ready = [packed(encoder, [rows[i] for i in own], size) for own in chosen]
        return Passes([Pass(Side.DOCUMENT, own, one.arrays, one) for own, one in zip(chosen, ready, strict=True)])
    apart = sides_apart(encoder) and 0 < queries < len(rows)
    found: list[Pass] = []
    for start, end in [(0, queries), (queries, len(rows))] if apart else [(0, len(rows))]:
        side = Side.QUERY if start < queries else Side.DOCUMENT
        for chunk in chunks([len(row) for row in rows[start:end]], size, parts):
            ids, mask = padded(encoder, [rows[start + i] for i in chunk], side)
            found.append(Pass(side, [start + i for i in chunk], {"input_ids": ids, "attention_mask": mask}))
    return Passes(found)


def forward_in_chunks(encoder: SentenceTransformer, rows: Sequence[list[int]], queries: int = 0) -> torch.Tensor:
    """Embeddings of these token ids, in order, with gradients where they are on, with little padding or none.

    The first `queries` rows are queries.
    """
    passes = passes_of(encoder, rows, queries)
    arrays = [*passes.arrays, passes.back]
    *tensors, back = parted(joined(arrays, encoder.device), [array.shape for array in arrays], encoder.device)
    return torch.cat([forward(encoder, features, side) for side, features in passes.features(tensors)])[back]
