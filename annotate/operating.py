"""What the app does by itself once a minute: scheduled backups, and a look at the proposing version's files."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime

import psutil

from annotate import backup_schedule, logs, soundness
from annotate.acting import KEYLINE, acting
from db.engine import DATABASE_ERRORS

TICK_SECONDS = 60
# An app that has just been started, or is started again and again, has other things to do than to back up.
WARM_UP_SECONDS = 600
STOP_SECONDS = 5
# What a tick may meet in a healthy program: a locked or full disk, a damaged setting. The next tick tries again.
TROUBLE = (*DATABASE_ERRORS, psutil.Error, OSError, RuntimeError, ValueError, LookupError)


def tick(now: datetime, *, backups: bool = True) -> None:
    """One round: each duty is done whatever becomes of the other."""
    _try("model files", _look_at_models)
    if backups:
        _try("scheduled backup", lambda: backup_schedule.tick(now))


def _look_at_models() -> None:
    if name := soundness.tick():
        logs.warning("model files damaged", proposing_now=name)


def _try(duty: str, do: Callable[[], object]) -> None:
    try:
        with acting(KEYLINE):
            do()
    except TROUBLE as error:
        logs.warning("tries again in a minute", duty=duty, reason=f"{type(error).__name__}: {error}"[:300])


@contextmanager
def operating(seconds: float = TICK_SECONDS) -> Iterator[None]:
    """A thread that ticks at once and then every so many seconds, as long as the block lasts."""
    stop = threading.Event()
    warm_at = time.monotonic() + WARM_UP_SECONDS

    def ticking() -> None:
        while not stop.is_set():
            tick(datetime.now(UTC), backups=time.monotonic() >= warm_at)
            stop.wait(seconds)

    thread = threading.Thread(target=ticking, name="operating", daemon=True)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join(STOP_SECONDS)
