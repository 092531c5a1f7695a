"""The things that are compared: encoders by their names, the words of the texts, or both together."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import db.registry
from annotate.project.home import read
from annotate.proposing.encoder_versions import proposing_version
from annotate.registry.versions import model_folder
from model.files import manifest_of

WORDS = "words"
AND_WORDS = "+words"


@dataclass(frozen=True, slots=True)
class Source:
    """A row of the table. `place` is the folder or the hub id of its encoder, empty where only words are read; `sha256`
    names the encoder's files, empty until a hub id was fetched; `query` is a version's own."""

    name: str
    place: str = ""
    sha256: str = ""
    query: str | None = None
    words: bool = False
    manifest: Mapping[str, str] | None = None

    @property
    def encodes(self) -> bool:
        """Whether the source has vectors."""
        return bool(self.place)


def find_source(name: str) -> Source:
    """What a name means: `words`, a version, a folder or a hub id, the last three also with `+words` behind.

    Raises DamagedModel for a folder with pickles or without weights, ValueError for an empty name.
    """
    if name == WORDS:
        return Source(WORDS, words=True)
    bare = name.removesuffix(AND_WORDS)
    if not bare:
        raise ValueError(f"{name!r} names no encoder")
    words = bare != name
    proposing_version()  # on a new project, the embedded encoder becomes a version by this
    with read() as session:
        version = db.registry.encoder_named(session, bare)
    if version is not None:
        manifest = dict(version.manifest)
        return Source(name, str(model_folder(version)), files_sha256(manifest), version.query, words, manifest)
    folder = Path(bare).expanduser()
    if folder.is_dir():
        return Source(name, str(folder.resolve()), files_sha256(manifest_of(folder)), words=words)
    return Source(name, bare, words=words)


def files_sha256(manifest: Mapping[str, str]) -> str:
    """One hash of all files of an encoder, by their names and hashes."""
    return hashlib.sha256(json.dumps(sorted(manifest.items())).encode()).hexdigest()


def with_cut(files: str) -> str:
    """The hash of an encoder from outside, made of its files' hash: Keyline cuts its texts at a length of its own."""
    return hashlib.sha256(f"{files}-cut".encode()).hexdigest()


def known_versions() -> list[str]:
    """The names of all versions, the oldest first."""
    with read() as session:
        return [version.name for version in db.registry.encoders(session)]
