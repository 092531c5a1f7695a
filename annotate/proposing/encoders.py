"""Encoders to start from: any hub id or folder becomes a version. Imports torch."""

import re
import uuid
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import torch
from sentence_transformers import SentenceTransformer

from annotate.project.home import folder, read, write
from annotate.project.notes import Noted, note
from annotate.project.rights import Right
from annotate.proposing.encoder_versions import register_encoder
from annotate.registry.new_files import write_files
from db.registry import versions
from db.tables import ModelVersion
from model.encoder import MAX_TOKENS, cut_at, encode, load, save
from model.files import manifest_of
from model.training.settings import BOUNDS

# What an encoder must have sound embeddings of: plain and odd sentences, of no word and of more than it can read.
SMOKE = (
    "TP53 was found in HeLa cells by mass spectrometry.",
    "We measured KRAS in A549 cells.",
    "Treatment with 5 µM for a day reduced growth by 40 %.",
    "The mice were kept at 21 °C with a 12 h light/dark cycle.",
    "No effect on viability was seen (p = 0.73, n = 6).",
    "Protein levels rose 2.5-fold after 24 h.",
    "Taken together, these results show that EGFR is required.",
    "Levels of β-actin and α-tubulin were unchanged.",
    "The variant c.1286C>T was found in three patients.",
    "See Fig. 2a and Supplementary Table S3.",
    "e\u0301tude, naïve, Müller, Łódź",
    "細胞を培養した。",
    "\u05ea\u05d0\u05d9\u05dd",
    "\U0001f9ec\U0001f9eb",
    "10.1038/s41586-020-2649-2",
    "AUGGCCAUUGUAAUGGGCCGCUGAAAGGGUGCCCGAUAG" * 20,
    "words " * 600,
    "Buffer.",
    ".",
    "",
)


HUB_ID = re.compile(r"\w[\w.-]*(/[\w.-]+)?", re.ASCII)


class UnsoundEncoder(ValueError):
    """An encoder whose embeddings cannot be used; the message says why."""


def add_encoder(source: str, name: str | None = None, max_tokens: int | None = None) -> ModelVersion:
    """Loads an encoder, keeps a safetensors copy in the data folder and registers it as a version.

    Texts are cut at `max_tokens`, or at what the encoder can read where that is less; None cuts them where its files
    say, at 256 at most. Raises ValueError for a name that is taken, or for an unusable name or number. Raises OSError
    where the source cannot be loaded, and UnsoundEncoder where it encodes nothing of use. Raises DamagedModel for a
    folder with pickles, also next to sound weights.
    """
    name = name or re.split(r"[/\\]", source.rstrip("/\\"))[-1]
    if not re.fullmatch(r"[\w][\w .-]{0,79}", name, re.ASCII):
        raise ValueError(f"{name!r} cannot be a version's name: letters, digits, dots and dashes, at most 80")
    with read() as session:
        taken = {version.name.casefold() for version in versions(session)}
    if name.casefold() in taken:
        raise ValueError(f"there is a version {name} already")
    low, high = BOUNDS["max_tokens"]
    if max_tokens is not None and not low <= max_tokens <= high:
        raise ValueError(f"max_tokens is {max_tokens}; it must be from {low} to {high}")
    if Path(source).is_dir():
        manifest_of(Path(source))
    elif not HUB_ID.fullmatch(source):
        raise OSError(f"{source}: there is no such folder, and no hub id is written so")
    encoder = sound_encoder(partial(_to_add, source, max_tokens), source)
    target = write_encoder(encoder, uuid.uuid4().hex)
    manifest = manifest_of(target)
    with write(Right.TRAIN) as session:
        note(session, Noted.ENCODER, f"added the encoder {name}", source=source)
        return register_encoder(session, target, name=name, encoder=source, manifest=manifest)


def load_source(source: str, device: str | None = None) -> SentenceTransformer:
    """An encoder from a version's folder, which says itself where texts are cut, or from elsewhere. Raises OSError."""
    return _loaded(source, device, cut_of(source))


def cut_of(source: str) -> int | None:
    """The most tokens that `load_source` has this encoder read; None where its files alone say it."""
    return None if Path(source).parent == folder("models") else MAX_TOKENS


def _loaded(source: str, device: str | None, most_tokens: int | None = MAX_TOKENS) -> SentenceTransformer:
    try:
        return load(source, device, most_tokens=most_tokens)
    except (RuntimeError, LookupError, TypeError, AttributeError) as error:  # of transformers, for odd configurations
        raise OSError(f"{source}: cannot be loaded ({error})") from error
    except ValueError as error:
        if "trust_remote_code" not in str(error):
            raise
        raise OSError(f"{source}: wants to run code of its own, which is refused") from error


def _to_add(source: str, max_tokens: int | None) -> SentenceTransformer:
    encoder = _loaded(source, "cpu")
    if max_tokens is not None:
        cut_at(encoder, max_tokens)
    return encoder


def write_encoder(encoder: SentenceTransformer, name: str) -> Path:
    """Writes an encoder into a folder of this name in models/, ready to be registered."""
    return write_files(folder("models"), partial(save, encoder), name)


def sound_encoder(loaded: Callable[[], SentenceTransformer], name: str) -> SentenceTransformer:
    """The encoder that `loaded` loads. Raises UnsoundEncoder, as `smoke_test`, and where weights are missing."""
    encoder = loaded()
    # transformers fills in what a file lacks with random numbers, and only prints it.
    if not np.allclose(smoke_test(encoder, name), smoke_test(loaded(), name), atol=1e-3):
        raise UnsoundEncoder(f"{name}: some of its weights are missing")
    return encoder


def smoke_test(encoder: SentenceTransformer, name: str) -> np.ndarray:
    """The embeddings of SMOKE. Raises UnsoundEncoder unless all weights and embeddings are finite and tell texts apart.

    No version is registered without it.
    """
    if not all(torch.isfinite(weights).all() for weights in encoder.parameters()):
        raise UnsoundEncoder(f"{name}: some of its weights are not finite numbers")
    try:
        vectors = encode(encoder, SMOKE)
    except (RuntimeError, LookupError, TypeError, ValueError) as error:  # layers that do not fit one another
        raise UnsoundEncoder(f"{name}: cannot encode a sentence ({error})") from error
    if not np.isfinite(vectors).all():
        raise UnsoundEncoder(f"{name}: its embeddings are not finite numbers")
    if np.ptp(vectors, axis=0).max() < 1e-4:
        raise UnsoundEncoder(f"{name}: all sentences have the same embedding")
    return vectors
