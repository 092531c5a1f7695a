"""Waiting for what happens beside the test: in another thread, in a process, in the database."""

import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")
LOOK_EVERY_SECONDS = 0.01


def wait_until(happens: Callable[[], T], seconds: float = 60) -> T:
    """What `happens` returns, as soon as it is true. Fails after this long, far more than a busy machine needs."""
    deadline = time.monotonic() + seconds
    while not (found := happens()):
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(LOOK_EVERY_SECONDS)
    return found
