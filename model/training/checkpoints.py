"""Checkpoints of a training on disk: all that it needs to go on after its process was killed, bit for bit."""

import hashlib
import json
import logging
import shutil
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file

from model.files import sha256_of, sync

EVERY_SECONDS = 60.0
# On a slow disk checkpoints become rarer, so that they never take more than a twentieth of the time.
MOST_OF_TIME = 0.05
SUFFIX = ".safetensors"
PARTIAL = "partial"

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class State:
    """A training between two steps: its tensors, and the rest as values that JSON can hold."""

    tensors: dict[str, torch.Tensor]
    values: dict[str, Any]


class Checkpoints:
    """The latest checkpoint of one training, in a folder of its own.

    `what` names all that the training depends on, so that a checkpoint of another training is never taken for one of
    this. The file's name is its SHA-256, which tells a damaged file; a file is there whole or not at all. No
    checkpoint is written where it would leave less than `reserve_bytes` free.
    """

    def __init__(
        self, folder: Path, what: Mapping[str, Any], *, every_seconds: float = EVERY_SECONDS, reserve_bytes: int = 0
    ) -> None:
        self.folder = folder
        self.what = hashlib.sha256(json.dumps(what, sort_keys=True).encode()).hexdigest()
        self.every_seconds = every_seconds
        self.reserve_bytes = reserve_bytes
        self.resumed_step = 0
        self.written = 0
        self.seconds = 0.0  # that writing took
        self._due = time.monotonic() + every_seconds

    def due(self) -> bool:
        """Whether it is time for the next checkpoint."""
        return time.monotonic() >= self._due

    def save(self, step: int, state: State) -> None:
        """Writes the state after a step in place of the one before. A full disk is logged: the training goes on."""
        started = time.monotonic()
        partial = self.folder / PARTIAL
        try:
            self._write(partial, step, state)
            self.written += 1
        except (OSError, SafetensorError) as error:  # safetensors names a full disk by an error of its own
            with suppress(OSError):
                partial.unlink(missing_ok=True)
            _log.warning("step %d: no checkpoint was written: %s", step, error)
        took = time.monotonic() - started
        self.seconds += took
        self._due = time.monotonic() + max(self.every_seconds, took / MOST_OF_TIME)

    def _write(self, partial: Path, step: int, state: State) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        needed = sum(tensor.nbytes for tensor in state.tensors.values())
        free = shutil.disk_usage(self.folder).free
        if free < needed + self.reserve_bytes:
            raise OSError(
                f"{free >> 20} MB are free, it takes {needed >> 20} MB and must leave {self.reserve_bytes >> 20}"
            )
        values = {"what": self.what, "step": str(step), "values": json.dumps(state.values)}
        save_file(_apart(state.tensors), partial, metadata=values)
        sync(partial)
        final = self.folder / f"{sha256_of(partial)}{SUFFIX}"
        partial.replace(final)
        sync(self.folder)
        for old in self.folder.glob(f"*{SUFFIX}"):
            if old != final:
                old.unlink()

    def latest(self) -> State | None:
        """The state to go on from; None where there is none, or only of another training, or a damaged one."""
        found = [self._read(path) for path in self.folder.glob(f"*{SUFFIX}")]
        whole = [entry for entry in found if entry is not None]
        if not whole:
            return None
        # Two are there where the process was killed before it removed the older one.
        self.resumed_step, state = max(whole, key=lambda entry: entry[0])
        return state

    def _read(self, path: Path) -> tuple[int, State] | None:
        if sha256_of(path) != path.stem:
            _log.warning("the checkpoint %s is damaged and is left aside", path.name)
            return None
        with safe_open(path, framework="pt") as file:
            noted = file.metadata()
            if noted["what"] != self.what:
                return None
            tensors = {name: file.get_tensor(name).clone() for name in file.keys()}  # noqa: SIM118 (no mapping)
        return int(noted["step"]), State(tensors, json.loads(noted["values"]))


def _apart(tensors: Mapping[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    """The tensors on the CPU, those that share memory as copies: safetensors refuses to write shared memory."""
    apart: dict[str, torch.Tensor] = {}
    taken: set[int] = set()
    for name, tensor in tensors.items():
        own = tensor.detach().cpu().contiguous()
        place = own.untyped_storage().data_ptr()
        apart[name] = own.clone() if place in taken else own
        taken.add(place)
    return apart
