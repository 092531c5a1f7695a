"""Looks after the jobs for as long as the app runs, whether or not anybody has a page open."""

from contextlib import AbstractContextManager

from annotate.jobs.lifecycle import reap, tidy
from annotate.jobs.repeating import repeating

EVERY_SECONDS = 5


def supervising(seconds: float = EVERY_SECONDS) -> AbstractContextManager[None]:
    """Looks after the jobs at once and then every `seconds` seconds, as long as the block lasts."""
    return repeating("supervisor", seconds, _look)


def _look() -> None:
    reap()
    tidy()
