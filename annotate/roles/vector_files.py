"""The vectors of all sentences in files that are mapped into memory: no click reads them from the database.

A file holds the vectors of the articles of BLOCK ids, as one version of the model read them; its name ends in a hash of
its sources. Where articles came or changed, only the files of their blocks are made again; a damaged one is, too.
"""

import hashlib
import struct
import threading
import time
import zlib
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from sqlalchemy.orm import Session

import db.proposing
import db.registry
import db.roles
from annotate.embeddings.stored_vectors import embeddings_of
from annotate.project import logs
from annotate.project.home import folder, read
from annotate.project.memory import Memory
from annotate.project.stored_settings import settings_now
from annotate.project.whole_files import whole_file
from annotate.review.sentence_roles import FunctionSettings
from db.tables import ModelVersion
from model.sentence_roles import roles_from
from model.vectors import unit

BLOCK = 256  # ids of articles a file: 10 MB of function vectors in full texts of 290 sentences, 67 MB with the meaning
FORM = 1  # to be raised where files come to look otherwise
_HEADER = struct.Struct("<IxxxxQQ40x")  # CRC-32 of what follows it, rows, dimension; 64 bytes
_EXTRA = 2  # more than are asked for are found, so that equal ones come in their order
_FUNCTION = "function"  # in the name of a file without the meaning
_LEFT_AFTER = 3600.0  # seconds; a file that is being written is not as old

Near = tuple[float, int, int, int]  # likeness, article id, position, role
_Marks = list[tuple[int, str, int, bool]]  # article id, when it came, sentences, whether its meaning is there


@dataclass(frozen=True, slots=True)
class Block:
    """The sentences with a role of some articles: float16 vectors (n, d), where each stands (n, 2), its role (n,)."""

    vectors: np.ndarray
    places: np.ndarray
    roles: np.ndarray


@dataclass(frozen=True, slots=True)
class Kind:
    """The vectors of a file: of the function by a model `version`, and behind them of the meaning, if asked for."""

    version: str
    meaning: ModelVersion | None

    @property
    def name(self) -> str:
        """The beginning of the names of its files."""
        return f"{self.version}-{self.meaning.id if self.meaning else _FUNCTION}"


def nearest(
    session: Session,
    kind: Kind,
    asked: np.ndarray,
    article_ids: Sequence[int] | None = None,
    *,
    limit: int,
    but: Collection[tuple[int, int]] = (),
) -> list[Near]:
    """The sentences whose vectors have the highest product with the one asked for, shape (d,), best first. They come
    from all articles that this version read, or from these, without the sentences of `but`. Sentences without a role
    are left out."""
    from usearch.compiled import MetricKind  # noqa: PLC0415 (few clicks need it)
    from usearch.index import search  # noqa: PLC0415 (as above)

    best: list[Near] = []
    count = limit + len(but) + _EXTRA
    wanted = asked.astype(np.float32)
    for block in _blocks(session, kind) if article_ids is None else [_read_block(session, kind, article_ids)]:
        if not len(block.vectors):
            continue
        rows = block.vectors
        found = search(
            rows, wanted.astype(np.float16)[None], min(count, len(rows)), MetricKind.IP, exact=True, threads=1
        )
        for row in np.asarray(found.keys, dtype=np.int64).ravel():
            article, at = map(int, block.places[row])
            if (article, at) not in but:
                best.append((float(rows[row].astype(np.float32) @ wanted), article, at, int(block.roles[row])))
        best = sorted(best, key=lambda one: (-one[0], one[1], one[2]))[:limit]
    return best


def keep_vectors(
    progress: Callable[[int, int], None] = lambda done, total: None, cancelled: Callable[[], bool] = lambda: False
) -> int:
    """Makes the files that are missing, so that no click waits for them; returns how many there are."""
    with read() as session:
        if not settings_now(session, FunctionSettings).roles:
            return 0
        meaning = db.registry.encoder_in_use(session)
        meanings = (None, meaning) if meaning else (None,)
        kinds = [Kind(version, one) for version in db.roles.versions(session) for one in meanings]
        files = [(kind, _files(session, kind)) for kind in kinds]
    done = 0
    for kind, current in files:
        for number, (path, marks) in enumerate(current.items(), 1):
            if path not in _kept.here() and _mapped(path) is None:
                with read() as session:  # a short one: without WAL, nothing is stored while anybody reads
                    if path in _files(session, kind):  # an article that came meanwhile makes it another file
                        _block(session, kind, path, marks)
            progress(number, len(current))
            done += 1
            if cancelled():
                return done
    return done


_kept: Memory[Path, Block] = Memory(2)
_making = threading.Lock()


def _blocks(session: Session, kind: Kind) -> Iterator[Block]:
    """All blocks; missing or damaged ones are made."""
    for path, marks in _files(session, kind).items():
        yield _block(session, kind, path, marks)


def _files(session: Session, kind: Kind) -> dict[Path, _Marks]:
    """The files of all blocks, made or not, and what each holds; the others of this kind are let go of."""
    within = folder("functions-vectors")
    kept = _kept.here()
    current = {_path(within, kind, number, marks): marks for number, marks in _marks_by_block(session, kind).items()}
    for path in list(kept):  # a mapped file stays on the disk, even if it was removed
        if path not in current and (path.name.startswith(f"{kind.name}-") or not path.exists()):
            kept.pop(path, None)
    return current


