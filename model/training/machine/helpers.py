"""Processes with a GPU each that compute shares of every step, beside the process that trains.

The training process keeps all else: batches, loss, optimiser, validation, checkpoints. It gives its helpers the
weights, has them compute the vectors of some passes, tells them the gradients of these, and takes the sum of all
processes' gradients of the weights. Small things go through pipes; weights and gradients by PyTorch's collectives,
NCCL between GPUs and Gloo between processors.
"""

import contextlib
import copy
import datetime
import multiprocessing
import os
import sys
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

from model.prompts import Side
from model.training.machine.parts import Computed
from model.training.quick import SmallVocabulary
from model.training.settings import TrainingSettings

# What a helper is given to compute: the side of each pass, its input_ids and its attention_mask.
Given = Sequence[tuple[Side, np.ndarray, np.ndarray]]

# A process that waits so long for another one in the middle of a sum gives up.
PATIENCE = datetime.timedelta(minutes=5)
ENDS_WITHIN = 10.0  # seconds, once a helper is told to
LOOPBACK = {"linux": "lo", "darwin": "lo0"}


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
    helpers = Helpers(encoder, settings, noise)
    if encoder.device.type == "cpu":
        torch.set_num_threads(share)
    try:
        with tempfile.TemporaryDirectory() as folder:
            helpers.begin(devices, Path(folder) / "meeting", share)
            yield helpers
    finally:
        helpers.end()
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

    def begin(self, devices: Sequence[str], meeting: Path, threads: int) -> None:
        """Starts a process for each device, with a copy of the encoder, and meets them at a file."""
        start = multiprocessing.get_context("spawn")
        # Together, so that the copy's dropout draws from the copied generator; without the vectors of other words.
        left_out: dict[int, Any] = {
            id(own.full): [] for own in self.encoder.modules() if isinstance(own, SmallVocabulary)
        }
        copied, noise = copy.deepcopy((self.encoder, self.noise), left_out)
        copied.to("cpu")
        size = len(devices) + 1
        for rank, device in enumerate(devices, 1):
            ours, theirs = start.Pipe()
            given = (theirs, rank, size, str(meeting), device, threads, copied, self.settings, noise)
            process = start.Process(target=help_along, args=given, daemon=True, name=f"helper {rank}")
            process.start()
            theirs.close()
            self._pipes.append(ours)
            self._processes.append(process)
        self._answers()
        meet(self.encoder.device, 0, size, str(meeting))

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
        except torch.OutOfMemoryError:  # of this process
            self._answers()
            raise
        except RuntimeError as error:  # of a sum that somebody did not come to
            if self._exit_codes():
                raise self._ended() from error
            raise
        answers += self._answers()

    def give_weights(self) -> None:
        """Gives each helper the weights as they are now."""
        with self.asked("take_weights"):
            distributed.broadcast(_weights(self.encoder), 0)

    def take_gradients(self, touched: Sequence[Sequence[bool]]) -> None:
        """Adds the helpers' gradients of the weights to the encoder's; `touched`: of each helper, which have one."""
        trained = _trained(self.encoder)
        have_one = np.any([[weights.grad is not None for weights in trained], *touched], axis=0)
        with self.asked("give_gradients"):
            summed = _gradients(self.encoder)
            distributed.reduce(summed, 0)
        parts = summed.split([weights.numel() for weights in trained])
        for weights, part, has_one in zip(trained, parts, have_one.tolist(), strict=True):
            if has_one:  # AdamW leaves alone what has none
                weights.grad = part.view_as(weights)

    def end(self) -> None:
        """Ends the processes."""
        for pipe in self._pipes:
            pipe.close()  # which ends whoever reads it
        for process in self._processes:
            process.join(ENDS_WITHIN)
            process.kill()
        if distributed.is_initialized():
            distributed.destroy_process_group()

    def _answers(self) -> list[Any]:
        try:
            answers = [pipe.recv() for pipe in self._pipes]
        except (EOFError, OSError) as error:
            raise self._ended() from error
        for number, (full, _) in enumerate(answers, 1):
            if full:
                raise torch.OutOfMemoryError(f"helper {number}: {full}")
        return [answer for _, answer in answers]

    def _ended(self) -> HelperEnded:
        told = ", ".join(f"{name} with exit code {code}" for name, code in self._exit_codes().items())
        return HelperEnded(f"a process that shared the training's steps ended: {told or 'it closed its pipe'}")

    def _exit_codes(self) -> dict[str, int]:
        """Of those that have ended, or do so within a second."""
        for process in self._processes:
            process.join(1)
        return {process.name: process.exitcode for process in self._processes if process.exitcode is not None}


