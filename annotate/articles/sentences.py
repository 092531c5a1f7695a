"""Sentences of a paragraph as character spans: NLTK's Punkt, and around it rules for science text.

Punkt (Kiss and Strunk 2006, Computational Linguistics 32:485) runs untrained, with the abbreviations and sentence
openers of `sentence_words`. A candidate is an end mark before white space: there the rules of `sentence_rules` are
asked first, and Punkt where none of them decides. docs/sentences.md tells the rules in words, and their errors.
"""

import platform
import re
import sys
from bisect import bisect
from collections.abc import Iterator
from functools import cache

from annotate.articles.sentence_rules import OPENERS, Candidate, ends_sentence

LONGEST_SENTENCE = 2000

# A bracket that closes later than this is taken for one that never closes ("1)" closing a lost "(").
LONGEST_BRACKET = 600

_GLUED_OPENERS = "|".join(word.capitalize() for word in sorted(OPENERS) if len(word) > 1)
_CITATION = r"\[\d[\d\s,;–—-]{0,60}\]"
_CITATIONS = rf"{_CITATION}(?:\s?[,;–-]\s?{_CITATION}){{0,4}}"  # "[2], [3]", "[2]–[7]"
_NUMBERS = r"\d{1,3}(?:[,–-]\s?\d{1,3}){0,8}"
# Some journals part the numbers by spaces only: "costs.9 10 However".
_SUPERSCRIPT = (
    rf"(?:(?<=[a-z]{{3}}\.)|(?<=[)\]%]\.)){_NUMBERS}(?:(?:\s{_NUMBERS}){{1,8}}(?=\s*$|\s+(?:[A-Z][a-z]|A\s)))?|"
    r"[¹²³⁰⁴-⁹][¹²³⁰⁴-⁹,⁻–]*"
)
# The tail is looked at ahead and then taken as it was found, so that none of it is given back. A possessive quantifier
# would say so in one character, but Python 3.11.0 to 3.11.4 match those wrongly (CPython issue 106052).
_CANDIDATE = re.compile(
    rf"""(?P<mark>[.?!…](?<![.?!…]{{2}})[.?!…]*)
    (?=(?P<tail>(?:[\"'”’»)\]}}]|{_CITATION}(?:,(?=\s?\[\d))?|\s{_CITATIONS}(?=\s*$|\s+[^\sa-z])|{_SUPERSCRIPT}){{0,6}}))(?P=tail)
    (?:\s+(?=\S)|(?=(?:{_GLUED_OPENERS})[\s,]))""",
    re.VERBOSE,
)
_WHITE = re.compile(r"\s+")
_BRACKET = re.compile(r"[()\[\]{}]")
# Sentences that end in each of the ways that the candidates know. None of them needs Punkt, which loads slowly.
_KNOWN = (
    "Mice run.",
    " Rats swim [12].",
    " “Cells grew (n = 3).”",
    " They stayed in place.¹²",
    " It did [3].",
    " Some rested in the sun.",
    "The rest was kept.",
)


class SplitsWrongly(RuntimeError):
    """Python's regular expressions do not find where sentences end; nothing may be stored that they split."""


@cache
def check_splitter() -> None:
    """Splits a known paragraph, once in a process. Raises SplitsWrongly where its sentences are not what they are."""
    text = "".join(_KNOWN)
    found = sentence_texts(text)
    if found != [sentence.strip() for sentence in _KNOWN]:
        raise SplitsWrongly(
            f"Python {platform.python_version()} makes {len(found)} sentences of a known paragraph that has "
            f"{len(_KNOWN)}, so articles would be split wrongly: run Keyline by another Python"
        )


def split_sentences(text: str) -> list[tuple[int, int]]:
    """Half-open character spans of the sentences of one paragraph, in order, none of white space only.

    Spans carry no white space at their ends, and only white space lies between them, so that spans and gaps
    rebuild the text. No span is longer than LONGEST_SENTENCE. A text of white space has no sentences.
    """
    before = len(text) - len(text.lstrip())
    bare = text.strip()
    spans = [piece for start, end in _whole_sentences(bare) for piece in _pieces(bare, start, end)]
    return [(before + start, before + end) for start, end in spans]


def sentence_texts(text: str) -> list[str]:
    """The sentences of one paragraph, in order."""
    return [text[start:end] for start, end in split_sentences(text)]


def _whole_sentences(text: str) -> Iterator[tuple[int, int]]:
    start, length = 0, len(text)
    brackets = None
    for match in _CANDIDATE.finditer(text):
        if match.end() >= length or match.start() < start:
            continue
        if brackets is None:
            brackets = _brackets(text)
        mark, following = match.start(), match.end()
        opened = _opened(brackets, start, following)
        closed = _opened(brackets, start, mark) is not None and opened is None
        if ends_sentence(Candidate(text, start, mark, match, opened, closed)):
            yield start, match.end("tail")
            start = following
    if start < length:
        yield start, length


def _brackets(text: str) -> list[tuple[int, int]]:
    """Positions of opening and closing brackets that match, by opening; a stray one is left out."""
    pairs, stack = [], []
    for match in _BRACKET.finditer(text):
        char, position = match[0], match.start()
        if char in "([{":
            stack.append((char, position))
            continue
        opening = "([{"[")]}".index(char)]
        while stack and position - stack[-1][1] > LONGEST_BRACKET:
            stack.pop()
        if stack and stack[-1][0] == opening:
            pairs.append((stack.pop()[1], position))
    return sorted(pairs)


def _opened(brackets: list[tuple[int, int]], start: int, position: int) -> int | None:
    """Where the bracket opened that holds the position and began inside the sentence, not at its start."""
    if not brackets:
        return None
    first = bisect(brackets, (max(start, position - LONGEST_BRACKET - 1), sys.maxsize))
    for opened, closed in brackets[first : bisect(brackets, (position - 1, sys.maxsize))]:
        if closed >= position:
            return opened
    return None


def _pieces(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """The span, cut at the last white space before LONGEST_SENTENCE (within a word if there is none)."""
    while end - start > LONGEST_SENTENCE:
        limit = start + LONGEST_SENTENCE
        gaps = [gap for gap in _WHITE.finditer(text, start, limit + 1) if gap.end() <= end]
        cut = gaps[-1].start() if gaps else limit
        yield start, cut
        start = cut + len(text[cut:end]) - len(text[cut:end].lstrip())
    yield start, end
