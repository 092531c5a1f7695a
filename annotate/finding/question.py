"""A question: what articles are looked for, by facets, and where their names stand in a text."""

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache

from annotate.search.queries import BadQuery, parted, terms
from annotate.search.reading import read_query
from model.names import fold, places


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
    """What articles are looked for. `facets` by the names that the topic gives them. `text` is as people type it: its
    plain words rank, what else it says must hold (annotate.search.reading)."""

    text: str = ""
    facets: Mapping[str, tuple[Facet, ...]] = field(default_factory=dict)
    filters: Filters = Filters()

    @property
    def words(self) -> str:
        """The words of the text, without its signs, and without names in fields of their own."""
        return _words(self.text)

    @property
    def asked(self) -> str:
        """The question as one line of words, without synonyms: what a model reads."""
        return " ".join([*(each.asked for facets in self.facets.values() for each in facets), self.words]).strip()

    @property
    def expanded(self) -> str:
        """The question as one line of words, with synonyms: what words are matched with."""
        names = (name for facets in self.facets.values() for each in facets for name in each.names)
        return " ".join([*names, self.words]).strip()


@lru_cache(maxsize=1_000)
def _words(text: str) -> str:
    try:
        node = read_query(text)
    except BadQuery:  # of an earlier release: all of it is words
        return text
    return " ".join(term.text for term in terms(node) if not term.is_name) if parted(node)[1] else text


def marks_of(questions: Iterable[Question]) -> list[str]:
    """What tells questions from one another, by their words in any order and case: a version is kept with these."""
    texts = {" ".join(sorted(set(question.asked.casefold().split()))) for question in questions}
    return sorted(hashlib.sha256(text.encode()).hexdigest()[:16] for text in texts)


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
        if not self._names:  # to fold a text takes a millisecond
            return {}
        folded = fold(text)
        found = {
            facet: tuple(name for name in names if any(places(name, text, folded)))
            for facet, names in self._names.items()
        }
        return {facet: names for facet, names in found.items() if names}

    def places(self, text: str) -> list[Match]:
        """Every place of every name, in the order of the text; where two overlap the first, the longer of two."""
        if not self._names:
            return []
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
