"""ABS: which question would this article answer? A transformer reads the article, another writes one facet after a
signal.

Words stand in one space with MeSH terms; their vectors are given and stay. Sinusoidal positions. Source: as in
faceted_text.py; the decoder is smaller than the reference's six layers of 768.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from model.finding.faceted_text import Laid
from model.finding.reader import Reader
from model.finding.vocabulary import Vocabulary


@dataclass(frozen=True, slots=True)
class DecoderShape:
    """The decoder: layers, width, heads, the width between, and the share that dropout takes."""

    layers: int = 2
    width: int = 256
    heads: int = 4
    between: int = 1024
    dropout: float = 0.1


class Layer(nn.Module):
    """Looks at what is written, then at the article; gives the weights of the second look too."""

    def __init__(self, shape: DecoderShape, memory_width: int) -> None:
        super().__init__()
        self.own = nn.MultiheadAttention(shape.width, shape.heads, shape.dropout, batch_first=True)
        self.other = nn.MultiheadAttention(
            shape.width, shape.heads, shape.dropout, kdim=memory_width, vdim=memory_width, batch_first=True
        )
        self.between = nn.Sequential(
            nn.Linear(shape.width, shape.between), nn.GELU(), nn.Linear(shape.between, shape.width)
        )
        self.norms = nn.ModuleList(nn.LayerNorm(shape.width) for _ in range(3))
        self.dropout = nn.Dropout(shape.dropout)

    def forward(self, x: Tensor, later: Tensor, memory: Tensor, hidden: Tensor) -> tuple[Tensor, Tensor]:
        """(rows, written, width), and the weights of the article's tokens (rows, written, tokens)."""
        normed = self.norms[0](x)
        x = x + self.dropout(self.own(normed, normed, normed, attn_mask=later, need_weights=False)[0])
        seen, weights = self.other(self.norms[1](x), memory, memory, key_padding_mask=hidden)
        x = x + self.dropout(seen)
        return x + self.dropout(self.between(self.norms[2](x))), weights


class AbstractingModel(nn.Module):
    """Reader and decoder. `vectors`: unit vectors of the vocabulary's words, float32[words, dimension]."""

    def __init__(self, reader: Reader, vocabulary: Vocabulary, vectors: Tensor, shape: DecoderShape) -> None:
        super().__init__()
        self.reader = reader
        self.vocabulary = vocabulary
        self.shape = shape
        symbols = torch.randn(len(vocabulary.symbols), vectors.shape[1]) / math.sqrt(vectors.shape[1])
        self.symbols = nn.Parameter(symbols)
        self.vectors: Tensor
        self.register_buffer("vectors", vectors.float(), persistent=False)
        self.enter = nn.Linear(vectors.shape[1], shape.width)
        self.layers = nn.ModuleList(Layer(shape, reader.width) for _ in range(shape.layers))
        self.norm = nn.LayerNorm(shape.width)
        self.leave = nn.Linear(shape.width, vectors.shape[1])
        self.scale = nn.Parameter(torch.tensor(math.log(10.0)))
        self.offsets = nn.Parameter(torch.zeros(len(vocabulary)))
        self.to(reader.device)

    @property
    def device(self) -> torch.device:
        """Where its weights are."""
        return self.reader.device

    @property
    def decoder_parts(self) -> list[nn.Module]:
        """What begins without knowledge."""
        return [self.enter, self.layers, self.norm, self.leave]

    def decoded(self, written: Tensor, memory: Tensor, hidden: Tensor) -> tuple[Tensor, Tensor]:
        """(logits of the next word (rows, written, vocabulary), the last layer's weights (rows, written, tokens)).

        written: numbers (rows, written); memory (rows, tokens, width); hidden: True where no token stands.
        """
        table = torch.cat([self.symbols, self.vectors])
        x = self.enter(table[written]) * math.sqrt(self.shape.width)
        x = x + positions(written.shape[1], self.shape.width).to(x)
        later = torch.ones(written.shape[1], written.shape[1], dtype=torch.bool, device=x.device).triu(1)
        weights = x.new_zeros(())
        for layer in self.layers:
            x, weights = layer(x, later, memory, hidden)
        logits = self.scale.exp() * (self.leave(self.norm(x)) @ table.T) + self.offsets
        return logits, weights

    def forward(self, rows: Sequence[Laid], written: Sequence[Sequence[int]]) -> Tensor:
        """`summary_loss` of what should be written for each article."""
        memory, mask = self.reader(rows)
        longest = max(map(len, written))
        numbers = torch.tensor([[*row, *[0] * (longest - len(row))] for row in written], device=self.device)
        logits, _ = self.decoded(numbers[:, :-1], memory, mask == 0)
        return summary_loss(logits, numbers[:, 1:])


def summary_loss(logits: Tensor, following: Tensor) -> Tensor:
    """Mean negative log likelihood of the words that follow, where 0 is padding.

    logits: (rows, written, vocabulary); following: (rows, written).
    """
    return nn.functional.cross_entropy(logits.flatten(0, 1).float(), following.flatten(), ignore_index=0)


def positions(length: int, width: int) -> Tensor:
    """Sinusoidal positions, (length, width). Source: Vaswani et al. 2017."""
    rates = torch.exp(torch.arange(0, width, 2) * (-math.log(10_000.0) / width))
    angles = torch.arange(length)[:, None] * rates[None, :]
    return torch.stack([angles.sin(), angles.cos()], dim=2).flatten(1)[:, :width]
