"""The vectors of short texts: one for each, and zeros of the encoder's width where there is nothing to say."""

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np

from annotate.finding.encoding import short_texts


class Counting:
    """Gives every text a vector of three equal numbers, and counts what it is asked for."""

    sha256 = "of this test alone"
    version = SimpleNamespace(dimension=3)

    def __init__(self) -> None:
        self.asked: list[str] = []

    def texts(self, texts: Sequence[str]) -> np.ndarray:
        self.asked += texts
        return np.array([[len(text)] * 3 for text in texts], dtype=np.float32)


def test_no_text_at_all_has_vectors_of_the_same_width() -> None:
    encoder: Any = Counting()
    assert (short_texts(["", ""], encoder) @ np.ones(3)).tolist() == [0, 0]  # candidates of which none has MeSH terms
    assert encoder.asked == []


def test_each_text_is_encoded_once() -> None:
    encoder: Any = Counting()
    assert short_texts(["ab", "", "ab"], encoder)[:, 0].tolist() == [2, 0, 2]
    assert short_texts(["abc", "ab"], encoder)[:, 0].tolist() == [3, 2]
    assert encoder.asked == ["ab", "abc"]
