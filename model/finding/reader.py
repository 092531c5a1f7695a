"""A transformer that reads laid-out inputs: loaded from an encoder's files, kept as safetensors."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Self

import torch
from torch import Tensor, nn
from transformers import AutoModel, AutoTokenizer, PreTrainedModel, PreTrainedTokenizerBase

from model.devices import best_device
from model.encoder import PAD_MULTIPLE, load

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
    QUESTION_SHARE of the limit is kept. Without facets there is only the article."""
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


class Reader(nn.Module):
    """Turns inputs into a vector for each token."""

    def __init__(self, network: PreTrainedModel, tokenizer: PreTrainedTokenizerBase) -> None:
        super().__init__()
        self.network = network
        self.tokenizer = tokenizer
        self.borders = Borders.of(tokenizer)
        segmented = getattr(network.config, "type_vocab_size", 0) > 1
        self.inputs = ("input_ids", "attention_mask", *(("token_type_ids",) if segmented else ()))

    @property
    def device(self) -> torch.device:
        """Where its weights are."""
        device: torch.device = self.network.device
        return device

    @property
    def width(self) -> int:
        """Numbers in a token's vector."""
        return int(self.network.config.hidden_size)

    def longest(self, limit: int) -> int:
        """The limit, or the positions that the network has where these are fewer."""
        positions = getattr(self.network.config, "max_position_embeddings", None)
        offset = 2 if getattr(self.network.config, "model_type", "") in ("roberta", "xlm-roberta", "camembert") else 0
        return min(limit, positions - offset) if isinstance(positions, int) and positions > 0 else limit

    def forward(self, rows: Sequence[Laid]) -> tuple[Tensor, Tensor]:
        """(vectors (rows, tokens, width), mask (rows, tokens), 1 where a token stands)."""
        longest = max(map(len, rows))
        length = min(-(-longest // PAD_MULTIPLE) * PAD_MULTIPLE, max(longest, self.longest(longest + PAD_MULTIPLE)))
        padding = self.tokenizer.pad_token_id or 0
        ids = torch.tensor([row.ids + [padding] * (length - len(row)) for row in rows], device=self.device)
        mask = torch.tensor([[1] * len(row) + [0] * (length - len(row)) for row in rows], device=self.device)
        segments = torch.tensor([row.segments + [0] * (length - len(row)) for row in rows], device=self.device)
        taken = dict(zip(self.inputs, (ids, mask, segments), strict=False))  # not all have segments
        return self.network(**taken).last_hidden_state, mask


def reader_of_encoder(source: str | Path, device: str | None = None) -> Reader:
    """The transformer of a sentence encoder (folder or hub id), without its pooling. Raises OSError, ValueError."""
    encoder = load(source, device or best_device(), most_tokens=None)
    return Reader(encoder[0].auto_model, encoder.tokenizer)


def load_reader(folder: Path, device: str | None = None) -> Reader:
    """What `save_reader` wrote; safetensors only."""
    network = AutoModel.from_pretrained(
        str(folder), trust_remote_code=False, use_safetensors=True, dtype=torch.float32, local_files_only=True
    )
    tokenizer = AutoTokenizer.from_pretrained(str(folder), trust_remote_code=False, local_files_only=True)
    return Reader(network.to(device or best_device()), tokenizer)


def save_reader(reader: Reader, folder: Path) -> None:
    """Writes network and tokenizer."""
    reader.network.save_pretrained(str(folder), safe_serialization=True)
    reader.tokenizer.save_pretrained(str(folder))
