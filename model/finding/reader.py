"""A transformer that reads laid-out inputs: loaded from an encoder's files, kept as safetensors."""

from collections.abc import Sequence
from pathlib import Path

import torch
from torch import Tensor, nn
from transformers import AutoModel, AutoTokenizer, PreTrainedModel, PreTrainedTokenizerBase

from model.devices import best_device
from model.encoder import PAD_MULTIPLE, load
from model.finding.faceted_text import Borders, Laid


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
