"""A question: what articles are looked for, by facets."""

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field


class NotRanked(RuntimeError):
    """A stage that cannot rank as things stand; the message says why, in words for people."""


@dataclass(frozen=True, slots=True)
class Facet:
    """One thing looked for, as it was asked for, and other names for it."""

    asked: str
    synonyms: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """The name asked for, then its synonyms."""
        return (self.asked, *self.synonyms)


@dataclass(frozen=True, slots=True)
class Filters:
    """What an article must be, apart from its text. Empty: anything. It bears any of `tags`, and none of
    `without_tags`:
    people put tags on stored articles, so neither counts for articles from outside."""

    years: tuple[int | None, int | None] = (None, None)
    journals: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    without_tags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Question:
    """What articles are looked for. `facets` by the names that the topic gives them; `text` is free."""

    text: str = ""
    facets: Mapping[str, tuple[Facet, ...]] = field(default_factory=dict)
    filters: Filters = Filters()

    @property
    def asked(self) -> str:
        """The question as one line of words, without synonyms: what a model reads."""
        return " ".join([*(each.asked for facets in self.facets.values() for each in facets), self.text]).strip()

    @property
    def expanded(self) -> str:
        """The question as one line of words, with synonyms: what words are matched with."""
        names = (name for facets in self.facets.values() for each in facets for name in each.names)
        return " ".join([*names, self.text]).strip()


def marks_of(questions: Iterable[Question]) -> list[str]:
    """What tells questions from one another, by their words in any order and case: a version is kept with these."""
    texts = {" ".join(sorted(set(question.asked.casefold().split()))) for question in questions}
    return sorted(hashlib.sha256(text.encode()).hexdigest()[:16] for text in texts)
