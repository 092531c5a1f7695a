"""Files that hold the embeddings of many articles. Each is written once, and named by a hash of what it holds."""

import hashlib
from collections.abc import Mapping
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save_file

from annotate.project import logs
from annotate.project.home import home
from annotate.project.whole_files import whole_file
from model.files import sync

# At once: what was read of a mapped file stays in memory as long as it is open. A pass over all articles reads one
# after the other.
OPEN_FILES = 4


def folder_of(version_id: int) -> Path:
    """Where the files of a version lie; it may not be there."""
    return home() / "embeddings" / str(version_id)


def write_file(version_id: int, vectors: Mapping[int, np.ndarray]) -> tuple[str, dict[int, str]]:
    """Writes the vectors of some articles, each of shape (sentences, dimension), to a file that is on disk whole when
    this returns; its name, and the SHA-256 of each article's."""
    hashes = {article_id: _sha256(own) for article_id, own in vectors.items()}
    within = folder_of(version_id)
    within.mkdir(parents=True, exist_ok=True)
    name = hashlib.sha256(repr(hashes).encode()).hexdigest()[:32] + ".safetensors"
    with whole_file(within / name) as partial:
        save_file({str(article_id): own for article_id, own in vectors.items()}, partial)
    sync(within)
    return name, hashes


def read_file(version_id: int, name: str, article_id: int, sha256: str) -> np.ndarray | None:
    """The vectors of an article; None where their file is gone or damaged.

    A damaged one is put aside, so that no process takes anything from it any more.
    """
    path = folder_of(version_id) / name
    try:
        vectors: np.ndarray = _opened(path).get_tensor(str(article_id))
        if _sha256(vectors) == sha256:
            return vectors
        problem = "other content than was stored"
    except FileNotFoundError:
        return None
    except (OSError, SafetensorError) as error:
        problem = str(error)
    logs.warning("file of embeddings damaged, put aside", file=path.name, problem=problem)
    with suppress(FileNotFoundError):  # by another process, meanwhile
        path.rename(path.with_suffix(".damaged"))
    _opened.cache_clear()
    return None


@lru_cache(maxsize=OPEN_FILES)
def _opened(path: Path) -> Any:
    """The file, mapped into memory; its name stands for its content."""
    return safe_open(path, framework="numpy")


def _sha256(vectors: np.ndarray) -> str:
    return hashlib.sha256(vectors.tobytes()).hexdigest()
