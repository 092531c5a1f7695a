"""Lines put together to a paragraph: whether a hyphen at the end of a line belongs to the word or to the line."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence

_WORD = re.compile(r"[^\W_]+(?:[-‐‑][^\W_]+)*")
_END = re.compile(r"([^\W_]+(?:[-‐‑][^\W_]+)*)[-‐‑]$")
_BEGIN = re.compile(r"[^\W_]+")
LONGEST_WORD = 200  # letters before the end of a line that are looked at, however long the paragraph has grown
_LIGATURES = {"ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl", "ﬅ": "st", "ﬆ": "st"}
_TRANSLATION = str.maketrans(_LIGATURES | {"\u00ad": ""})
# What stands behind a hyphen in words of biomedicine that keep it, where the article itself does not tell.
_KEEP_BEFORE = frozenset(
    """activated affinity associated based binding bound containing coupled deficient defined dependent derived
    derivatives driven encoded encoding enriched expressing expression fold free grade group high independent induced
    infected inducible interacting label labeled labelled level like linked low mediated month negative null old only
    order positive producing quality reactive regulated related resistant resolution responsive restricted rich scale
    selective sensitive sequence side sided specific stage stimulated term terminal terminus throughput time transfected
    treated type up wide width year""".split()
)  # fmt: skip


def tidy(text: str) -> str:
    """A line with its ligatures taken apart."""
    return text.translate(_TRANSLATION)


class Words:
    """The words of an article, as they stand within its lines."""

    def __init__(self, lines: Iterable[str]) -> None:
        self._seen: Counter[str] = Counter()
        divided = False
        for line in lines:
            words = _WORD.findall(line.lower())[1 if divided else 0 :]
            divided = _END.search(line[-LONGEST_WORD:]) is not None
            for word in words[:-1] if divided else words:
                self._seen[word] += 1
                self._seen.update(word.split("-") if "-" in word else ())

    def joined(self, lines: Sequence[str]) -> str:
        """The lines as one text."""
        parts: list[str] = []
        end = ""
        for line in lines:
            text = self._with(end, line) if end else line
            parts.append(text[:-LONGEST_WORD])
            end = text[-LONGEST_WORD:]
        return "".join(parts) + end

    def _with(self, text: str, line: str) -> str:
        if re.search(r"\S[/–]$", text):
            return text + line
        end, begin = _END.search(text), _BEGIN.match(line)
        if end is None or begin is None:
            return f"{text} {line}"
        return text + line if self._keeps(end[1], begin[0]) else text[:-1] + line

    def _keeps(self, before: str, behind: str) -> bool:
        """Whether the hyphen between two parts of a word belongs to it."""
        if not behind[0].islower() or before[-1].isdecimal() or len(before) == 1:
            return True
        last, behind = before.rpartition("-")[2].lower(), behind.lower()
        whole, hyphened = self._seen[last + behind], self._seen[f"{last}-{behind}"]
        if whole != hyphened:
            return hyphened > whole
        if behind in _KEEP_BEFORE or any(letter.isupper() or letter.isdecimal() for letter in before[1:]):
            return True
        return len(last) > 3 and self._seen[last] > 0 and self._seen[behind] > 0 and len(behind) > 3
