"""Beam search for ABS: the likeliest ways to write a facet, long enough and about the whole article."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import torch
from torch import Tensor

from model.devices import autocast
from model.finding.abstracting import AbstractingModel
from model.finding.faceted_text import Laid
from model.finding.pseudo_queries import merged
from model.finding.vocabulary import begin_of, end_of


@dataclass(frozen=True, slots=True)
class Beam:
    """Settings of a beam search: beams kept at once, how many of the best are merged, the most words, and the two
    penalties."""

    width: int = 4
    merged: int = 2
    most_words: int = 24
    length_penalty: float = 0.4
    coverage_penalty: float = 0.4


@dataclass(frozen=True, slots=True)
class Written:
    """What one way has written: word numbers from the begin symbol on, its log probability, and how much it has looked
    at each token of the article so far."""

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