def _block(session: Session, kind: Kind, path: Path, marks: _Marks) -> Block:
    kept = _kept.here()
    block = kept.get(path)
    if block is None:
        with _making:
            block = _mapped(path) or _made(session, kind, path, marks)
        if path.exists():  # one that no file holds would take 67 MB of memory
            kept[path] = block
    return block


def _marks_by_block(session: Session, kind: Kind) -> dict[int, _Marks]:
    embedded = db.proposing.embedded_counts(session, kind.meaning.id) if kind.meaning else {}
    found: dict[int, _Marks] = {}
    for article_id, imported_at, sentences in db.roles.read_by(session, kind.version):
        mark = (article_id, imported_at, sentences, embedded.get(article_id) == sentences)
        found.setdefault(article_id // BLOCK, []).append(mark)
    return found


def _path(within: Path, kind: Kind, number: int, marks: _Marks) -> Path:
    """Text is only ever added, and a version reads it alike: when it came and its length stand for the contents."""
    identity = hashlib.sha256(repr((FORM, kind.meaning.manifest if kind.meaning else "", marks)).encode())
    return within / f"{kind.name}-{number:06d}-{identity.hexdigest()[:16]}.vectors"


def _mapped(path: Path) -> Block | None:
    """What a file holds; None where there is none, or a damaged one. Read whole once a process, for its checksum."""
    with suppress(OSError, ValueError, struct.error):
        content = np.memmap(path, dtype=np.uint8, mode="r")
        checksum, rows, dimension = _HEADER.unpack(content[: _HEADER.size].tobytes())
        body = content[_HEADER.size :]
        if len(body) == rows * (2 * dimension + 9) and zlib.crc32(body.data) == checksum:
            vectors, places, roles = np.split(body, [2 * rows * dimension, 2 * rows * dimension + 8 * rows])
            by_row = vectors.view(np.float16).reshape(rows, dimension)
            return Block(by_row, places.view(np.int32).reshape(rows, 2), roles.view(np.int8))
        logs.warning("vectors of sentences damaged, made again", file=path.name)
    return None


def _made(session: Session, kind: Kind, path: Path, marks: _Marks) -> Block:
    """Reads a block from the database and writes its file; where the disk refuses, only this answer has it."""
    made = _read_block(session, kind, [article_id for article_id, *_ in marks])
    parts = [np.ascontiguousarray(part) for part in (made.vectors, made.places, made.roles)]
    checksum = 0
    for part in parts:
        checksum = zlib.crc32(part.data, checksum)
    try:
        with whole_file(path) as partial_file, partial_file.open("wb") as file:
            file.write(_HEADER.pack(checksum, *made.vectors.shape))
            for part in parts:
                file.write(part.data)
        _sweep(session, path)
    except OSError as error:
        logs.warning("vectors of sentences not kept", file=path.name, problem=str(error))
        return made
    return _mapped(path) or made


def _sweep(session: Session, path: Path) -> None:
    """Removes the files that this one replaces, and the files of versions by which nothing is read or proposed any
    more. It also removes what killed processes left."""
    begin = path.name.rpartition("-")[0]
    promoted = db.registry.encoder_in_use(session)
    meanings = {_FUNCTION, str(promoted.id) if promoted else _FUNCTION}
    in_use = tuple(f"{version}-{meaning}-" for version in db.roles.versions(session) for meaning in meanings)
    for other in path.parent.glob("*.vectors"):
        with suppress(FileNotFoundError):  # another process swept it
            if other.name.startswith("."):  # perhaps another process writes it now
                needless = time.time() - other.stat().st_mtime > _LEFT_AFTER
            else:
                needless = other.name.startswith(f"{begin}-") or not other.name.startswith(in_use)
            if needless and other != path:
                other.unlink()  # who has mapped it keeps it


def _read_block(session: Session, kind: Kind, article_ids: Sequence[int]) -> Block:
    meanings = embeddings_of(session, kind.meaning.id, article_ids) if kind.meaning else {}
    width = kind.meaning.dimension if kind.meaning else 0
    vectors, places, chosen = [], [], []
    for article_id, count, stored, function in db.roles.of_articles(session, article_ids):
        roles = roles_from(count, stored)
        has_role = roles.any(axis=1)  # rows of tables do nothing
        meaning = np.zeros((count, width), dtype=np.float32)
        embedding = meanings.get(article_id)
        if embedding is not None and len(embedding) == count:
            meaning = unit(embedding)
        function_rows = unit(np.frombuffer(function, dtype=np.float16).reshape(count, -1))
        vectors.append(np.hstack([function_rows, meaning])[has_role].astype(np.float16))
        places.append(np.column_stack([np.full(count, article_id), np.arange(count)])[has_role])
        chosen.append(roles.argmax(axis=1)[has_role])
    return Block(
        np.concatenate(vectors), np.concatenate(places).astype(np.int32), np.concatenate(chosen).astype(np.int8)
    )
