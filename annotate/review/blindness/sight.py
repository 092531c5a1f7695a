"""Which verdicts of others on articles one person may see."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeVar

from annotate.project.words import count_of

_Known = TypeVar("_Known")


@dataclass(frozen=True, slots=True)
class Sight:
    """What one person may see: everything, but of the articles in `withheld` only what this annotator said herself."""

    withheld: frozenset[int] = frozenset()
    annotator_id: int = 0

    def shows(self, article_id: int, annotator_id: int) -> bool:
        """Whether this person may know what that annotator said of the article."""
        return article_id not in self.withheld or annotator_id == self.annotator_id

    def of(self, article_id: int, annotators: frozenset[int]) -> frozenset[int]:
        """Of these annotators, the ones whose verdicts on the article this person may see."""
        return annotators & {self.annotator_id} if article_id in self.withheld else annotators

    def blend(
        self, of_all: Mapping[int, _Known], of_one: Callable[[int], Mapping[int, _Known]]
    ) -> Mapping[int, _Known]:
        """What is known of all articles, by id, where of the withheld ones only what comes of this annotator counts."""
        if not self.withheld:
            return of_all
        own = of_one(self.annotator_id) if self.annotator_id else {}
        seen = {number: known for number, known in of_all.items() if number not in self.withheld}
        return seen | {number: known for number, known in own.items() if number in self.withheld}

    @property
    def note(self) -> str:
        """In words, of how many articles this person sees only what she said herself; empty where she sees all."""
        if not self.withheld:
            return ""
        number, whose = count_of(len(self.withheld), "article"), "its" if len(self.withheld) == 1 else "their"
        return f"Of {number} only your own verdicts count here: {whose} annotators judge without seeing each other's."


SEES_ALL = Sight()
