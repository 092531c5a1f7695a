"""Whether people are at work here: what begins by itself and can wait lets them go first."""

import time

# A process that has just begun has somebody who began it.
_last_click = time.monotonic()


def note_click() -> None:
    """Says that somebody has opened a page or pressed something just now."""
    global _last_click  # noqa: PLW0603 (one time for the whole process, which threads may set in any order)
    _last_click = time.monotonic()


def quiet_seconds() -> float:
    """The seconds since a person last opened a page or pressed anything in this process."""
    return time.monotonic() - _last_click
