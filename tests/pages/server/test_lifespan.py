"""What runs beside the pages for as long as the app does."""

import asyncio
import threading

from pages.parts.server import lifespan
from pages.parts.server.lifespan import lifespan as as_long_as_the_app

DUTIES = {"auto-retrain", "triage", "measuring", "operating", "supervisor"}


def test_each_duty_has_a_thread_that_ends_with_the_app(home, monkeypatch):
    monkeypatch.setattr(lifespan, "warm_up", lambda: None)

    async def names() -> set[str]:
        async with as_long_as_the_app(None):
            return {thread.name for thread in threading.enumerate()}

    assert asyncio.run(names()) >= DUTIES
    assert not DUTIES & {thread.name for thread in threading.enumerate()}
