"""REL in whole numbers of 8 bits on a CPU: its transformer as an ONNX file, see model/int8_files.py.

What stands on top of the transformer is computed in float32. The order of the first candidates is hardly ever that of
float32, so the whole weights score those again that 8 bits put first.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from model.files import INT8_FILE
from model.finding.faceted_text import Laid
from model.finding.ranker_files import load_relevance
from model.finding.reader import Reader
from model.finding.relevance import RelevanceModel, relevance_of
from model.int8_files import Int8Transformer, write_transformer

FIRST_AGAIN = 15


@dataclass(frozen=True, slots=True, eq=False)
class Int8Relevance:
    """A REL model in 8 bits, and the same with its whole weights, which computes in float32."""

    small: RelevanceModel
    whole: RelevanceModel

    @property
    def reader(self) -> Reader:
        """Tells how inputs are laid out."""
        return self.whole.reader

    def odds(self, rows: Sequence[Laid], progress: Callable[[int], None] = lambda done: None) -> np.ndarray:
        """Log odds of each input, float32[rows]: of the FIRST_AGAIN that 8 bits put first by the whole weights."""
        found = relevance_of(self.small, rows, progress, mixed_precision=False)
        first = np.argsort(-found, kind="stable")[:FIRST_AGAIN]
        found[first] = relevance_of(self.whole, [rows[i] for i in first], mixed_precision=False)
        return found


def write_int8(folder: Path) -> Path:
    """Writes a model's transformer in 8 bits beside its weights, as INT8_FILE in its folder. Raises NoInt8."""
    reader, target = load_relevance(folder, "cpu").reader, folder / INT8_FILE
    write_transformer(reader.network, reader.inputs, target)
    return target


def load_int8(folder: Path) -> Int8Relevance:
    """The model of a folder, its transformer computed in 8 bits. Raises NoInt8, OSError."""
    whole = load_relevance(folder, "cpu")
    network = Int8Transformer(folder / INT8_FILE, whole.reader.network.config)
    small = RelevanceModel(Reader(network, whole.reader.tokenizer), by_cls_alone=whole.by_cls_alone)
    small.head, small.alike = whole.head, whole.alike
    return Int8Relevance(small, whole)
