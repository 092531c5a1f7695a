"""A receiver of events, for tests: it takes what comes, or answers as it is told to."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from tests.support.answering import Answering, answering


@dataclass
class Came:
    """One request: its headers, its bytes, and what these say."""

    headers: dict[str, str]
    raw: bytes

    @property
    def event(self) -> dict[str, Any]:
        """The body."""
        return dict(json.loads(self.raw))


class Receiver:
    """What came, and what is answered: the statuses of `answers` one after the other, then 204."""

    def __init__(self) -> None:
        self.came: list[Came] = []
        self.answers: list[int] = []
        self.before: Callable[[], object] = lambda: None
        self.address = ""

    @property
    def names(self) -> list[str]:
        """The events that came."""
        return [came.event["event"] for came in self.came]


@contextmanager
def receiver() -> Iterator[Receiver]:
    """Serves one on a port of this machine while the block lasts."""
    made = Receiver()

    class Handler(Answering):
        def do_POST(self) -> None:
            made.came.append(Came(dict(self.headers), self.body()))
            made.before()
            self.answer(made.answers.pop(0) if made.answers else 204)

    with answering(Handler) as address:
        made.address = f"{address}/keyline"
        yield made
