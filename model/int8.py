"""Encoders in whole numbers of 8 bits on a CPU: an encoder's transformer as an ONNX file, see int8_files.py.

The vectors are near those of float32, yet near enough for the order of the first sentences of few articles alone. So
the whole weights encode the sentences that come first again, and all queries.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from sentence_transformers import SentenceTransformer
from sentence_transformers.base.modules import Transformer
from transformers import PreTrainedModel

from model.encoder import encode, load
from model.files import INT8_FILE
from model.int8_files import Int8Transformer, NoInt8, write_transformer
from model.proposing.first_again import WHOLE_BELOW, first_of

INPUTS = ("input_ids", "attention_mask")


def write_int8(folder: Path) -> Path:
    """Writes an encoder's transformer in 8 bits beside its weights, as INT8_FILE in its folder.

    Raises NoInt8 without the packages, for an encoder of several transformers, and for one that ONNX cannot express.
    """
    target = folder / INT8_FILE
    write_transformer(_transformer_of(load(folder, "cpu", most_tokens=None)).model, INPUTS, target)
    return target


@dataclass(frozen=True, slots=True)
class Int8Encoder:
    """An encoder in 8 bits, and the same with its whole weights, which computes in float32."""

    small: SentenceTransformer
    whole: SentenceTransformer

    def encode(self, texts: Sequence[str], *, queries: Sequence[str] = (), **settings: Any) -> np.ndarray:
        """As `model.encoder.encode`: the queries by the whole weights, the sentences in 8 bits."""
        asked = encode(self.whole, [], queries=queries, mixed_precision=False)
        return np.concatenate([asked, encode(self.small, texts, **settings)])

    def encode_articles(
        self,
        texts: Sequence[str],
        owners: np.ndarray,
        queries: Mapping[int, str],
        *,
        progress: Callable[[int], None] = lambda done: None,
    ) -> np.ndarray:
        """Embeddings of the sentences of articles, float32, shape (sentences, dimension).

        Those that 8 bits put first by the cosine to their article's query, and all of short articles, are of the whole
        weights. owners: the article of each sentence, shape (sentences,). `progress` gets the number of sentences done.
        """
        numbers, lengths = np.unique(owners, return_counts=True)
        long: list[int] = numbers[lengths >= WHOLE_BELOW].tolist()
        is_long = np.isin(owners, long)
        in_8_bits = np.flatnonzero(is_long).tolist()
        again: list[int] = np.flatnonzero(~is_long).tolist()
        vectors = np.zeros((len(texts), self.whole.get_embedding_dimension()), dtype=np.float32)
        vectors[in_8_bits] = encode(self.small, [texts[i] for i in in_8_bits], progress=progress)
        asked = self._asked({queries[number] for number in long})
        for number in long:
            own = np.flatnonzero(owners == number)
            again += own[first_of(vectors[own], asked[queries[number]])].tolist()
        vectors[again] = encode(self.whole, [texts[i] for i in again], mixed_precision=False)
        progress(len(texts))
        return vectors

    def _asked(self, queries: Collection[str]) -> dict[str, np.ndarray]:
        texts = sorted(queries)
        return dict(zip(texts, self.encode([], queries=texts), strict=True))


def load_int8(folder: Path) -> Int8Encoder:
    """The encoder of a folder, its transformer computed in 8 bits by one thread a call. Raises NoInt8, OSError."""
    small = load(folder, "cpu", most_tokens=None)
    transformer = _transformer_of(small)
    transformer.model = Int8Transformer(folder / INT8_FILE, transformer.model.config)
    return Int8Encoder(small, load(folder, "cpu", most_tokens=None))


def _transformer_of(encoder: SentenceTransformer) -> Transformer:
    found = [module for module in encoder.modules() if isinstance(module, Transformer)]
    if len(found) != 1 or not isinstance(found[0].model, PreTrainedModel):
        raise NoInt8("only an encoder of one transformer can be computed in 8 bits")
    return found[0]
