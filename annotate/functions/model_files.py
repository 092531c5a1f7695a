"""Versions of the model of roles in the data folder: beside each other, one of them in use, read once a process.

Imports torch when one is loaded.
"""

import fcntl
import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from tempfile import mkdtemp
from typing import TYPE_CHECKING, Any

from annotate.functions.settings import FunctionModel
from annotate.project.home import folder, read
from annotate.project.stored_settings import settings_now
from annotate.project.whole_files import sync, write_whole
from model.functions.role_model import manifest

if TYPE_CHECKING:
    from model.functions.role_model import RoleModel

PARTIAL = ".training-"
_EVALUATIONS = "evaluations.json"


def versions() -> list[dict[str, Any]]:
    """What each version was trained on, as its manifest tells, oldest first; versions of another form are left out."""
    told = [manifest(path) for path in folder("functions").iterdir() if not path.name.startswith(".")]
    return sorted((one for one in told if one), key=lambda one: (one["trained_at"], one["version"]))


def version_folder(version: str) -> Path:
    """Where a version lies. Raises LookupError, naming those that there are."""
    within = folder("functions")
    for path in (within / version, *within.iterdir()):  # most bear its name, and manifests are long
        if not path.name.startswith(".") and manifest(path).get("version") == version:
            return path
    names = ", ".join(one["version"] for one in versions())
    raise LookupError(f"there is no version {version} of the model of roles; there are {names or 'none'}")


def told_now() -> dict[str, Any]:
    """What the version in use was trained on; empty where there is none.

    That is the one that was promoted, or the newest where none was, or where its files are gone.
    """
    with read() as session:
        promoted = settings_now(session, FunctionModel).version
    there = versions()
    chosen = next((one for one in there if one["version"] == promoted), None)
    return chosen or (there[-1] if there else {})


def version_now() -> str:
    """Names the version in use; "" where there is none."""
    return str(told_now().get("version", ""))


def model_now() -> "RoleModel":
    """The version in use. Raises BadRoleModel where there is none, or its files are damaged."""
    from model.functions.role_model import BadRoleModel  # noqa: PLC0415 (stands beside what loads torch)

    version = version_now()
    if not version:
        raise BadRoleModel("nobody has trained a model of roles yet: python -m annotate functions train")
    return load_version(version, version_folder(version))


@lru_cache(maxsize=1)
def load_version(version: str, within: Path) -> "RoleModel":
    """The version of this name, from its folder, read once a process. Raises BadRoleModel for damaged files."""
    from model.functions.role_model import BadRoleModel, RoleModel  # noqa: PLC0415 (with torch and scikit-learn)

    try:
        return RoleModel.load(within)
    except BadRoleModel as error:
        what = "promote another version on the page Functions, or by functions promote, or train one by functions train"
        raise BadRoleModel(f"version {version}: {error}; {what}") from error


@contextmanager
def _alone(within: Path) -> Iterator[None]:
    """Waits until no other process changes what the folder holds."""
    lock = os.open(within, os.O_RDONLY)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)  # ends with the process, however that ends
        yield
    finally:
        os.close(lock)


def store_model(model: "RoleModel") -> None:
    """Puts a version beside the others, whole or not at all; what a training that was killed left there goes."""
    within = folder("functions")
    with _alone(within):  # nobody writes now, so that whatever is partial is a leftover
        for leftover in within.glob(f"{PARTIAL}*"):
            shutil.rmtree(leftover, ignore_errors=True)
        partial = Path(mkdtemp(prefix=PARTIAL, dir=within))
        try:
            model.save(partial)
            for path in partial.iterdir():
                sync(path)
            final = within / model.version
            if not final.exists():  # the same files make the same version
                partial.rename(final)
            sync(within)
        finally:
            shutil.rmtree(partial, ignore_errors=True)


def evaluations(version: str) -> dict[str, dict[str, Any]]:
    """The figures of a version by the name of the file that they were measured on; empty where none was."""
    try:
        found: dict[str, dict[str, Any]] = json.loads((version_folder(version) / _EVALUATIONS).read_text())
    except (OSError, ValueError):
        return {}
    return found


def keep_evaluation(version: str, name: str, figures: dict[str, Any]) -> None:
    """Stores the figures of a version on a file, in the place of those before."""
    path = version_folder(version) / _EVALUATIONS
    with _alone(path.parent):
        write_whole(path, json.dumps(evaluations(version) | {name: figures}, indent=1).encode())
