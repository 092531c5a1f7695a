"""A passage of gold text back onto the article's sentences: exactly, ignoring white space, folded, then fuzzily."""

import html
import re
import unicodedata
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import accumulate
from typing import NamedTuple

from rapidfuzz import fuzz
from rapidfuzz.distance import LCSseq, Postfix

from db.base import grouped
from model.names import SPELLED

# Below this score (0 to 100) a passage counts as not found; measured in docs/measurements/matching.md.
FUZZY_THRESHOLD = 90.0
# A sentence is part of a passage when they share half the sentence, a quarter of the passage, or 40 characters (about
# eight words). Of 373 real passages the ends that reached into a neighbour by accident ("Table 2", "T") held 1 to 9%.
PART_OF_SENTENCE, PART_OF_PASSAGE, PART_CHARACTERS = 0.5, 0.25, 40
# "PMC: 12" would be found inside "120 patients": shorter passages must equal a sentence.
SHORTEST_INSIDE = 20
# Unless exactly one sentence begins or ends with it, as where another splitter cut "et al." from "(2021)."
SHORTEST_PIECE = 4
# The alignment of longer ones would take hundreds of megabytes; they are found when nothing but characters differ.
LONGEST_FUZZY = 5_000
# Shorter runs are shared by chance: "inthe", "with".
SHORTEST_RUN = 6
# How much of a text a reason shows.
SHOWN = 80

_HEADING = re.compile(r"\s*[^\n:]{1,80}:+\s+")
_INVISIBLE = re.compile(r"[\s\u00ad\u034f\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff]+")
_TAGS = re.compile(r"</?(?:su[bp]|i|b|u|em|strong|italic|bold)\s*/?>", re.IGNORECASE)
# Without the overlay of "≠", which is no accent.
_ACCENTS = re.compile(r"[\u0300-\u0337\u0339-\u036f\ufe00-\ufe0f]+")
_FOLDED = (
    dict.fromkeys(map(ord, "‐‑‒–—―⁃−﹣－"), "-")
    | dict.fromkeys(map(ord, "‘’‚‛′ʹʼ`"), "'")
    | dict.fromkeys(map(ord, '“”„‟″«»"'), "''")
    | {ord(sign): written for sign, written in zip("×·∙⋅•≤≥⩽⩾±∼", "x . . . . <= >= <= >= +/- ~".split(), strict=True)}
    | {ord(letter): name for letter, name in SPELLED.items()}
)


class Method(StrEnum):
    """How a passage was found."""

    EXACT = "exact"
    WHITE_SPACE = "ignoring white space"
    FOLDED = "folded characters"
    FUZZY = "fuzzy"


@dataclass(frozen=True, slots=True)
class Match:
    """The positions of the sentences that a passage stands for; score 0 to 100."""

    positions: tuple[int, ...]
    method: Method
    score: float = 100.0


def squeeze(text: str) -> str:
    """The text without white space and invisible characters, as the reference method compares."""
    return _INVISIBLE.sub("", text)


def fold(text: str) -> str:
    """Squeezed, without markup, accents, ligatures and case; dashes, quotes, signs, Greek letters written one way."""
    plain = unicodedata.normalize("NFKD", _TAGS.sub("", html.unescape(text)))
    return squeeze(_ACCENTS.sub("", plain).casefold().translate(_FOLDED))


