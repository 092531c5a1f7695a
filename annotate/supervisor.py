"""Looks after the jobs for as long as the app runs, whether or not anybody has a page open."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from annotate import logs
from annotate.acting import KEYLINE, acting
from annotate.jobs import reap, tidy
from annotate.operating import STOP_SECONDS, TROUBLE

EVERY_SECONDS = 5


@contextmanager
def supervising(seconds: float = EVERY_SECONDS) -> Iterator[None]:
    """A thread that looks after the jobs at once and then every so many seconds, as long as the block lasts."""
    stop = threading.Event()
    thread = threading.Thread(target=_look_until, args=(stop, seconds), name="supervisor", daemon=True)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join(STOP_SECONDS)


def _look_until(stop: threading.Event, seconds: float) -> None:
    while not stop.is_set():
        try:
            with acting(KEYLINE):
                reap()
                tidy()
        except TROUBLE as error:
            logs.warning("jobs not looked after", reason=f"{type(error).__name__}: {error}"[:300], again_in=seconds)
        stop.wait(seconds)
