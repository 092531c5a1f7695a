"""REL in whole numbers of 8 bits on a CPU: its transformer as an ONNX file, see model/int8_files.py.

What stands on top of the transformer is computed in float32. The order of the first candidates is hardly ever that of
float32, so the whole weights score those that may be among the first: by this model, and by the others of the search.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

from model.files import INT8_FILE
from model.finding.faceted_text import Laid
from model.finding.ranker_files import load_relevance
from model.finding.reader import Reader
from model.finding.relevance import RelevanceModel, relevance_of
from model.int8_files import Int8Transformer, write_transformer

# The first five of float32 lay among the first 9, and with so many the first five of the search stayed, too:
# docs/speed.md, "The cross-encoder in 8 bits".
FIRST = 12


@dataclass(frozen=True, slots=True, eq=False)
class Int8Relevance:
    """A REL model in 8 bits, and the same with its whole weights, which computes in float32."""

    small: RelevanceModel
    whole: RelevanceModel

    @property
    def reader(self) -> Reader:
        """Tells how inputs are laid out."""
        return self.whole.reader

    def odds(self, rows: Sequence[Laid]) -> np.ndarray:
        """Log odds of each input, float32[rows]; the rows come best first by whatever else ranks them.

        The FIRST of them are scored by the whole weights, the others in 8 bits, and so many of all that are first then
        by the whole weights again.
        """
        score = partial(relevance_of, mixed_precision=False)
        found = np.concatenate([score(self.whole, rows[:FIRST]), score(self.small, rows[FIRST:])])
        again = [i for i in np.argsort(-found, kind="stable")[:FIRST].tolist() if i >= FIRST]
        found[again] = score(self.whole, [rows[i] for i in again])
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
