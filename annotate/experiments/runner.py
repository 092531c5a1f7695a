"""Does the runs of a study: in this process, in child processes, or by an engine.

A process is started fresh, given one run after the other, and replaced when it dies. Not pebble 5.2.3, loky or
concurrent.futures: none tells a process the place (device) of the one that it replaces, or carries progress out of a
run; a shared queue would, but in 4 of 8 kills of a writer its lock stayed taken for good.
"""

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from typing import Any

from annotate.engines.child_processes import Child, ignore_interrupts
from annotate.engines.engine import FAILURES, Work

POLL_SECONDS = 0.5
DIED = "its process ended without a word"


@dataclass(frozen=True, slots=True)
class RunProgress:
    """The stage of a run; the part of it that is done, 0 to 1, or None before that is known; further numbers."""

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


class Runner(Work[Any, Finished]):
    """Does runs, one after the other in each process; what it holds must be seen wherever that is."""

    def do(self, run: Any, place: str, report: Report) -> dict[str, Any]:
        """The results of a run to store. `place`: the device to use, "" for the first one there is."""
        raise NotImplementedError

    def share(self, processes: int) -> None:
        """Limits this process to its share of the machine, one of `processes` equal ones."""

    def attempt(self, run: Any, place: str, report: Report) -> Finished:
        """What a run came to, if only an error: unusable encoders and settings, divergence, too little memory."""
        try:
            return Finished(run, self.do(run, place, report))
        except FAILURES as error:
            return Finished(run, error=str(error) or type(error).__name__)

    def __call__(self, given: Any) -> Iterable[Finished]:
        """How the run ended."""
        yield self.attempt(given, "", lambda progress: None)

    def lost(self, given: Any, reason: str) -> Iterable[Finished]:
        """A run that failed: the others go on."""
        yield Finished(given, error=DIED)


def in_processes(
    runner: Runner, runs: Sequence[Any], places: Sequence[str], on_progress: Callable[[RunProgress | None], None]
) -> Iterator[Finished]:
    """Does the runs in one process a place; yields each one as it ends.

    `on_progress` is called often, with None where nothing is new, and may raise to stop everything.
    """
    waiting = list(reversed(runs))
    used = places[: len(runs)]
    begun: list[Child] = []

    def begin(place: str) -> Connection:
        begun.append(Child(_serve, place, runner, len(used)))
        return begun[-1].pipe

    try:
        busy: dict[Connection, tuple[str, Any]] = {begin(place): (place, None) for place in used}
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
                        busy[begin(place)] = (place, None)
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
    finally:
        for child in begun:
            child.process.kill()
        for child in begun:
            child.end()


def _serve(pipe: Connection, place: str, runner: Runner, processes: int) -> None:
    """The life of one process: asks for runs until its parent is gone or ends it."""
    ignore_interrupts()
    runner.share(processes)
    reported = 0.0

    def report(progress: RunProgress) -> None:
        nonlocal reported
        if progress.part is None or time.monotonic() - reported >= POLL_SECONDS:
            reported = time.monotonic()
            pipe.send(progress)  # raises OSError where the parent was killed

    try:
        pipe.send(None)
        while True:
            pipe.send(runner.attempt(pipe.recv(), place, report))
    except (EOFError, OSError):
        return
