"""EXT: which words of this article would be asked for? A mark for each token; the question is not shown.

Target 1 where the word occurs in what was asked. Source: as in faceted_text.py.
"""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from model.devices import autocast
from model.finding.pseudo_queries import terms_of
from model.finding.reader import Laid, Reader, laid_out
from model.finding.relevance import SCORED_TOKENS, weighted_loss
from model.row_batches import token_batches

_PIECES = re.compile(r"\w[\w-]*\w|\w|[^\w\s]")


@dataclass(frozen=True, slots=True)
class Worded:
    """An article as one input, and the word in small letters that each token belongs to; "" for the borders."""

    laid: Laid
    words: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.laid)


class ExtractionModel(nn.Module):
    """A reader and one number for each token on top of it."""

    def __init__(self, reader: Reader) -> None:
        super().__init__()
        self.reader = reader
        self.dropout = nn.Dropout(0.1)
        self.head = nn.Linear(reader.width, 1).to(reader.device)

    @property
    def device(self) -> torch.device:
        """Where its weights are."""
        return self.reader.device

    def forward(self, rows: Sequence[Laid]) -> tuple[Tensor, Tensor]:
        """(log odds that each token is asked for, mask), both (rows, tokens)."""
        vectors, mask = self.reader(rows)
        return self.head(self.dropout(vectors))[:, :, 0], mask


def worded(reader: Reader, sentences: Sequence[str], limit: int) -> Worded:
    """An article's sentences as one input of at most `limit` tokens."""
    split = [_PIECES.findall(sentence) for sentence in sentences]
    ids, names = [], [""]
    words_of_sentences = []
    for words in filter(None, split):
        found = reader.tokenizer(list(words), is_split_into_words=True, add_special_tokens=False, verbose=False)
        ids.append(found["input_ids"])
        words_of_sentences.append([words[place].lower() for place in found.word_ids()])
    laid = laid_out(ids, (), reader.borders, limit)
    for own in words_of_sentences:
        names += [*own[: max(0, len(laid) - len(names) - 1)], ""]
    return Worded(laid, tuple(names[: len(laid)]))


def targets_of(article: Worded, asked: Collection[str]) -> list[float]:
    """1.0 for each token whose word is one of `asked` (small letters), 0.0 for the others and the borders."""
    return [float(word in asked) for word in article.words]


def extraction_loss(logits: Tensor, mask: Tensor, targets: Sequence[Sequence[float]], weight: float) -> Tensor:
    """`weighted_loss` over all tokens that stand in the batch; logits and mask (rows, tokens)."""
    wanted = torch.zeros_like(logits)
    for row, own in enumerate(targets):
        wanted[row, : len(own)] = torch.tensor(own, device=logits.device, dtype=logits.dtype)
    there = mask.bool()
    return weighted_loss(logits[there].float(), wanted[there].float(), weight)


def extracted(model: ExtractionModel, articles: Sequence[Worded], least: float = 0.5) -> list[list[str]]:
    """The words of each article that reach this probability, likeliest first, without stop words and marks."""
    model.eval()
    found: list[list[str]] = [[] for _ in articles]
    for batch in token_batches([len(each) for each in articles], SCORED_TOKENS[model.device.type]):
        with torch.inference_mode(), autocast(model.device.type):
            logits, _ = model([articles[i].laid for i in batch])
        for i, row in zip(batch, torch.sigmoid(logits.float()).cpu().tolist(), strict=True):
            found[i] = _chosen(articles[i].words, row, least)
    return found


def _chosen(words: Sequence[str], probabilities: Sequence[float], least: float) -> list[str]:
    best: dict[str, float] = {}
    for word, probability in zip(words, probabilities, strict=False):  # padding has no words
        if probability >= least and terms_of(word):
            best[word] = max(probability, best.get(word, 0.0))
    return sorted(best, key=lambda word: (-best[word], word))
