"""Likeness in words: how much of a query a sentence says, its rare words before the usual ones."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise
from math import hypot, log

import numpy as np

from model.sentence_words import words_of

_NAMED = re.compile(r"[^\W_]{4,}")  # words that are worth naming: shorter ones stand everywhere


def word_likeness(sentences: Sequence[str], queries: Sequence[str]) -> np.ndarray:
    """The cosine by TF-IDF of each sentence to the nearest query, 0 to 1, shape (n,); all 0 without queries.

    Terms are words and pairs of neighbours; how rare they are is counted over these sentences.
    """
    if not queries:
        return np.zeros(len(sentences))
    found = [_terms(text) for text in sentences]
    frequency = Counter(term for terms in found for term in terms)

    def weighed(terms: Counter[str]) -> dict[str, float]:
        rare = {term: log((1 + len(found)) / (1 + frequency[term])) + 1 for term in terms}
        weights = {term: (1 + log(count)) * rare[term] for term, count in terms.items()}
        length = hypot(*weights.values())
        return {term: weight / length for term, weight in weights.items()}

    asked = [weighed(_terms(query)) for query in queries]
    cosines = [[sum(weight * row.get(term, 0.0) for term, weight in query.items()) for query in asked]
               for row in map(weighed, found)]  # fmt: skip
    return np.array([max(of_sentence) for of_sentence in cosines])


def words_shared(sentence: str, queries: Iterable[str]) -> list[str]:
    """The words of four letters or more that a sentence shares with any of the queries, as the queries have them."""
    words = {word.casefold() for word in _NAMED.findall(sentence)}
    asked = {word.casefold(): word for query in queries for word in _NAMED.findall(query)}
    return [word for folded, word in asked.items() if folded in words]


def _terms(text: str) -> Counter[str]:
    words = words_of(text)
    return Counter([*words, *(f"{one} {other}" for one, other in pairwise(words))])
