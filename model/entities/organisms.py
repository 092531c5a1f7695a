"""Which organisms a text speaks of, and which of them is meant at a place."""

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence

HUMAN, MOUSE = "9606", "10090"
# Their genes are named as the human ones, so that a text about them alone must not be given human identifiers: rat,
# cow, pig, sheep, dog, chicken, rabbit, monkeys, hamsters, guinea pig, frogs, horse, cat, goat.
NAMED_ALIKE = frozenset(
    "10116 9913 9823 9940 9615 9031 9986 9544 9541 10029 10036 10141 8355 8364 9796 9685 9925".split()
)
_SENTENCE = re.compile(r"[.?!]\s")
# A letter glued to a gene's name: hTERT, mPer2, rGH.
PREFIXES = {"h": HUMAN, "m": MOUSE, "r": "10116", "z": "7955", "d": "7227", "b": "9913"}
TITLE_WEIGHT = 2.0


class Organisms:
    """The organisms of one text, by their mentions; cell lines may add theirs at a lower weight."""

    def __init__(self, text: str, mentions: Sequence[tuple[int, str]], title_end: int = 0) -> None:
        """`mentions` are (start, taxon)."""
        self._starts = [0, *(match.end() for match in _SENTENCE.finditer(text))]
        self._by_sentence: dict[int, list[tuple[int, str]]] = {}
        self.weights: defaultdict[str, float] = defaultdict(float)
        for start, taxon in sorted(mentions):
            self._by_sentence.setdefault(self._sentence(start), []).append((start, taxon))
            self.weights[taxon] += TITLE_WEIGHT if start < title_end else 1.0

    def _sentence(self, start: int) -> int:
        return bisect_right(self._starts, start)

    def shares(self, known: Collection[str], written: Mapping[str, float]) -> Mapping[str, float]:
        """How much of the text each organism has, from 0 to 1, of those with genes that are `known` or named alike.

        Where none of them is named, `written` tells: how many gene names are spelled as one organism alone spells them.
        Human where nothing does.
        """
        deciding = {taxon: weight for taxon, weight in self.weights.items() if taxon in known or taxon in NAMED_ALIKE}
        weights = deciding or dict(written) or {HUMAN: 1.0}
        total = sum(weights.values())
        return {taxon: weight / total for taxon, weight in weights.items()}

    def near(self, start: int) -> str | None:
        """The organism named last before a place in its sentence, else the first after it there."""
        named = self._by_sentence.get(self._sentence(start), [])
        before = [taxon for place, taxon in named if place <= start]
        return before[-1] if before else named[0][1] if named else None
