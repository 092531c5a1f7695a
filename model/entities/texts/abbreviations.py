"""Short forms and what they stand for, as texts introduce them: long form (SHORT). Source: Schwartz and Hearst 2003."""

import re
from collections.abc import Iterable

_BRACKETS = re.compile(r"\(([^()]{2,10})\)")
_SHORT = re.compile(r"[A-Za-z0-9][\w./+-]{1,9}")
SHORTEST = 3  # letters of a long form beyond which chance matches become rare


def abbreviations(texts: Iterable[str]) -> dict[str, str]:
    """Short form -> long form of all that these texts introduce; a form introduced with two meanings is left out."""
    found: dict[str, set[str]] = {}
    long_of: dict[str, str] = {}
    for text in texts:
        for match in _BRACKETS.finditer(text):
            short = match[1].strip()
            is_short = _SHORT.fullmatch(short) and sum(map(str.isupper, short)) >= 2
            if is_short and (long := long_form(short, text[: match.start()])):
                found.setdefault(short, set()).add(long.lower())
                long_of.setdefault(short, long)
    return {short: long_of[short] for short, longs in found.items() if len(longs) == 1}


def long_form(short: str, before: str) -> str:
    """The words before the bracket that the short form stands for, "" where none fit.

    Each letter of the short form is found from right to left, its first one at the beginning of a word; at most
    min(n + 5, 2 n) words for n letters.
    """
    words = before.rstrip().split()
    letters = [letter.lower() for letter in short if letter.isalnum()]
    text = " ".join(words[-min(len(letters) + 5, 2 * len(letters)) :])
    place = len(text)
    for number in range(len(letters) - 1, -1, -1):
        place -= 1
        # Its first letter begins a word.
        while place >= 0 and (
            text[place].lower() != letters[number] or (number == 0 and place > 0 and text[place - 1].isalnum())
        ):
            place -= 1
        if place < 0:
            return ""
    long = text[place:].strip(" ,;:([")
    return long if len(long) > len(short) + SHORTEST and short.lower() not in long.lower().split() else ""


def expanded(text: str, long_of: dict[str, str]) -> str:
    """A text with its short forms written out, but where it introduces them; the text itself where it has none."""

    def written_out(match: re.Match[str]) -> str:
        long = long_of.get(match[0])
        return long if long and f"({match[0]})" not in text else match[0]

    return _SHORT.sub(written_out, text)


def introduced(text: str) -> dict[str, str]:
    """Short form -> long form of one text, also where two capitals are missing: short forms of genes are p53 or Shh."""
    found: dict[str, str] = {}
    for match in _BRACKETS.finditer(text):
        short = match[1].strip()
        if _SHORT.fullmatch(short) and not short.islower() and (long := long_form(short, text[: match.start()])):
            found.setdefault(short, long)
    return found
