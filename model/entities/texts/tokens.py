"""Tokens for the tagger: runs of letters, runs of digits, single marks; and the sentences they are read in."""

import re
from dataclasses import dataclass

_TOKEN = re.compile(r"\d+|[Α-Ωα-ωϵϑϕ]|[^\W\d_Α-Ωα-ωϵϑϕ]+|[^\w\s]|_")
_END = re.compile(r"(?<![ (.][A-Za-z])(?<!\bvs)(?<!\bal)(?<!\bsp)[.?!][)\]\"”]?\s+(?=[A-Z(\[\"“Α-Ω\d])|\n\s*")
LONGEST_SENTENCE = 400  # tokens: longer ones are tables, and are cut


@dataclass(frozen=True, slots=True)
class Tokens:
    """The tokens of one sentence and their half-open offsets in the text."""

    words: list[str]
    starts: list[int]
    ends: list[int]
    glued: list[bool]  # to the token before it, without a blank

    def __len__(self) -> int:
        return len(self.words)


def sentences_of(text: str) -> list[Tokens]:
    """The text as sentences of tokens. Sentence ends are found roughly: a tagger minds little where one is missed."""
    found = []
    ends = [match.end() for match in _END.finditer(text)]
    for start, end in zip([0, *ends], [*ends, len(text)], strict=True):
        tokens = _tokens(text, start, end)
        for at in range(0, len(tokens), LONGEST_SENTENCE):
            part = slice(at, at + LONGEST_SENTENCE)
            found.append(Tokens(tokens.words[part], tokens.starts[part], tokens.ends[part], tokens.glued[part]))
    return found


def _tokens(text: str, start: int, end: int) -> Tokens:
    words, starts, ends, glued = [], [], [], []
    before = -1
    for match in _TOKEN.finditer(text, start, end):
        words.append(match[0])
        starts.append(match.start())
        ends.append(match.end())
        glued.append(match.start() == before)
        before = match.end()
    return Tokens(words, starts, ends, glued)
