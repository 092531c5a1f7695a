"""The model of roles in the data folder: read once a process, replaced whole. Imports torch when it is loaded."""

import fcntl
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from tempfile import mkdtemp
from typing import TYPE_CHECKING, Any

from annotate.project.home import folder
from annotate.project.whole_files import sync
from model.functions.role_model import manifest

if TYPE_CHECKING:
    from model.functions.role_model import RoleModel

_NOW, _BEFORE = "roles", ".roles-before"


def model_folder() -> Path:
    """Where the model lies, whether there is one or not."""
    within = folder("functions")
    now, before = within / _NOW, within / _BEFORE
    if before.exists() and not now.exists():
        with _alone(within):
            if before.exists() and not now.exists():  # killed between the two names of `store_model`
                before.rename(now)
    return now


@contextmanager
def _alone(within: Path) -> Iterator[None]:
    """Waits until no other process changes what the folder holds."""
    lock = os.open(within, os.O_RDONLY)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)  # ends with the process, however that ends
        yield
    finally:
        os.close(lock)


def told_now() -> dict[str, Any]:
    """What the model of the data folder was trained on; empty where there is none."""
    return manifest(model_folder())


def version_now() -> str:
    """Names the model of the data folder; "" where there is none."""
    return str(told_now().get("version", ""))


def model_now() -> "RoleModel":
    """The model of the data folder. Raises BadRoleModel where there is none, or its files are damaged."""
    return _loaded(version_now(), model_folder())


@lru_cache(maxsize=1)
def _loaded(_version: str, within: Path) -> "RoleModel":
    from model.functions.role_model import RoleModel  # noqa: PLC0415 (with torch and scikit-learn)

    return RoleModel.load(within)


def store_model(model: "RoleModel") -> None:
    """Puts a model in the place of the one before, whole or not at all."""
    within = folder("functions")
    partial = Path(mkdtemp(prefix=".training-", dir=within))
    try:
        model.save(partial)
        for path in partial.iterdir():
            sync(path)
        now, old = within / _NOW, within / _BEFORE
        with _alone(within):
            if now.exists():
                shutil.rmtree(old, ignore_errors=True)
                now.rename(old)
            partial.rename(now)
            sync(within)
            shutil.rmtree(old, ignore_errors=True)
    finally:
        shutil.rmtree(partial, ignore_errors=True)
