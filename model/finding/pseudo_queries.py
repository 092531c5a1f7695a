"""Pseudo-queries, the words that an article would be asked for: how a question fits them, what ABS can write."""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
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
    """Unit vectors of words, float32[words, dimension]. A word that is not there is like no other."""

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


PADDING, UNKNOWN = "<padding>", "<unknown>"
_CODE = re.compile(r"^([DC]\d{6,9}):")
MESH = "mesh"  # the facet whose words are MeSH terms
MESH_PREFIX = "mesh_"


def mesh_word(term: str) -> str:
    """A MeSH term as one word: its code where the text has one ("D000123:Name" becomes mesh_d000123), else its name."""
    code = _CODE.match(term)
    return MESH_PREFIX + (code[1] if code else re.sub(r"\W+", "_", term.strip())).lower()


def begin_of(facet: str) -> str:
    """The symbol that tells the decoder which facet to write."""
    return f"<{facet}>"


def end_of(facet: str) -> str:
    """The symbol with which a facet ends."""
    return f"</{facet}>"


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """Words by number: padding, unknown, begin and end of each facet, then the words."""

    facets: tuple[str, ...]
    words: tuple[str, ...]
    numbers: dict[str, int] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "numbers", {word: number for number, word in enumerate([*self.symbols, *self.words])})

    @property
    def symbols(self) -> tuple[str, ...]:
        """The tokens that are no words: padding, unknown, and the begin and end of each facet."""
        return (PADDING, UNKNOWN, *(mark(facet) for facet in self.facets for mark in (begin_of, end_of)))

    def __len__(self) -> int:
        return len(self.symbols) + len(self.words)

    def written(self, facet: str, words: Sequence[str]) -> list[int]:
        """Begin symbol, the words that it has, end symbol."""
        known = [self.numbers[word] for word in words if word in self.numbers]
        return [self.numbers[begin_of(facet)], *known, self.numbers[end_of(facet)]]

    def read(self, numbers: Iterable[int]) -> list[str]:
        """The distinct words behind numbers, in order, symbols left out."""
        first = len(self.symbols)
        return list(dict.fromkeys(self.words[number - first] for number in numbers if number >= first))


def vocabulary_of(
    facets: Sequence[str], texts: Iterable[str], mesh: Iterable[str], most: int, least: int = 2
) -> Vocabulary:
    """The most frequent words of texts and MeSH words, at most `most` together, each at least `least` times there."""
    counts = Counter(word for text in texts for word in WORDS.findall(text.lower()))
    counts.update(mesh)
    chosen = [word for word, count in sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])) if count >= least]
    return Vocabulary(tuple(facets), tuple(chosen[:most]))
