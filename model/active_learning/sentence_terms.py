"""The terms of a sentence, with names by their shape: what is said of one gene is learnt for all."""

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise

NEARBY = 5  # words before and after a name that are learnt as standing near one
WORDS_KEPT = 2**16  # the shapes of so many different words are kept: to tell one takes longer than to look it up
RUN = 5  # letters: how words of one stem are alike
NAME = "the gene"  # stands for a name where an encoder reads the sentence

WORD = re.compile(r"[A-Za-z0-9]+(?:[-'][A-Za-z0-9]+)*|[^\sA-Za-z0-9]")
_SHAPED = re.compile(r"(?=.*\d)(?=.*[A-Za-z]).*|[A-Z-]{2,}|.*[a-z][A-Z].*")


@lru_cache(maxsize=WORDS_KEPT)
def is_name(word: str) -> bool:
    """Whether a word is shaped as a name: letters with a digit, capitals, or a capital within (rsbp-1, GFP, cGMP)."""
    return _SHAPED.fullmatch(word) is not None


def tokens_of(text: str) -> list[str]:
    """The words in lower case, "#" for a number, the signs; each name as its shape: "§a-0" for rsbp-1 and ceh-34."""
    return [_token(word) for word in WORD.findall(text)]


@lru_cache(maxsize=WORDS_KEPT)
def _token(word: str) -> str:
    if not is_name(word):
        return "#" if word.isdigit() else word.lower()
    for pattern, sign in ((r"[A-Z]+", "A"), (r"[a-z]+", "a"), (r"\d+", "0")):
        word = re.sub(pattern, sign, word)
    return f"§{word}"


def near_names(words: Sequence[str]) -> list[str]:
    """The tokens near each name, told apart by their side: "expressed>" before it and "<neurons" behind it."""
    places = [place for place, word in enumerate(words) if word.startswith("§")]
    before = [f"{word}>" for place in places for word in words[max(0, place - NEARBY) : place]]
    behind = [f"<{word}" for place in places for word in words[place + 1 : place + NEARBY + 1]]
    return before + behind


def without_names(text: str) -> str:
    """The sentence as the encoder reads it, each name replaced by NAME: the encoder knows few names."""
    return re.sub(r"\S+", lambda match: NAME if is_name(match[0].strip(".,;:()[]")) else match[0], text)


def terms_of(text: str) -> set[str]:
    """The tokens, their pairs, the words near names, and the runs of letters in longer words ("*press*")."""
    words = tokens_of(text)
    pairs = (f"{one} {other}" for one, other in pairwise(words))
    runs = (f"*{word[at : at + RUN]}*" for word in words if word[0].isalpha() for at in range(len(word) - RUN + 1))
    return {*words, *pairs, *near_names(words), *runs}
