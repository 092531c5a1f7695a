"""What the app does by itself again and again, each duty in a thread of its own, as long as the app runs.

Not APScheduler 3.11.3, which does not stop in time: with a round of 12 s under way shutdown(wait=True) took 11.5 s,
and after shutdown(wait=False) the program could end no sooner: the round's thread is waited for at its exit.
"""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import psutil

from annotate.project import logs
from annotate.project.acting import KEYLINE, acting
from db.engine import DATABASE_ERRORS

STOP_SECONDS = 5
# When a person was last at work here; a process that has just begun has somebody who began it.
_last_click = time.monotonic()
# What a round may meet in a healthy program: a locked or full disk, a damaged setting. The next round tries again.
TROUBLE = (*DATABASE_ERRORS, psutil.Error, OSError, RuntimeError, ValueError, LookupError)


def try_duty(duty: str, do: Callable[[], object]) -> None:
    """Does a duty as Keyline itself; trouble is logged and ends here."""
    try:
        with acting(KEYLINE):
            do()
    except TROUBLE as error:
        logs.warning("tries again later", duty=duty, reason=f"{type(error).__name__}: {error}"[:300])


def note_click() -> None:
    """Says that somebody has opened a page or pressed something just now: what can wait lets them go first."""
    global _last_click  # noqa: PLW0603 (one time for the whole process, which threads may set in any order)
    _last_click = time.monotonic()


def quiet_seconds() -> float:
    """The seconds since a person last opened a page or pressed anything in this process."""
    return time.monotonic() - _last_click


@contextmanager
def repeating(name: str, seconds: float, do_round: Callable[[], object]) -> Iterator[None]:
    """A thread of this name that does a round at once and then every `seconds` seconds, as long as the block lasts."""
    stop = threading.Event()

    def until_stopped() -> None:
        while not stop.is_set():
            try_duty(name, do_round)
            stop.wait(seconds)

    thread = threading.Thread(target=until_stopped, name=name, daemon=True)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join(STOP_SECONDS)
