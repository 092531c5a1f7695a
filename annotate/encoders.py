"""Encoders to start from: any hub id or folder becomes a version. Imports torch."""

import re
import uuid

import numpy as np

from annotate.home import folder, read, write
from annotate.rights import Right
from annotate.versions import register
from db.tables import ModelVersion
from db.versions import versions
from model.encoder import encode, load, save

SMOKE = ["TP53 was knocked out in HeLa cells using CRISPR-Cas9.", "Buffer.", ""]


def add_encoder(source: str, name: str | None = None) -> ModelVersion:
    """Loads an encoder, keeps a safetensors copy in the data folder and registers it as a version.

    Raises ValueError for a name that is taken or unusable, OSError where the source cannot be loaded.
    """
    name = name or re.split(r"[/\\]", source.rstrip("/\\"))[-1]
    if not re.fullmatch(r"[\w][\w .-]{0,79}", name, re.ASCII):
        raise ValueError(f"{name!r} cannot be a version's name: letters, digits, dots and dashes, at most 80")
    with read() as session:
        taken = {version.name.casefold() for version in versions(session)}
    if name.casefold() in taken:
        raise ValueError(f"there is a version {name} already")
    encoder = load(source, device="cpu")
    if not np.isfinite(encode(encoder, SMOKE)).all():
        raise ValueError(f"{source}: its embeddings are not finite numbers")
    target = folder("models") / uuid.uuid4().hex
    save(encoder, target)
    with write(Right.TRAIN) as session:
        return register(session, target, name=name, encoder=source)