class _Helper:
    """What a helper does, a method for each question."""

    def __init__(
        self, rank: int, encoder: SentenceTransformer, settings: TrainingSettings, noise: np.random.Generator
    ) -> None:
        self.rank, self.encoder, self.settings, self.noise = rank, encoder, settings, noise
        self.computed: Computed | None = None

    def take_weights(self) -> None:
        flat = _weights(self.encoder)
        distributed.broadcast(flat, 0)
        with torch.no_grad():
            torch.nn.utils.vector_to_parameters(flat, _trained(self.encoder))

    def compute(self, given: Given, seed: int, kept: bool) -> list[np.ndarray]:
        self.computed = None  # of a step that was too large somewhere
        self.encoder.zero_grad(set_to_none=True)
        self.encoder.train()
        self.noise.bit_generator.state = np.random.SFC64([seed, self.rank]).state
        torch.manual_seed(seed + self.rank)
        passes = [
            (side, {"input_ids": self._here(ids), "attention_mask": self._here(mask)}) for side, ids, mask in given
        ]
        self.computed = Computed(self.encoder, self.settings, self.noise, passes, kept=kept)
        return [vectors.cpu().numpy() for vectors in self.computed.vectors()]

    def backward(self, gradients: Sequence[np.ndarray]) -> list[bool]:
        assert self.computed is not None
        self.computed.backward([self._here(gradient) for gradient in gradients])
        return [weights.grad is not None for weights in _trained(self.encoder)]

    def give_gradients(self) -> None:
        distributed.reduce(_gradients(self.encoder), 0)

    def _here(self, array: np.ndarray) -> torch.Tensor:
        return torch.from_numpy(array).to(self.encoder.device)


def help_along(
    pipe: Connection,
    rank: int,
    size: int,
    meeting: str,
    device: str,
    threads: int,
    encoder: SentenceTransformer,
    settings: TrainingSettings,
    noise: np.random.Generator,
) -> None:
    """Answers the training process until it closes the pipe or ends. Runs in the helper's process.

    An answer is (why memory was too small, or nothing; what was asked for). Any other error ends the process.
    """
    if device == "cpu":
        torch.set_num_threads(threads)
    else:
        torch.cuda.set_device(device)
    encoder.to(device)
    helper = _Helper(rank, encoder, settings, noise)
    pipe.send(("", None))
    meet(torch.device(device), rank, size, meeting)
    with contextlib.suppress(EOFError, BrokenPipeError, ConnectionResetError):
        while True:
            what, given = pipe.recv()
            try:
                answer = ("", getattr(helper, what)(*given))
            except torch.OutOfMemoryError as error:
                answer = (str(error), None)
            pipe.send(answer)
    distributed.destroy_process_group()


def meet(device: torch.device, rank: int, size: int, meeting: str) -> None:
    """Waits until all processes of the training are there. They find one another by a file, on this machine alone."""
    if name := LOOPBACK.get(sys.platform):
        os.environ.setdefault("GLOO_SOCKET_IFNAME", name)
    distributed.init_process_group(
        "nccl" if device.type == "cuda" else "gloo",
        store=distributed.FileStore(meeting, size),
        rank=rank,
        world_size=size,
        timeout=PATIENCE,
    )


def _trained(encoder: SentenceTransformer) -> list[torch.nn.Parameter]:
    return [weights for weights in encoder.parameters() if weights.requires_grad]


def _weights(encoder: SentenceTransformer) -> torch.Tensor:
    return torch.nn.utils.parameters_to_vector(_trained(encoder)).detach()


def _gradients(encoder: SentenceTransformer) -> torch.Tensor:
    """All of them one after the other; zeros for weights that have none."""
    given = [torch.zeros_like(p) if p.grad is None else p.grad for p in _trained(encoder)]
    return torch.cat([gradient.reshape(-1) for gradient in given])
