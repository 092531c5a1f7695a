"""Where the names of a question's facets stand in a text."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from annotate.finding.question import Question
from model.proposing.names import DASH, LEFT, RIGHT


@dataclass(frozen=True, slots=True)
class Match:
    """A name of a facet in a text: half-open offsets."""

    facet: str
    name: str
    start: int
    end: int


class Matcher:
    """Finds the names of a question's facets, each as a whole word, in whatever case, with any dash or blank within."""

    def __init__(self, question: Question) -> None:
        self._patterns = {
            facet: {name: _pattern(name) for each in facets for name in each.names if name.strip()}
            for facet, facets in question.facets.items()
        }

    def names_in(self, text: str) -> Mapping[str, tuple[str, ...]]:
        """The names that stand in a text by facet, in the order of the question; facets without one are left out."""
        found = {
            facet: tuple(name for name, pattern in patterns.items() if pattern.search(text))
            for facet, patterns in self._patterns.items()
        }
        return {facet: names for facet, names in found.items() if names}

    def places(self, text: str) -> list[Match]:
        """Every place of every name, in the order of the text; where two overlap the first, the longer of two."""
        every = [
            Match(facet, name, *place.span())
            for facet, patterns in self._patterns.items()
            for name, pattern in patterns.items()
            for place in pattern.finditer(text)
        ]
        kept: list[Match] = []
        for match in sorted(every, key=lambda each: (each.start, -each.end)):
            if not kept or match.start >= kept[-1].end:
                kept.append(match)
        return kept


def _pattern(name: str) -> re.Pattern[str]:
    """The parts of a name, letters and digits apart, at most one blank or dash between them; a plural's s behind."""
    parts = re.findall(rf"[^\W\d_]+|\d+|[^\w\s{DASH}]", name) or [name]
    gap = rf"[\s{DASH}_/]?"
    return re.compile(rf"{LEFT}{gap.join(map(re.escape, parts))}s?{RIGHT}", re.IGNORECASE)
