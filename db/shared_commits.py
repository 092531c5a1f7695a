"""Writers of one process that wait at the same moment share a transaction: one lock, one commit, one sync for all."""

import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, TypeVar, cast

from sqlalchemy.orm import Session

from db.engine import Address, writing

# Who waits for a shared commit waits for what all of them do: a verdict takes about a millisecond.
MOST = 32
T = TypeVar("T")


@dataclass(eq=False, slots=True)
class _Turn:
    """What one thread wants to have written."""

    address: Address
    work: Callable[[Session], Any]
    begun: float = field(default_factory=time.monotonic)
    is_over: bool = False
    results: list[Any] = field(default_factory=list)  # one, where it was stored with others


class _Line:
    """The writers that wait. One of them writes for all that came meanwhile; a later one waits for the next turn."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._waiting: list[_Turn] = []
        self._is_led = False

    def serve(self, turn: _Turn) -> None:
        """Returns when the turn is over, whichever thread did it: with its result, or without one where it must be done
        separately."""
        with self._changed:
            self._waiting.append(turn)
        while taken := self._taken_by(turn):
            try:
                _write(taken)
            finally:
                self._end(taken)

    def _taken_by(self, turn: _Turn) -> list[_Turn]:
        """Waits until no thread leads; the turns to write for now, or none where this turn is over."""
        with self._changed:
            self._changed.wait_for(lambda: turn.is_over or not self._is_led)
            if turn.is_over:
                return []
            self._is_led = True
            taken = [each for each in self._waiting if each.address == turn.address][:MOST]
            self._waiting = [each for each in self._waiting if each not in taken]
            return taken

    def _end(self, taken: list[_Turn]) -> None:
        with self._changed:
            self._is_led = False
            for turn in taken:
                turn.is_over = True
            self._changed.notify_all()


_line = _Line()


def write_together(address: Address, work: Callable[[Session], T]) -> T:
    """What `work` returns, in a write transaction that it may share; on disk when this returns, as with `writing`.

    Another thread may call it, and it may be called again, in a transaction of its own, where the shared one failed,
    for whichever of them: what it stores must be stored once however often. Raises what `work` raises, and as
    `writing` does.
    """
    turn = _Turn(address, work)
    _line.serve(turn)
    if not turn.results:
        _write_alone(turn)
    (result,) = turn.results
    return cast("T", result)


def _write(turns: list[_Turn]) -> None:
    """Stores what all of them want, or nothing. An error is not theirs all: each meets its own one, alone."""
    if len(turns) == 1:
        _write_alone(turns[0])
        return
    with suppress(Exception):
        results = []
        with writing(turns[0].address, since=turns[0].begun) as session:
            for turn in turns:
                results.append(turn.work(session))
                session.flush()
                session.expunge_all()  # the next one reads for itself
        for turn, result in zip(turns, results, strict=True):
            turn.results.append(result)


def _write_alone(turn: _Turn) -> None:
    with writing(turn.address, since=turn.begun) as session:
        result = turn.work(session)
    turn.results.append(result)
