"""The terms of a sentence, with names by their shape: what is said of one gene is learnt for all."""

import re
from itertools import pairwise

NEARBY = 5  # words before and after a name that are learnt as standing near one
NAME = "the gene"  # stands for a name where an encoder reads the sentence

WORD = re.compile(r"[A-Za-z0-9]+(?:[-'][A-Za-z0-9]+)*|[^\sA-Za-z0-9]")
_SHAPED = re.compile(r"(?=.*\d)(?=.*[A-Za-z]).*|[A-Z-]{2,}|.*[a-z][A-Z].*")


def is_name(word: str) -> bool:
    """Whether a word is shaped as a name: letters with a digit, capitals, or a capital within (rsbp-1, GFP, cGMP)."""
    return _SHAPED.fullmatch(word) is not None


def tokens_of(text: str) -> list[str]:
    """The words in lower case, "#" for a number, the signs; each name as its shape: "§a-0" for rsbp-1 and ceh-34."""
    return [_shape(word) if is_name(word) else "#" if word.isdigit() else word.lower() for word in WORD.findall(text)]


def _shape(word: str) -> str:
    for pattern, sign in ((r"[A-Z]+", "A"), (r"[a-z]+", "a"), (r"\d+", "0")):
        word = re.sub(pattern, sign, word)
    return f"§{word}"


def near_names(text: str) -> list[str]:
    """The words near each name, told apart by their side: "expressed>" before it and "<neurons" behind it."""
    words = tokens_of(text)
    places = [place for place, word in enumerate(words) if word.startswith("§")]
    before = [f"{word}>" for place in places for word in words[max(0, place - NEARBY) : place]]
    behind = [f"<{word}" for place in places for word in words[place + 1 : place + NEARBY + 1]]
    return before + behind


def without_names(text: str) -> str:
    """The sentence as the encoder reads it, each name replaced by NAME: the encoder knows few names."""
    return re.sub(r"\S+", lambda match: NAME if is_name(match[0].strip(".,;:()[]")) else match[0], text)


def runs_of(text: str) -> list[str]:
    """The tokens and their pairs."""
    tokens = tokens_of(text)
    return [*tokens, *(f"{one} {other}" for one, other in pairwise(tokens))]


def terms_of(text: str) -> set[str]:
    """The tokens, their pairs, and the words near names."""
    return {*runs_of(text), *near_names(text)}
