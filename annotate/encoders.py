"""Encoders to start from: any hub id or folder becomes a version. Imports torch."""

import re
import shutil

from annotate.home import folder, read, write
from annotate.versions import register
from db.tables import ModelVersion
from db.versions import version_named
from model.encoder import load, save


def add_encoder(source: str, name: str | None = None) -> ModelVersion:
    """Loads an encoder, keeps a safetensors copy in the data folder and registers it as a version.

    Raises ValueError for a name that is taken or unusable, OSError where the source cannot be loaded.
    """
    name = name or re.split(r"[/\\]", source.rstrip("/\\"))[-1]
    if not re.fullmatch(r"[\w][\w .-]{0,79}", name, re.ASCII):
        raise ValueError(f"{name!r} cannot be a version's name: letters, digits, dots and dashes, at most 80")
    with read() as session:
        if version_named(session, name):
            raise ValueError(f"there is a version {name} already")
    target = folder("models") / name
    shutil.rmtree(target, ignore_errors=True)  # left by an attempt that was never registered
    save(load(source, device="cpu"), target)
    with write() as session:
        version = register(session, target, name=name, encoder=source)
    return version
