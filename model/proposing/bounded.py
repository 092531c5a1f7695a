"""Patterns that people wrote, run so that none can stop a page or a job: each search has a limit of time.

A topic's patterns are tried on awkward texts before it is used; what slips through is ended here. A pattern that was
ended some times in a process finds nothing there any more, which the log says.
"""

import logging
import re
from collections.abc import Callable, Iterator

import regex

LIMIT_SECONDS = 0.2  # of one search; a sentence takes a shipped topic's slowest pattern less than a thousandth
MOST_ENDED = 3  # searches of a pattern in a process, then it is left out

_log = logging.getLogger(__name__)


class Bounded:
    """A regular expression with the methods of `re.Pattern` that topics use. Raises `regex.error` for one that is none.

    What a search that was ended had found by then stays; it finds no more.
    """

    def __init__(self, pattern: str, flags: int = 0) -> None:
        self.pattern = pattern
        self._compiled = regex.compile(pattern, regex.IGNORECASE if flags & re.IGNORECASE else 0)
        self._ended = 0

    @property
    def is_left_out(self) -> bool:
        """Whether the pattern ran into its time limit too often, so that it is no longer searched."""
        return self._ended >= MOST_ENDED

    def finditer(self, text: str) -> Iterator[regex.Match[str]]:
        """All matches in a text, like `re.Pattern.finditer`; none where the search takes longer than its limit."""
        found: list[regex.Match[str]] = []
        if not self.is_left_out:
            try:
                # All at once: the limit would also count what is done between one match and the next.
                found.extend(self._compiled.finditer(text, timeout=LIMIT_SECONDS))
            except TimeoutError:
                self._end()
        return iter(found)

    def search(self, text: str) -> regex.Match[str] | None:
        """The first match in a text, like `re.Pattern.search`; None where the search takes longer than its limit."""
        return self._one(self._compiled.search, text)

    def match(self, text: str) -> regex.Match[str] | None:
        """The match at the beginning, like `re.Pattern.match`; None where the search takes longer than its limit."""
        return self._one(self._compiled.match, text)

    def _one(self, method: Callable[..., regex.Match[str] | None], text: str) -> regex.Match[str] | None:
        if self.is_left_out:
            return None
        try:
            return method(text, timeout=LIMIT_SECONDS)
        except TimeoutError:
            self._end()
            return None

    def _end(self) -> None:
        self._ended += 1
        if self.is_left_out:
            _log.warning("the pattern %.100s takes too long and is left out until the next start", self.pattern)


Wording = re.Pattern[str] | Bounded
