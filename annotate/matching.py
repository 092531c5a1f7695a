"""A passage of gold text back onto the article's sentences: exactly, ignoring white space, then fuzzily."""

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property

from rapidfuzz import fuzz

# Below this rapidfuzz score (0 to 100) a passage counts as not found; measured in docs/matching.md.
FUZZY_THRESHOLD = 85.0
# A sentence is part of a passage when the passage covers this share of it, or it holds this share of the passage.
COVERED = 0.5
# "PMC: 12" would be found inside "120 patients": shorter passages must equal a sentence.
SHORTEST_INSIDE = 20

_DASHES = dict.fromkeys(map(ord, "‐‑‒–—―−﹣－"), "-")
_QUOTES = dict.fromkeys(map(ord, "‘’‚‛′´`"), "'") | dict.fromkeys(map(ord, "“”„‟″"), '"')


class Method(StrEnum):
    """How a passage was found."""

    EXACT = "exact"
    WHITE_SPACE = "ignoring white space"
    FUZZY = "fuzzy"


@dataclass(frozen=True, slots=True)
class Match:
    """The positions of the sentences that a passage stands for; score 0 to 100."""

    positions: tuple[int, ...]
    method: Method
    score: float = 100.0


def squeeze(text: str) -> str:
    """The text without any white space, as the reference method compares."""
    return re.sub(r"\s+|[\u200b\ufeff]", "", text)


def normalise(text: str) -> str:
    """Squeezed, with compatibility characters, dashes, quotes and case folded: for fuzzy comparison alone."""
    return squeeze(unicodedata.normalize("NFKC", text).translate(_DASHES).translate(_QUOTES)).casefold()


class ArticleText:
    """An article's sentences, prepared for matching many passages."""

    def __init__(self, sentences: Sequence[str]) -> None:
        self.sentences = sentences

    def match(self, passage: str, hint: int | None = None) -> Match | None:
        """The sentences of a passage, or None. `hint` is the position to prefer among equal sentences."""
        equal = [position for position, text in enumerate(self.sentences) if text == passage]
        if equal:
            return Match((hint if hint in equal else equal[0],), Method.EXACT)
        return self._ignoring_white_space(passage, hint) or self._fuzzily(passage)

    @cached_property
    def _squeezed(self) -> "_Joined":
        return _Joined([squeeze(text) for text in self.sentences])

    @cached_property
    def _normalised(self) -> "_Joined":
        return _Joined([normalise(text) for text in self.sentences])

    def _ignoring_white_space(self, passage: str, hint: int | None) -> Match | None:
        wanted = squeeze(passage)
        equal = [position for position, text in enumerate(self._squeezed.parts) if text == wanted]
        if equal:
            return Match((hint if hint in equal else equal[0],), Method.WHITE_SPACE)
        positions = self._squeezed.find(wanted)
        return Match(positions, Method.WHITE_SPACE) if positions else None

    def _fuzzily(self, passage: str) -> Match | None:
        wanted = normalise(passage)
        if positions := self._normalised.find(wanted):
            return Match(positions, Method.FUZZY)
        if len(wanted) < SHORTEST_INSIDE or not self._normalised.text:
            return None
        score, positions = self._normalised.best(wanted)
        return Match(positions, Method.FUZZY, score) if score >= FUZZY_THRESHOLD and positions else None


class _Joined:
    """The parts of a text joined, with the way back from offsets to parts."""

    def __init__(self, parts: Sequence[str]) -> None:
        self.parts = parts
        self.text = "".join(parts)
        self.starts = [0]
        for part in parts:
            self.starts.append(self.starts[-1] + len(part))

    def find(self, wanted: str) -> tuple[int, ...]:
        """Positions of the parts that hold the wanted text, which may begin and end inside a part."""
        if len(wanted) < SHORTEST_INSIDE:
            return ()
        start = self.text.find(wanted)
        return self._covered(start, start + len(wanted)) if start >= 0 else ()

    def best(self, wanted: str) -> tuple[float, tuple[int, ...]]:
        """The score and parts of the place that is most like the wanted text."""
        if len(wanted) > len(self.text):
            return fuzz.ratio(wanted, self.text), self._covered(0, len(self.text))
        found = fuzz.partial_ratio_alignment(wanted, self.text)
        if found is None:
            return 0.0, ()
        return found.score, self._covered(found.dest_start, found.dest_end)

    def _covered(self, start: int, end: int) -> tuple[int, ...]:
        first = max(0, bisect_right(self.starts, start) - 1)
        overlaps = {}
        for position in range(first, len(self.parts)):
            low, high = self.starts[position], self.starts[position + 1]
            if low >= end:
                break
            overlaps[position] = max(0, min(high, end) - max(low, start))
        enough = [
            position
            for position, shared in overlaps.items()
            if shared >= COVERED * max(1, len(self.parts[position])) or shared >= COVERED * (end - start)
        ]
        return tuple(enough or sorted(overlaps, key=lambda p: -overlaps[p])[:1])
