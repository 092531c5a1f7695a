"""What the app does by itself again and again, each duty in a thread of its own, as long as the app runs."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import psutil

from annotate import logs
from annotate.acting import KEYLINE, acting
from db.engine import DATABASE_ERRORS

STOP_SECONDS = 5
# What a round may meet in a healthy program: a locked or full disk, a damaged setting. The next round tries again.
TROUBLE = (*DATABASE_ERRORS, psutil.Error, OSError, RuntimeError, ValueError, LookupError)


def attempt(duty: str, do: Callable[[], object]) -> None:
    """Does it as Keyline itself; trouble is logged and ends here."""
    try:
        with acting(KEYLINE):
            do()
    except TROUBLE as error:
        logs.warning("tries again later", duty=duty, reason=f"{type(error).__name__}: {error}"[:300])


@contextmanager
def repeating(name: str, seconds: float, do_round: Callable[[], object]) -> Iterator[None]:
    """A thread of this name that does a round at once and then every so many seconds, as long as the block lasts."""
    stop = threading.Event()

    def until_stopped() -> None:
        while not stop.is_set():
            attempt(name, do_round)
            stop.wait(seconds)

    thread = threading.Thread(target=until_stopped, name=name, daemon=True)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join(STOP_SECONDS)
