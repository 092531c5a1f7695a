"""ABS: which question would this article answer? A transformer reads the article, another writes one facet after a
signal.

Words stand in one space with MeSH terms; their vectors are given and stay. Sinusoidal positions. Source: as in
faceted_text.py; the decoder is smaller than the reference's six layers of 768.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import torch
from torch import Tensor, nn

from model.devices import autocast
from model.finding.pseudo_queries import Vocabulary, begin_of, end_of, merged
from model.finding.reader import Laid, Reader


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


@dataclass(frozen=True, slots=True)
class Beam:
    """A beam search: beams kept, how many of the best are merged, the most words, the two penalties."""

    width: int = 4
    merged: int = 2
    most_words: int = 24
    length_penalty: float = 0.4
    coverage_penalty: float = 0.4


@dataclass(frozen=True, slots=True)
class Written:
    """Word numbers from the begin symbol on, their log probability, and how much each token was looked at."""

    numbers: tuple[int, ...]
    log_probability: float
    looked: Tensor

    def score(self, beam: Beam) -> float:
        """log P / ((5 + n) / 6) ** length_penalty + coverage_penalty * mean over tokens of log min(looked, 1).

        n: words without the begin symbol; `looked` is at least 1e-4. Source: Wu et al. 2016, equations 14 and 15, which
        sum over the tokens: their mean costs a long article no more than a short one.
        """
        length: float = ((5 + len(self.numbers) - 1) / 6) ** beam.length_penalty
        coverage = float(torch.log(self.looked.clamp(min=1e-4, max=1.0)).mean())
        return self.log_probability / length + beam.coverage_penalty * coverage


def summaries(model: AbstractingModel, articles: Sequence[Laid], facets: Sequence[str], beam: Beam) -> list[list[str]]:
    """The distinct words that are written for each article over these facets, the best `merged` ways together."""
    model.eval()
    found = []
    for article in articles:
        with torch.inference_mode(), autocast(model.device.type):
            memory, mask = model.reader([article])
            ways = [_written(model, memory.float(), mask == 0, facet, beam) for facet in facets]
        found.append(merged(*(model.vocabulary.read(way.numbers) for own in ways for way in own)))
    return found


def _written(model: AbstractingModel, memory: Tensor, hidden: Tensor, facet: str, beam: Beam) -> list[Written]:
    numbers = model.vocabulary.numbers
    end = numbers[end_of(facet)]
    # Symbols other than its own end may not be written within a facet.
    never = [numbers[symbol] for symbol in model.vocabulary.symbols if symbol != end_of(facet)]
    tokens = int((~hidden).sum())
    going = [Written((numbers[begin_of(facet)],), 0.0, torch.zeros(tokens, device=memory.device))]
    done: list[Written] = []
    for _ in range(beam.most_words):
        going = _longer(model, memory, hidden, going, beam, never)
        done += [way for way in going if way.numbers[-1] == end]
        going = [way for way in going if way.numbers[-1] != end]
        if not going or len(done) >= beam.width:
            break
    return sorted(done or going, key=lambda way: -way.score(beam))[: beam.merged]


def _longer(
    model: AbstractingModel, memory: Tensor, hidden: Tensor, going: Sequence[Written], beam: Beam, never: Sequence[int]
) -> list[Written]:
    """The best ways to go on by one word; no word is written twice."""
    rows = len(going)
    so_far = torch.tensor([way.numbers for way in going], device=memory.device)
    logits, weights = model.decoded(so_far, memory.expand(rows, -1, -1), hidden.expand(rows, -1))
    chances = torch.log_softmax(logits[:, -1].float(), dim=1)
    chances[:, list(never)] = -torch.inf
    chances.scatter_(1, so_far, -torch.inf)
    looks = weights[:, -1].float()[:, ~hidden[0]]
    totals = chances + torch.tensor([[way.log_probability] for way in going], device=memory.device)
    best = totals.flatten().topk(beam.width)
    found = []
    for total, place in zip(best.values.tolist(), best.indices.tolist(), strict=True):
        row, word = divmod(place, chances.shape[1])
        way = going[row]
        found.append(replace(way, numbers=(*way.numbers, word), log_probability=total, looked=way.looked + looks[row]))
    return found
