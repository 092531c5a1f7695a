"""The words of a sentence as its function is read off them: lower case, numbers as one sign, runs of two and three."""

import re
from itertools import pairwise

_WORD = re.compile(r"[A-Za-z]+|\d+(?:[.,·]\d+)*|[%=<>±()≥≤]")
_CITED = re.compile(
    r"\[\d{1,3}(?:\s?[,–-]\s?\d{1,3})*\]|\((?:[^()]{0,80}\s)?(?:19|20)\d\d[a-z]?(?:;[^()]{0,200})?\)|\bet al\b"
)

_OWN = re.compile(
    r"\b(?:we|our|this (?:study|paper|work|article|report)|(?:present|current) (?:study|work))\b", re.IGNORECASE
)


def words_of(text: str) -> list[str]:
    """The words; "#" for a whole number, "#.#" for another."""
    return [_written(word) for word in _WORD.findall(text)]


def _written(word: str) -> str:
    if word[0].isdigit():
        return "#.#" if any(sign in word for sign in ".,·") else "#"
    return word.lower()


def terms_of(text: str) -> list[str]:
    """The words, the pairs of neighbours, and how the sentence begins."""
    words = words_of(text)
    pairs = [f"{one}_{other}" for one, other in pairwise(words)]
    return [*words, *pairs, *(f"^{'_'.join(words[:length])}" for length in (1, 2, 3))]


def cites(text: str) -> bool:
    """Whether the sentence speaks of other work: it names some (a number in brackets, a year in parentheses, "et al")
    and does not speak of its own."""
    return _CITED.search(text) is not None and _OWN.search(text) is None
