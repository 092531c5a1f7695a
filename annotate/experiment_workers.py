"""Runs of an experiment, here one after another or in one process for each device. Imports torch."""

import multiprocessing
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Any

from annotate.corpora import Corpus
from annotate.experiment_run import execute, share_threads
from annotate.experiment_spec import Run
from model.training import Step

# What a run may fail with while the others go on: unusable encoders and settings, divergence, too little memory.
FAILURES = (ValueError, LookupError, OSError, RuntimeError, ArithmeticError, MemoryError)
POLL_SECONDS = 0.5


@dataclass(frozen=True, slots=True)
class Task:
    """A run with the folder or hub id of its encoder."""

    run: Run
    source: str


@dataclass(frozen=True, slots=True)
class Progress:
    """What a run is doing; `step` in training."""

    task: Task
    stage: str
    step: Step | None


@dataclass(frozen=True, slots=True)
class Finished:
    """How a run ended: with what is stored of it, or with an error in words."""

    task: Task
    values: dict[str, Any] = field(default_factory=dict)
    error: str = ""


def run_all(
    tasks: Sequence[Task], corpus: Corpus, devices: Sequence[str], on_progress: Callable[[Progress | None], None]
) -> Iterator[Finished]:
    """Runs the tasks, on several devices in a process each; yields each one as it ends.

    `on_progress` is called often, with None where nothing is new, and may raise to stop everything.
    """
    if len(devices) == 1 or len(tasks) == 1:
        for task in tasks:
            yield _attempt(task, corpus, devices[0], on_progress)
    else:
        yield from _in_processes(tasks, corpus, devices[: len(tasks)], on_progress)


def _attempt(task: Task, corpus: Corpus, device: str, on_progress: Callable[[Progress], None]) -> Finished:
    try:
        values = execute(
            task.run, task.source, corpus, device, lambda stage, step: on_progress(Progress(task, stage, step))
        )
    except FAILURES as error:
        return Finished(task, error=str(error) or type(error).__name__)
    return Finished(task, values)


def _in_processes(
    tasks: Sequence[Task], corpus: Corpus, devices: Sequence[str], on_progress: Callable[[Progress | None], None]
) -> Iterator[Finished]:
    waiting = list(reversed(tasks))
    with _workers(corpus, devices) as start:
        busy = {start(device): (device, None) for device in devices}
        while busy:
            for pipe in wait(list(busy), timeout=POLL_SECONDS) or []:
                device, task = busy.pop(pipe)
                try:
                    message = pipe.recv()
                except (EOFError, OSError):  # killed, out of memory, or a fault that is none of FAILURES
                    if task is None:
                        raise RuntimeError(f"the process for {device} did not start") from None
                    yield Finished(task, error="its process ended without a word")
                    if waiting:
                        busy[start(device)] = (device, None)
                    continue
                if isinstance(message, Progress):
                    busy[pipe] = (device, task)
                    on_progress(message)
                    continue
                if isinstance(message, Finished):
                    yield message
                if waiting:  # the process is new, or has just ended a run
                    busy[pipe] = (device, waiting.pop())
                    pipe.send(busy[pipe][1])
            on_progress(None)


@contextmanager
def _workers(corpus: Corpus, devices: Sequence[str]) -> Iterator[Callable[[str], Connection]]:
    """A function that starts a process for a device and returns the pipe to it; all are ended at the end."""
    context = multiprocessing.get_context("spawn")  # CUDA does not survive a fork
    started: list[BaseProcess] = []

    def start(device: str) -> Connection:
        pipe, other = context.Pipe()
        worker = context.Process(target=_work, args=(other, corpus, device, len(devices)), daemon=True)
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


def _work(pipe: Connection, corpus: Corpus, device: str, processes: int) -> None:
    """The life of one process: asks for tasks until its parent is gone or ends it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the parent, which ends this process
    share_threads(processes)
    reported = 0.0

    def report(progress: Progress) -> None:
        nonlocal reported
        if progress.step is None or time.monotonic() - reported >= POLL_SECONDS:
            reported = time.monotonic()
            pipe.send(progress)  # raises OSError where the parent was killed

    try:
        pipe.send(None)
        while True:
            task = pipe.recv()
            pipe.send(_attempt(task, corpus, device, report))
    except (EOFError, OSError):
        return
