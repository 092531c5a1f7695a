"""Where the names of a question's facets stand in a text."""

from collections.abc import Mapping
from dataclasses import dataclass

from annotate.finding.question import Question
from model.names import fold, places


@dataclass(frozen=True, slots=True)
class Match:
    """A name of a facet in a text: half-open offsets."""

    facet: str
    name: str
    start: int
    end: int


class Matcher:
    """Finds the names of a question's facets, each as a whole word, in every spelling and case."""

    def __init__(self, question: Question) -> None:
        self._names = {
            facet: tuple(dict.fromkeys(name for each in facets for name in each.names if name.strip()))
            for facet, facets in question.facets.items()
        }

    def names_in(self, text: str) -> Mapping[str, tuple[str, ...]]:
        """The names that stand in a text by facet, in the order of the question; facets without one are left out."""
        folded = fold(text)
        found = {
            facet: tuple(name for name in names if any(places(name, text, folded)))
            for facet, names in self._names.items()
        }
        return {facet: names for facet, names in found.items() if names}

    def places(self, text: str) -> list[Match]:
        """Every place of every name, in the order of the text; where two overlap the first, the longer of two."""
        folded = fold(text)
        every = [
            Match(facet, name, *place)
            for facet, names in self._names.items()
            for name in names
            for place in places(name, text, folded)
        ]
        kept: list[Match] = []
        for match in sorted(every, key=lambda each: (each.start, -each.end)):
            if not kept or match.start >= kept[-1].end:
                kept.append(match)
        return kept
