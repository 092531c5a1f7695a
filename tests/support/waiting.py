"""Waiting for what happens beside the test: in another thread, in a process, in the database."""

import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")
# A look costs a query, or a walk through all processes. So it is after a tenth of the time that was waited, within:
LEAST_PAUSE_SECONDS, LONGEST_PAUSE_SECONDS = 0.01, 0.1


def wait_until(happens: Callable[[], T], seconds: float = 60) -> T:
    """What `happens` returns, as soon as it is true. Fails after this long, far more than a busy machine needs."""
    begun = time.monotonic()
    while not (found := happens()):
        waited = time.monotonic() - begun
        assert waited < seconds, "waited in vain"
        time.sleep(min(max(waited / 10, LEAST_PAUSE_SECONDS), LONGEST_PAUSE_SECONDS))
    return found
