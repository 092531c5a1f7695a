"""Patterns that people wrote, run so that none can stop a page or a job: each search has a bound of work.

The library counts no steps, so the bound is processor time of the thread that searches: a busy machine or other threads
change no answer. A search beyond it is an error, never a half answer: what calls leaves the pattern out of all texts.
"""

import re
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

import regex

BOUND_SECONDS = 0.5  # of the processor, for one search; the slowest shipped pattern takes a sentence less than 1 ms
_Found = TypeVar("_Found")


@dataclass(frozen=True, slots=True)
class Place:
    """Where a pattern stands: the field in a topic, and the name of the topic's rules."""

    rules: str
    field: str


class SlowPattern(RuntimeError):
    """A search by a pattern that people wrote went over its bound."""

    def __init__(self, place: Place) -> None:
        super().__init__(place)
        self.place = place

    def __str__(self) -> str:
        return f"the topic's {self.place.field} searches too long"


class Bounded:
    """A regular expression with the methods of `re.Pattern` that topics use. Raises `regex.error` for one that is none.

    Each search raises SlowPattern where it takes more than its bound.
    """

    def __init__(self, pattern: str, flags: int = 0, place: Place = Place("", "pattern")) -> None:
        self.pattern, self.place = pattern, place
        self._compiled = regex.compile(pattern, regex.IGNORECASE if flags & re.IGNORECASE else 0)

    def finditer(self, text: str) -> Iterator[regex.Match[str]]:
        """All matches in a text, like `re.Pattern.finditer`."""
        # All at once: the bound would also count what is done between one match and the next.
        return iter(self._within(lambda **bound: [*self._compiled.finditer(text, **bound)]))

    def search(self, text: str) -> regex.Match[str] | None:
        """The first match in a text, like `re.Pattern.search`."""
        return self._within(partial(self._compiled.search, text))

    def match(self, text: str) -> regex.Match[str] | None:
        """The match at the beginning, like `re.Pattern.match`."""
        return self._within(partial(self._compiled.match, text))

    def fullmatch(self, text: str) -> regex.Match[str] | None:
        """The match of the whole text, like `re.Pattern.fullmatch`."""
        return self._within(partial(self._compiled.fullmatch, text))

    def sub(self, replacement: str, text: str) -> str:
        """The text with all matches replaced, like `re.Pattern.sub`."""
        return self._within(partial(self._compiled.sub, replacement, text))

    def _within(self, search: Callable[..., _Found]) -> _Found:
        """What the search returns. The library ends it by the time of all threads of the process: where this one had
        too little of that, the search is made again with more."""
        seconds = BOUND_SECONDS
        while True:
            began = time.thread_time()
            try:
                # Other threads of Python wait meanwhile, so that the time is this one's.
                return search(timeout=seconds, concurrent=False)
            except TimeoutError:
                if time.thread_time() - began >= 0.9 * BOUND_SECONDS:  # the two clocks differ in their last digits
                    raise SlowPattern(self.place) from None
                seconds *= 2


Wording = re.Pattern[str] | Bounded
