"""Text folded so that ways to write a name fall together (IL-2, IL 2, Il2; TGF-β1, TGFB1; caspase III, caspase-3),
with the way back to the characters of the text."""

import re
from array import array
from dataclasses import dataclass

_RUN = re.compile(r"\d+|[Α-Ωα-ωϵϑϕ]|[^\W\d_Α-Ωα-ωϵϑϕ]+")
# Between two runs of one name at most: blanks, dashes, an apostrophe, a full stop. All else ends a name.
_JOINING = re.compile(r"[\s\-\u00ad\u2010-\u2015\u2212_.'’′]{0,3}")
_SENTENCE_END = re.compile(r"\.\s")
BREAK = "|"
_GREEK = {
    "alpha": "a", "beta": "b", "gamma": "g", "delta": "d", "epsilon": "e", "zeta": "z", "eta": "h", "theta": "q",
    "kappa": "k", "kappab": "kb", "lambda": "l", "sigma": "s", "omega": "w", "mu": "m",
}  # fmt: skip
_LETTERS = dict(zip("αβγδεζηθικλμνξοπρστυφχψω", "abgdezhqiklmnxoprstufcyw", strict=True)) | {
    "ς": "s", "ϵ": "e", "ϑ": "q", "ϕ": "f",
}  # fmt: skip
_ROMAN = {"I": "1", "II": "2", "III": "3", "IV": "4", "VI": "6", "VII": "7", "VIII": "8", "IX": "9"}
# Glued to what stands before it: TNFalpha, PKCalpha, NFkappaB.
_GLUED = re.compile(r"(?<=[A-Za-z])(alpha|beta|gamma|delta|epsilon|kappa(?=b?$))", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Folded:
    """Folded text. Character i of `text` came from starts[i] to ends[i] of the original; `first` and `last` hold, for
    each character, 1 where it begins or ends a run of letters or of digits there."""

    text: str
    starts: "array[int]"
    ends: "array[int]"
    first: bytearray
    last: bytearray

    def origin(self, start: int, end: int) -> tuple[int, int] | None:
        """The offsets in the original of a half-open span here; None where it cuts a word in two."""
        if not self.first[start] or not self.last[end - 1]:
            return None
        return self.starts[start], self.ends[end - 1]


def fold(text: str) -> Folded:
    """The text in lower case, without blanks and dashes within names; Greek as Latin letters, Roman numbers as digits.

    Two digit runs stay apart by a blank (L3.6 is not L36); what cannot stand within a name becomes a bar.
    """
    parts: list[str] = []
    starts, ends = array("l"), array("l")
    first, last = bytearray(), bytearray()
    before_end = 0
    before_digit = False
    before_letters = ""
    for match in _RUN.finditer(text):
        start, end = match.span()
        run = match[0]
        is_digit = run.isdigit()
        if parts:
            gap = text[before_end:start]
            joined = _JOINING.fullmatch(gap) and not _SENTENCE_END.match(gap)
            between = (" " if before_digit and is_digit else "") if joined else BREAK
            if between:
                parts.append(between)
                starts.append(before_end)
                ends.append(start)
                first.append(0)
                last.append(0)
        spelled = _spelled(run, before_letters)
        parts.append(spelled)
        if len(spelled) == end - start:
            starts.extend(range(start, end))
            ends.extend(range(start + 1, end + 1))
        else:
            starts.extend([start] * len(spelled))
            ends.extend([end] * len(spelled))
        first.extend(b"\1" + bytes(len(spelled) - 1))
        last.extend(bytes(len(spelled) - 1) + b"\1")
        before_end, before_digit = end, is_digit
        before_letters = "" if is_digit else run
    return Folded("".join(parts), starts, ends, first, last)


def fold_name(name: str) -> str:
    """A name as `fold` leaves it."""
    return fold(name).text


def _spelled(run: str, before: str) -> str:
    if len(run) == 1 and (letter := _LETTERS.get(run.lower())):
        return letter
    if run in _ROMAN and len(before) > 2:
        return _ROMAN[run]
    lower = run.lower()
    if lower in _GREEK:
        return _GREEK[lower]
    if len(run) > 5:
        lower = _GLUED.sub(lambda match: _GREEK[match[0].lower()], lower)
    return lower