class ArticleText:
    """An article's sentences, prepared for matching many passages."""

    def __init__(self, sentences: Sequence[str]) -> None:
        self.sentences = sentences
        self._prepared: dict[Method, _Layer] = {}

    def match(self, passage: str, hint: int | None = None) -> Match | None:
        """The sentences of a passage, or None. `hint` is the position to prefer where the text stands twice."""
        for reading in _readings(passage):
            for look in (_Layer.equal, _Layer.inside, _Layer.at_an_edge):
                for method, form in _FORMS.items():
                    if positions := look(self._layer(method), form(reading), hint):
                        return Match(positions, method)
        nearest = self.nearest(passage)
        return nearest if nearest and nearest.score >= FUZZY_THRESHOLD else None

    def places(self, rows: Iterable[tuple[str, int | None]]) -> dict[tuple[str, int | None], int]:
        """By (passage, hint) the position of rows whose passage has as many hints as it stands here: in their order.

        So each row finds its own sentence where the article's sentences have moved.
        """
        at, found = self._layer(Method.WHITE_SPACE).at, dict[tuple[str, int | None], int]()
        for passage, hints in grouped({(passage, hint) for passage, hint in rows if hint is not None}).items():
            same = at.get(squeeze(passage), [])
            if len(same) == len(hints):
                found |= zip(((passage, hint) for hint in sorted(hints)), same, strict=True)
        return found

    def nearest(self, passage: str) -> Match | None:
        """The sentences most like the passage, however unlike; None if there is too little or too much to compare."""
        layer = self._layer(Method.FOLDED)
        wanted = [text for text in map(fold, _readings(passage)) if SHORTEST_INSIDE <= len(text) <= LONGEST_FUZZY]
        found = [layer.align(text, place) for text in wanted for place in layer.places(text)]
        return max(found, key=lambda match: match.score, default=None)

    def why_not(self, passage: str) -> str:
        """Why a passage that matches nothing does not, in words, with the best score and the nearest sentence."""
        size = len(fold(passage))
        if not size:
            return "the sentence is empty"
        if not self._layer(Method.FOLDED).text:
            return "the article has no sentences"
        if size < SHORTEST_INSIDE:
            return f"no sentence equals it, and {size} characters are too few to look for inside one: {quoted(passage)}"
        nearest = self.nearest(passage)
        if nearest is None:
            return f"stands nowhere as it is, and is too long ({size} characters) to compare: {quoted(passage)}"
        if not nearest.positions:
            return f"nothing in the article is like it: {quoted(passage)}"
        position = nearest.positions[0]
        return (
            f"no sentence is like it: {quoted(passage)}; best score {nearest.score:.1f}, needed {FUZZY_THRESHOLD:.0f}, "
            f"nearest is sentence {position}: {quoted(self.sentences[position])}"
        )

    def _layer(self, method: Method) -> "_Layer":
        if method not in self._prepared:
            self._prepared[method] = _Layer([_FORMS[method](text) for text in self.sentences])
        return self._prepared[method]


