"""The folder of a model of roles: its files, and what it was trained on. Needs no torch."""

import json
from pathlib import Path
from typing import Any

from model.sentence_roles import ROLES

MANIFEST = "roles.json"
ENCODER_FOLDER = "encoder"
_FILES = (
    "terms.txt",
    "terms.npy",
    "around.npy",
    "neighbours.npy",
    "projection.npy",
    "context.safetensors",
    "shares.json",
)


class BadRoleModel(RuntimeError):
    """The files of the model are not those that were written."""


def manifest(folder: Path) -> dict[str, Any]:
    """What the model of a folder was trained on, and its version; empty where there is none, or one of another form."""
    try:
        stored: dict[str, Any] = json.loads((folder / MANIFEST).read_text())
    except (OSError, ValueError):
        return {}
    plain = {name for name in stored.get("files", ()) if not name.startswith(f"{ENCODER_FOLDER}/")}
    return stored if stored.get("roles") == list(ROLES) and plain == set(_FILES) else {}


def files_of(folder: Path) -> list[str]:
    """The files of a model, an encoder's files with the name of its folder."""
    within = (path.relative_to(folder).as_posix() for path in (folder / ENCODER_FOLDER).rglob("*") if path.is_file())
    return sorted([*_FILES, *within])
