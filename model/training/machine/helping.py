"""The side of the processes that share a training's steps: what each computes, and how all of them meet."""

import contextlib
import datetime
import os
import pickle
import sys
from collections.abc import Sequence
from enum import StrEnum
from multiprocessing.connection import Connection
from pathlib import Path

import numpy as np
import torch
from sentence_transformers import SentenceTransformer
from torch import distributed

from model.training.machine.parts import Computed
from model.training.passes.cut import Pass
from model.training.settings import TrainingSettings

# A process that waits so long for another one in the middle of a sum gives up.
PATIENCE = datetime.timedelta(minutes=5)
LOOPBACK = {"linux": "lo", "darwin": "lo0"}
COPY = "encoder.pickle"
END = ("end", ())
MAY_BE_FULL = ("compute", "backward")  # in the others all processes wait for one another
GONE = (EOFError, BrokenPipeError, ConnectionResetError)


class Told(StrEnum):
    """What a helper's answer is: what it was asked for, or why it cannot be had."""

    DONE = "done"
    FULL = "full"  # its memory was too small for this; a smaller step may fit
    FAILED = "failed"  # the last word of a helper that ends


class _Helper:
    """What a helper does, a method for each question."""

    def __init__(
        self, rank: int, encoder: SentenceTransformer, settings: TrainingSettings, noise: np.random.Generator
    ) -> None:
        self.rank, self.encoder, self.settings, self.noise = rank, encoder, settings, noise
        self.carrier = Carrier(encoder)
        self.computed: Computed | None = None

    def take_weights(self) -> None:
        self.computed = None  # of a step that was too large somewhere
        self.encoder.zero_grad(set_to_none=True)
        distributed.broadcast(self.carrier.flat, 0)
        self.carrier.store_weights()

    def compute(self, given: Sequence[Pass], seed: int, kept: bool) -> list[np.ndarray]:
        self.encoder.train()
        self.noise.bit_generator.state = np.random.SFC64([seed, self.rank]).state
        torch.manual_seed(seed + self.rank)
        passes = [(one.side, one.features([self._here(array) for array in one.arrays.values()])) for one in given]
        self.computed = Computed(self.encoder, self.settings, self.noise, passes, kept=kept)
        return [vectors.cpu().numpy() for vectors in self.computed.vectors()]

    def backward(self, gradients: Sequence[np.ndarray]) -> list[bool]:
        assert self.computed is not None
        self.computed.backward([self._here(gradient) for gradient in gradients])
        return [weights.grad is not None for weights in self.carrier.trained]

    def give_gradients(self) -> None:
        self.carrier.load_gradients()
        distributed.reduce(self.carrier.flat, 0)

    def _here(self, array: np.ndarray) -> torch.Tensor:
        return torch.from_numpy(array).to(self.encoder.device)


class Telling:
    """Tells the training process the error that ends this one."""

    def __init__(self, pipe: Connection) -> None:
        self.pipe = pipe

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        if error is not None:
            with contextlib.suppress(OSError):
                self.pipe.send((Told.FAILED, f"{type(error).__name__}: {error}"))


def help_along(pipe: Connection, rank: int, size: int, folder: str, device: str, threads: int) -> None:
    """Answers the training process until it says the end, or is gone. Runs in the helper's process.

    An answer is (Told, what was asked for or why it cannot be had).
    """
    with Telling(pipe), contextlib.suppress(*GONE):
        if device == "cpu":
            torch.set_num_threads(threads)
        else:
            torch.cuda.set_device(device)
        encoder, settings, noise = pickle.loads((Path(folder) / COPY).read_bytes())
        encoder.to(device)
        helper = _Helper(rank, encoder, settings, noise)
        pipe.send((Told.DONE, None))
        meet(torch.device(device), rank, size, folder)
        while (asked := pipe.recv()) != END:
            what, given = asked
            try:
                answer = (Told.DONE, getattr(helper, what)(*given))
            except torch.OutOfMemoryError as error:
                if what not in MAY_BE_FULL:
                    raise
                answer = (Told.FULL, str(error))
            pipe.send(answer)
        distributed.destroy_process_group()
        return
    os._exit(1)  # the training process is gone; to take leave of it in order would be to wait for it


def meet(device: torch.device, rank: int, size: int, folder: str) -> None:
    """Waits until all processes of the training are there. They find one another by a file, on this machine alone."""
    if name := LOOPBACK.get(sys.platform):
        os.environ.setdefault("GLOO_SOCKET_IFNAME", name)
        os.environ.setdefault("NCCL_SOCKET_IFNAME", name)
    on_gpu = device.type == "cuda"
    store = distributed.FileStore(str(Path(folder) / "meeting"), size)
    store.set_timeout(PATIENCE)
    distributed.init_process_group(
        "nccl" if on_gpu else "gloo",
        store=store,
        rank=rank,
        world_size=size,
        timeout=PATIENCE,
        device_id=device if on_gpu else None,  # so that NCCL takes its memory now
    )


class Carrier:
    """Trained weights, or their gradients, one after the other in memory of their own: what goes between processes.

    Taken once, so that nobody lacks memory while others wait for a sum.
    """

    def __init__(self, encoder: SentenceTransformer) -> None:
        self.trained = [weights for weights in encoder.parameters() if weights.requires_grad]
        self.flat = torch.nn.utils.parameters_to_vector(self.trained).detach()
        self._parts = [
            part.view_as(weights)
            for weights, part in zip(self.trained, self.flat.split([w.numel() for w in self.trained]), strict=True)
        ]

    def load_weights(self) -> None:
        """Copies the weights here."""
        for part, weights in zip(self._parts, self.trained, strict=True):
            part.copy_(weights.detach())

    def store_weights(self) -> None:
        """Gives the encoder the weights that are here."""
        with torch.no_grad():
            for part, weights in zip(self._parts, self.trained, strict=True):
                weights.copy_(part)

    def load_gradients(self) -> None:
        """Copies the gradients here; zeros for weights that have none."""
        for part, weights in zip(self._parts, self.trained, strict=True):
            part.zero_() if weights.grad is None else part.copy_(weights.grad)

    def store_gradients(self, have_one: Sequence[bool]) -> None:
        """Makes what is here the gradients, until the weights come: of those that have one, for AdamW leaves alone
        what has none."""
        for part, weights, has_one in zip(self._parts, self.trained, have_one, strict=True):
            weights.grad = part if has_one else None
