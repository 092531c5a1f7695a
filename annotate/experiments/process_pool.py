"""Runs of a grid in processes of their own: started fresh, given one run after the other, replaced when they die.

Not pebble 5.2.3, loky or concurrent.futures: none tells a process the place (device) of the one that it replaces, or
carries progress out of a run; a shared queue would, but in 4 of 8 kills of a writer its lock stayed taken for good.
"""

import multiprocessing
import signal
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Any

# What a run may fail with while the others go on: unusable encoders and settings, divergence, too little memory.
FAILURES = (ValueError, LookupError, OSError, RuntimeError, ArithmeticError, MemoryError)
POLL_SECONDS = 0.5


@dataclass(frozen=True, slots=True)
class RunProgress:
    """The stage of a run; the part of it that is done, 0 to 1, or None before that is known; further numbers to
    show."""

    run: Any
    stage: str
    part: float | None = None
    details: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Finished:
    """How a run ended: with results to store, or with an error in words."""

    run: Any
    values: dict[str, Any] = field(default_factory=dict)
    error: str = ""


Report = Callable[[RunProgress], None]
DIED = "its process ended without a word"


def attempted(run: Any, do: Callable[[], dict[str, Any]]) -> Finished:
    """What a run came to; only errors of FAILURES are caught."""
    try:
        return Finished(run, do())
    except FAILURES as error:
        return Finished(run, error=str(error) or type(error).__name__)


def in_processes(
    runs: Sequence[Any],
    places: Sequence[str],
    work: Callable[..., None],
    arguments: Sequence[Any],
    on_progress: Callable[[RunProgress | None], None],
) -> Iterator[Finished]:
    """Does the runs in one process a place; yields each one as it ends.

    A process calls `work` with its pipe, its place and the arguments, and that calls `serve`. `on_progress` is called
    often, with None where nothing is new, and may raise to stop everything.
    """
    waiting = list(reversed(runs))
    with _workers(work, arguments) as start:
        busy: dict[Connection, tuple[str, Any]] = {start(place): (place, None) for place in places[: len(runs)]}
        while busy:
            ready = wait(list(busy), timeout=POLL_SECONDS)
            for pipe in [pipe for pipe in busy if pipe in ready]:
                place, run = busy.pop(pipe)
                try:
                    message = pipe.recv()
                except (EOFError, OSError):  # killed, out of memory, or a fault that is none of FAILURES
                    if run is None:
                        raise RuntimeError(f"the process for {place} did not start") from None
                    yield Finished(run, error=DIED)
                    if waiting:
                        busy[start(place)] = (place, None)
                    continue
                if isinstance(message, RunProgress):
                    busy[pipe] = (place, run)
                    on_progress(message)
                    continue
                if isinstance(message, Finished):
                    yield message
                if waiting:  # the process is new, or has just ended a run
                    busy[pipe] = (place, waiting.pop())
                    pipe.send(busy[pipe][1])
            on_progress(None)


@contextmanager
def _workers(work: Callable[..., None], arguments: Sequence[Any]) -> Iterator[Callable[[str], Connection]]:
    """A function that starts a process for a place and returns the pipe to it; all are ended at the end."""
    context = multiprocessing.get_context("spawn")  # CUDA does not survive a fork
    started: list[BaseProcess] = []

    def start(place: str) -> Connection:
        pipe, other = context.Pipe()
        worker = context.Process(target=work, args=(other, place, *arguments), daemon=True)
        worker.start()
        other.close()
        started.append(worker)
        return pipe

    try:
        yield start
    finally:
        for worker in started:
            worker.terminate()
        for worker in started:
            worker.join(timeout=5)


def serve(pipe: Connection, do: Callable[[Any, Report], Finished]) -> None:
    """The life of one process: asks for runs until its parent is gone or ends it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the parent, which ends this process
    reported = 0.0

    def report(progress: RunProgress) -> None:
        nonlocal reported
        if progress.part is None or time.monotonic() - reported >= POLL_SECONDS:
            reported = time.monotonic()
            pipe.send(progress)  # raises OSError where the parent was killed

    try:
        pipe.send(None)
        while True:
            pipe.send(do(pipe.recv(), report))
    except (EOFError, OSError):
        return
