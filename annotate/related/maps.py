"""The map of vectors in use: the one that somebody chose, else the one that Keyline brings for its own encoder."""

import hashlib
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path

import numpy as np
from safetensors import safe_open
from safetensors.numpy import load_file

import db.rows
from annotate.finding.encoding import Encoder
from annotate.project.home import read
from annotate.registry.versions import in_use, model_folder, undecided, verified_folder
from annotate.related.judged import LearntFrom
from db.tables import ModelVersion
from db.values import Kind
from model.vectors import unit

SHIPPED = "shipped"
FILE = "map.safetensors"
LEARNT_FILE = "learnt_from.safetensors"  # in encoders that an earlier release trained on reference lists
# Of the encoder that it maps the vectors of; other files next to these weights do not change the vectors.
WEIGHTS_FILE = "model.safetensors"


@dataclass(frozen=True, slots=True)
class LearntMap:
    """A map of vectors: `matrix`, float32[d, d]; marks of the articles that it was learnt from."""

    name: str
    matrix: np.ndarray
    learnt_from: frozenset[int] = field(default=frozenset())

    @property
    def sha256(self) -> str:
        """Of the matrix."""
        return hashlib.sha256(self.matrix.tobytes()).hexdigest()

    @property
    def source(self) -> LearntFrom:
        """The sources that the map was learnt from."""
        return LearntFrom(f"the map {self.name}", self.learnt_from, "--plain measures without it")


def learnt_from(version: ModelVersion) -> list[LearntFrom]:
    """What an encoder and those that it descends from were learnt from, by reference lists."""
    found = []
    line: ModelVersion | None = version
    while line is not None:
        path = model_folder(line) / LEARNT_FILE
        if LEARNT_FILE in line.manifest and path.exists():
            marks = frozenset(load_file(str(path))["learnt_from"].tolist())
            found.append(LearntFrom(f"the encoder {line.name}", marks, "measure on others, or with another encoder"))
        with read() as session:
            line = db.rows.get(session, ModelVersion, line.parent_id) if line.parent_id else None
    return found


def map_in_use(encoder: Encoder) -> LearntMap | None:
    """The map for the vectors of an encoder; None where none was learnt of it, and where somebody chose none.

    Raises DamagedModel.
    """
    version = in_use(Kind.RELATED)
    if undecided(Kind.RELATED):
        path = shipped_file(encoder)
        return None if path is None else read_map(SHIPPED, path)
    if version is None:
        return None
    if version.trained_on.get("encoder", encoder.sha256) != encoder.sha256:
        return None
    return read_map(version.name, verified_folder(version) / FILE)


def shipped_file(encoder: Encoder) -> Path | None:
    """The file of the map that Keyline brings, where it was learnt of this encoder's weights, which it names."""
    weights = encoder.version.manifest.get(WEIGHTS_FILE)
    for path in sorted(Path(str(files("annotate.related") / "shipped")).glob("*.safetensors")):
        with safe_open(str(path), framework="numpy") as file:
            metadata = file.metadata() or {}
        if weights and metadata.get("encoder_weights_sha256") == weights:
            return path
    return None


def read_map(name: str, path: Path) -> LearntMap:
    """A map from its file."""
    found = load_file(str(path))
    learnt = found.get("learnt_from", np.zeros(0, dtype=np.int64))
    return LearntMap(name, found["map"].astype(np.float32), frozenset(learnt.tolist()))


def mapped(vectors: np.ndarray, learnt: LearntMap | None) -> np.ndarray:
    """Unit vectors, float32[n, d], behind the map; as they are without one, or with one of another length."""
    if learnt is None or learnt.matrix.shape[0] != vectors.shape[1]:
        return vectors
    moved = vectors @ learnt.matrix
    return unit(moved).astype(np.float32, copy=False)