class _Layer:
    """The sentences in one form, joined, with the way back from offsets to sentences."""

    def __init__(self, parts: Sequence[str]) -> None:
        self.parts = parts
        self.text = "".join(parts)
        self.starts = [0, *accumulate(map(len, parts))]
        self.at: dict[str, list[int]] = {}
        for position, part in enumerate(parts):
            self.at.setdefault(part, []).append(position)

    def equal(self, wanted: str, hint: int | None) -> tuple[int, ...]:
        """The position of the sentence that equals the wanted text: the nearest to the hint, or the first."""
        same = self.at.get(wanted, []) if wanted else []
        return (min(same, key=lambda place: abs(place - (hint or 0))),) if same else ()

    def inside(self, wanted: str, hint: int | None) -> tuple[int, ...]:
        """Positions of the sentences that hold the wanted text, which may begin and end inside one."""
        if len(squeeze(wanted)) < SHORTEST_INSIDE:
            return ()
        found: tuple[int, ...] = ()
        start = self.text.find(wanted)
        while start >= 0:
            here = self._labelled([(start, start + len(wanted))], len(wanted))
            found = here if not found or hint in here else found
            if hint is None or hint in found:
                break
            start = self.text.find(wanted, start + 1)
        return found

    def at_an_edge(self, wanted: str, _hint: int | None) -> tuple[int, ...]:
        """The position of the only sentence that begins or ends with a short wanted text."""
        if not SHORTEST_PIECE <= len(squeeze(wanted)) < SHORTEST_INSIDE:
            return ()
        found = [p for p, part in enumerate(self.parts) if part.startswith(wanted) or part.endswith(wanted)]
        return tuple(found) if len(found) == 1 else ()

    def places(self, wanted: str) -> Iterator[tuple[int, int]]:
        """Spans of the text that are like the wanted text, or like one of its halves, widened to hold all of it."""
        middle = len(wanted) // 2
        for start, end in ((0, len(wanted)), (0, middle), (middle, len(wanted))):
            found = fuzz.partial_ratio_alignment(wanted[start:end], self.text)
            if found is not None:
                at = found.dest_start - start
                yield max(0, at - middle), min(len(self.text), at + len(wanted) + middle)

    def align(self, wanted: str, place: tuple[int, int]) -> Match:
        """The sentences of a place that share runs of characters with the wanted text, and how alike both are.

        The score is the share of the passage that stands in these sentences in order; or the share of them that stands
        in the passage, if that is at least half of it: a passage may begin with a heading, which is no sentence.
        """
        low, high = place
        runs = [(low + start, low + end) for start, end in _common_runs(wanted, self.text[low:high])]
        positions = self._labelled(runs, len(wanted))
        shared = self._shared(runs)
        found = sum(shared[position] for position in positions)
        whole = sum(len(self.parts[position]) for position in positions)
        share = max(found / len(wanted), found / whole if 2 * found >= len(wanted) else 0)
        return Match(positions, Method.FUZZY, 100 * min(1.0, share))

    def _shared(self, runs: Iterable[tuple[int, int]]) -> Counter[int]:
        """How many characters of the runs (half-open spans of the text) each sentence holds."""
        shared: Counter[int] = Counter()
        for start, end in runs:
            position = bisect_right(self.starts, start) - 1
            while position < len(self.parts) and self.starts[position] < end:
                shared[position] += min(end, self.starts[position + 1]) - max(start, self.starts[position])
                position += 1
        return shared

    def _labelled(self, runs: Iterable[tuple[int, int]], size: int) -> tuple[int, ...]:
        """The sentences that a passage of this size labels by these runs; at least the one with the longest share."""
        shared = self._shared(runs)
        enough = {
            position
            for position, count in shared.items()
            if count >= min(PART_OF_SENTENCE * len(self.parts[position]), PART_OF_PASSAGE * size, PART_CHARACTERS)
        }
        return tuple(sorted(enough or (position for position, _ in shared.most_common(1))))


def _readings(passage: str) -> Iterator[str]:
    """The passage, and without a heading such as "RESULTS: " in front, which is no part of a sentence."""
    yield passage
    heading = _HEADING.match(passage)
    if heading and 2 * heading.end() <= len(passage):
        yield passage[heading.end() :]


def quoted(text: str) -> str:
    """The beginning of the text in quotes, on one line, as reasons show it."""
    line = " ".join(text.split())
    return repr(line if len(line) <= SHOWN else line[: SHOWN - 1] + "…")


def _common_runs(wanted: str, text: str) -> list[tuple[int, int]]:
    """Spans of the text that stand in the wanted text too, in the same order, but for single characters.

    One wrong, missing or added character does not end a run, as optical recognition makes them; another digit does.
    """
    runs: list[_Run] = []
    for block in LCSseq.opcodes(wanted, text).as_matching_blocks():
        run = _Run(block.a, block.a + block.size, block.b, block.b + block.size)
        lacking, more = (wanted[runs[-1].wanted_end : block.a], text[runs[-1].end : block.b]) if runs else ("", "")
        if runs and max(len(lacking), len(more)) <= 1 and not (lacking + more).isdigit():
            run = _Run(runs[-1].wanted_start, run.wanted_end, runs[-1].start, run.end)
            runs.pop()
        runs.append(run)
    runs = [run for run in runs if run.end - run.start >= SHORTEST_RUN]
    # A longest common subsequence may take the first letters of a run from chance finds further ahead.
    lows = [(0, 0), *((run.wanted_end, run.end) for run in runs)]
    return [
        (run.start - Postfix.similarity(wanted[wanted_low : run.wanted_start], text[low : run.start]), run.end)
        for run, (wanted_low, low) in zip(runs, lows, strict=False)
    ]


class _Run(NamedTuple):
    """A piece of the wanted text and the half-open span of the text in which it stands."""

    wanted_start: int
    wanted_end: int
    start: int
    end: int


# In the order of trust.
_FORMS: dict[Method, Callable[[str], str]] = {
    Method.EXACT: str,
    Method.WHITE_SPACE: squeeze,
    Method.FOLDED: fold,
}
