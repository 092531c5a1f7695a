"""How an article and a question stand side by side in one input: [CLS] s1 [SEP] s2 [SEP] ... [SEP] facets [SEP].

Sentences take turns between segment 0 and segment 1, so that a model sees where one ends. Source: "Literature Retrieval
for Precision Medicine with Neural Matching and Faceted Summarization", Findings of EMNLP 2020.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

from transformers import PreTrainedTokenizerBase

# Of the input's length, at most: a long question must leave room for the article.
QUESTION_SHARE = 0.4


@dataclass(frozen=True, slots=True)
class Laid:
    """Token ids of one input, and the segment of each, 0 or 1. The facets begin at `facets`, its length without any."""

    ids: list[int]
    segments: list[int]
    facets: int

    def __len__(self) -> int:
        return len(self.ids)


@dataclass(frozen=True, slots=True)
class Borders:
    """The ids of a tokenizer's [CLS] and [SEP], or of what it has in their place."""

    first: int
    between: int

    @classmethod
    def of(cls, tokenizer: PreTrainedTokenizerBase) -> Self:
        """Raises ValueError for a tokenizer that has none."""
        first = tokenizer.cls_token_id if tokenizer.cls_token_id is not None else tokenizer.bos_token_id
        between = tokenizer.sep_token_id if tokenizer.sep_token_id is not None else tokenizer.eos_token_id
        if first is None or between is None:
            raise ValueError("the encoder's tokenizer has no tokens that begin and part texts, such as [CLS] and [SEP]")
        return cls(first, between)


def words_of(tokenizer: PreTrainedTokenizerBase, texts: Sequence[str]) -> list[list[int]]:
    """Token ids of each text without special tokens, uncut."""
    if not texts:
        return []
    ids: list[list[int]] = tokenizer(list(texts), add_special_tokens=False, verbose=False)["input_ids"]
    return ids


def laid_out(sentences: Sequence[Sequence[int]], facets: Sequence[int], borders: Borders, limit: int) -> Laid:
    """One input of at most `limit` tokens. The article's end is cut before the facets are; of these at most
    QUESTION_SHARE of the limit is kept. Without facets the article stands alone."""
    kept = list(facets)[: int(limit * QUESTION_SHARE)]
    room = limit - 1 - (len(kept) + 1 if kept else 0)
    ids, segments, segment = [borders.first], [0], 0
    for sentence in sentences:
        if room < 2:  # a border needs a word before it
            break
        part = [*sentence[: room - 1], borders.between]
        ids += part
        segments += [segment] * len(part)
        room -= len(part)
        segment = 1 - segment
    begin = len(ids)
    if kept:
        ids += [*kept, borders.between]
        segments += [segment] * (len(kept) + 1)
    return Laid(ids, segments, begin)
