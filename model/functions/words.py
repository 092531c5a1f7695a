"""The words of a sentence as its function is read off them: lower case, numbers as one sign, runs of two and three."""

import re

_WORD = re.compile(r"[A-Za-z]+|\d+(?:[.,·]\d+)*|[%=<>±()≥≤]")
_CITED = re.compile(
    r"\[\d{1,3}(?:\s?[,–-]\s?\d{1,3})*\]|\((?:[^()]{0,80}\s)?(?:19|20)\d\d[a-z]?(?:;[^()]{0,200})?\)|\bet al\b"
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
    pairs = [f"{one}_{other}" for one, other in zip(words, words[1:], strict=False)]
    return [*words, *pairs, *(f"^{'_'.join(words[:length])}" for length in (1, 2, 3))]


def cites(text: str) -> bool:
    """Whether the sentence names other work: a number in brackets, a year in parentheses, "et al"."""
    return _CITED.search(text) is not None
