"""Pseudo-queries, the words that an article would be asked for, and how well a question fits them."""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

WORDS = re.compile(r"\w[\w-]*\w|\w")


@lru_cache(maxsize=1)
def _stop_words() -> frozenset[str]:
    from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS  # noqa: PLC0415 (scikit-learn takes a second)

    return frozenset(ENGLISH_STOP_WORDS)


def terms_of(text: str) -> list[str]:
    """The distinct words of a text in small letters, in order, without stop words."""
    return [word for word in dict.fromkeys(WORDS.findall(text.lower())) if word not in _stop_words()]


def merged(*parts: Sequence[str]) -> list[str]:
    """The distinct words of several outputs, in order."""
    return list(dict.fromkeys(word for part in parts for word in part))


def rouge_recall(question: Collection[str], article: Collection[str]) -> float:
    """ROUGE-1 recall: the share of the question's distinct words that the pseudo-query has; 0.0 of no words."""
    asked = set(question)
    return len(asked & set(article)) / len(asked) if asked else 0.0


@dataclass(frozen=True, slots=True)
class WordVectors:
    """Unit vectors of words, float32[words, dimension]. A word that is not there is like itself alone."""

    places: Mapping[str, int]
    vectors: np.ndarray

    def cosines(self, first: Sequence[str], second: Sequence[str]) -> np.ndarray:
        """Of each word of the first with each of the second, float32[first, second]."""
        known_first, known_second = self._rows(first), self._rows(second)
        found = known_first @ known_second.T
        same = np.array([[one == other for other in second] for one in first], dtype=bool)
        return np.where(same.reshape(found.shape), np.float32(1.0), found)

    def _rows(self, words: Sequence[str]) -> np.ndarray:
        rows = np.zeros((len(words), self.vectors.shape[1]), dtype=np.float32)
        for row, word in enumerate(words):
            if word in self.places:
                rows[row] = self.vectors[self.places[word]]
        return rows


def symmetric_s_cos(question: Sequence[str], article: Sequence[str], vectors: WordVectors) -> float:
    """The mean of s_cos from question to article and back, which the reference left open; 0.0 where one has no words.

    s_cos from words y in q to words x in p is 1/|q| * sum over y of max over x of cos(e_y, e_x).
    """
    if not question or not article:
        return 0.0
    cosines = vectors.cosines(question, article)
    return float((cosines.max(axis=1).mean() + cosines.max(axis=0).mean()) / 2)
