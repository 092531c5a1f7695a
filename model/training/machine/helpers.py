"""Processes with a GPU each that compute shares of every step, beside the process that trains.

The training process keeps all else: batches, loss, optimiser, validation, checkpoints. It gives its helpers the
weights, has them compute the vectors of some passes, tells them the gradients of these, and takes the sum of all
processes' gradients of the weights. Small things go through pipes; weights and gradients by PyTorch's collectives,
NCCL between GPUs and Gloo between processors.
"""

import contextlib
import copy
import logging
import multiprocessing
import pickle
import tempfile
from collections.abc import Iterator, Sequence
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

import numpy as np
import torch
from sentence_transformers import SentenceTransformer
from torch import distributed

from model.training.machine.helping import COPY, END, MAY_BE_FULL, Carrier, Told, help_along, meet
from model.training.quick import SmallVocabulary
from model.training.settings import TrainingSettings

ENDED = "a process that shared the training's steps ended"
ENDS_WITHIN = 10.0  # seconds, once a helper is told to

_log = logging.getLogger(__name__)


class HelperEnded(RuntimeError):
    """A process that shares the steps has ended; the message says how."""


@contextlib.contextmanager
def helpers_of(
    encoder: SentenceTransformer, settings: TrainingSettings, noise: np.random.Generator
) -> Iterator["Helpers | None"]:
    """One helper for each GPU of the settings but the first, which is the encoder's; None for one.

    They begin with copies of the encoder as it is. Raises ValueError where there are fewer GPUs than that.
    """
    if settings.gpus == 1:
        yield None
        return
    devices = devices_beside(encoder.device, settings.gpus)
    threads = torch.get_num_threads()
    share = max(1, threads // settings.gpus)
    if encoder.device.type == "cpu":
        torch.set_num_threads(share)
    with tempfile.TemporaryDirectory() as folder:  # to the end: NCCL looks at the file that they met at every second
        helpers, leave = Helpers(encoder, settings, noise), Helpers.give_up
        try:
            helpers.begin(devices, Path(folder), share)
            yield helpers
            leave = Helpers.end
        finally:
            leave(helpers)
            torch.set_num_threads(threads)


def devices_beside(first: torch.device, count: int) -> list[str]:
    """So many GPUs less this first one. Raises ValueError where there are too few."""
    there = torch.cuda.device_count() if first.type == "cuda" else 0
    if there < count:
        raise ValueError(f"gpus is {count}; it must be from 1 to {max(1, there)}: this machine has {there}")
    own = torch.cuda.current_device() if first.index is None else first.index
    return [f"cuda:{number}" for number in range(there) if number != own][: count - 1]


class Helpers:
    """The helpers of one training, as the process sees them that trains."""

    def __init__(self, encoder: SentenceTransformer, settings: TrainingSettings, noise: np.random.Generator) -> None:
        self.encoder, self.settings, self.noise = encoder, settings, noise
        self._pipes: list[Connection] = []
        self._processes: list[BaseProcess] = []
        self._carrier: Carrier | None = None

    def begin(self, devices: Sequence[str], folder: Path, threads: int) -> None:
        """Starts a process for each device, with a copy of the encoder, and meets them at a file of this folder."""
        start = multiprocessing.get_context("spawn")
        # Together, so that the copy's dropout draws from the copied generator; without the vectors of other words.
        left_out: dict[int, Any] = {
            id(own.full): [] for own in self.encoder.modules() if isinstance(own, SmallVocabulary)
        }
        copied, noise = copy.deepcopy((self.encoder, self.noise), left_out)
        copied.to("cpu")
        # By a file: as arguments the weights would go by shared memory, of which a container has little.
        (folder / COPY).write_bytes(pickle.dumps((copied, self.settings, noise)))
        del copied
        size = len(devices) + 1
        for rank, device in enumerate(devices, 1):
            ours, theirs = start.Pipe()
            given = (theirs, rank, size, str(folder), device, threads)
            process = start.Process(target=help_along, args=given, daemon=True, name=f"helper {rank}")
            process.start()
            theirs.close()
            self._pipes.append(ours)
            self._processes.append(process)
        self._answers()
        meet(self.encoder.device, 0, size, str(folder))
        self._carrier = Carrier(self.encoder)

    @contextlib.contextmanager
    def asked(self, what: str, given: Sequence[Sequence[Any]] | None = None) -> Iterator[list[Any]]:
        """Has each helper do this, with what it is given, while the context lasts; then the list holds their answers.

        Raises torch.OutOfMemoryError where the memory of one was too small, HelperEnded where one is gone.
        """
        for pipe, own in zip(self._pipes, given or [()] * len(self._pipes), strict=True):
            try:
                pipe.send((what, own))
            except OSError as error:
                raise self._ended() from error
        answers: list[Any] = []
        try:
            yield answers
        except torch.OutOfMemoryError as error:  # of this process
            if what not in MAY_BE_FULL:
                raise RuntimeError(f"no memory to share the training's steps: {error}") from error
            self._answers()
            raise
        except RuntimeError as error:  # of a sum that somebody did not come to
            if self._exit_codes():
                raise self._ended() from error
            raise
        answers += self._answers()

    def give_weights(self) -> None:
        """Gives each helper the weights as they are now."""
        carrier = self._together()
        carrier.load_weights()
        with self.asked("take_weights"):
            distributed.broadcast(carrier.flat, 0)

    def take_gradients(self, touched: Sequence[Sequence[bool]]) -> None:
        """Adds the helpers' gradients of the weights to the encoder's; `touched`: of each helper, which have one."""
        carrier = self._together()
        carrier.load_gradients()
        have_one = np.any([[weights.grad is not None for weights in carrier.trained], *touched], axis=0)
        with self.asked("give_gradients"):
            distributed.reduce(carrier.flat, 0)
        carrier.store_gradients(have_one.tolist())

    def end(self) -> None:
        """Ends the processes, all together: NCCL takes its connections down with all who share them."""
        for pipe in self._pipes:
            with contextlib.suppress(OSError):
                pipe.send(END)
        if distributed.is_initialized():
            distributed.destroy_process_group()
        self._stop()

    def give_up(self) -> None:
        """Ends the processes where they stand: one of them, or this one, may wait for a sum that never comes."""
        for process in self._processes:
            process.kill()
        if distributed.is_initialized():
            try:
                if distributed.get_backend() == "nccl":
                    distributed.distributed_c10d._abort_process_group()
                else:
                    distributed.destroy_process_group()
            except RuntimeError as error:  # what ended the training is told, not this
                _log.warning("the processes of a shared training were left without a word: %s", error)
        self._stop()

    def _stop(self) -> None:
        for process in self._processes:
            process.join(ENDS_WITHIN)
            process.kill()
        for pipe in self._pipes:
            pipe.close()

    def _together(self) -> "Carrier":
        assert self._carrier is not None
        return self._carrier

    def _answers(self) -> list[Any]:
        try:
            answers = [pipe.recv() for pipe in self._pipes]
        except (EOFError, OSError) as error:
            raise self._ended() from error
        for number, (told, answer) in enumerate(answers, 1):
            if told is Told.FAILED:
                raise HelperEnded(f"{ENDED}: helper {number}: {answer}")
        for number, (told, answer) in enumerate(answers, 1):
            if told is Told.FULL:
                raise torch.OutOfMemoryError(f"helper {number}: {answer}")
        return [answer for _, answer in answers]

    def _ended(self) -> HelperEnded:
        told = [f"{name} with exit code {code}" for name, code in self._exit_codes().items()]
        for pipe in self._pipes:
            with contextlib.suppress(EOFError, OSError):
                while pipe.poll():
                    kind, answer = pipe.recv()
                    told += [answer] if kind is Told.FAILED else []
        return HelperEnded(
            f"a process that shared the training's steps ended: {', '.join(told) or 'it closed its pipe'}"
        )

    def _exit_codes(self) -> dict[str, int]:
        """Of those that have ended, or do so within a second."""
        for process in self._processes:
            process.join(1)
        return {process.name: process.exitcode for process in self._processes if process.exitcode is not None}
