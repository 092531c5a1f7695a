"""What the data folder holds apart from the database and the models and cannot be had again, or only for money: what a
language model answered, how far a webhook is, the heads of the seals, and loaded tables of names. In a backup all of it
is one file."""

import hashlib
import os
import tarfile
from collections.abc import Collection, Iterator
from contextlib import nullcontext, suppress
from pathlib import Path
from typing import IO

from annotate.project.home import home
from annotate.project.whole_files import OWNER_ONLY, locked
from model.files import CHUNK_BYTES

PACKED = "kept.tar"
NAMES = "vocabularies"  # loaded tables lie in this folder itself; its folders are versions, or are made again
FOLDERS = ("llm", "webhook", "seals", NAMES)
LOCK = "lock"  # of a webhook, by an earlier release; no data of a backup


def kept_bytes() -> int:
    """The size of these files in bytes."""
    total = 0
    for path in _files():
        with suppress(FileNotFoundError):
            total += path.stat().st_size
    return total


def pack(target: Path) -> bool:
    """Writes all of them to one file, each as it is when it is read; whether there were any.

    What is gone by then is left out. Called before the database is copied, it says of no event that it was told which
    the copy does not know. Waits while a table of names is loaded: the list of the tables and their files change one
    after the other.
    """
    found = False
    names = home() / NAMES
    with tarfile.open(target, "x") as tar, locked(names) if names.is_dir() else nullcontext():
        for path in _files():
            with suppress(FileNotFoundError), path.open("rb") as file:
                member = tarfile.TarInfo(str(path.relative_to(home())))
                member.size, member.mode = os.fstat(file.fileno()).st_size, OWNER_ONLY
                tar.addfile(member, file)
                found = True
    return found


def unpack(packed: Path, into: Path) -> None:
    """Puts the kept files into a folder. Raises ValueError for a name that leads elsewhere or comes twice,
    tarfile.TarError."""
    with tarfile.open(packed) as tar:
        for member in tar:
            if not is_file_within(member, FOLDERS):
                raise ValueError(f"{member.name!r} does not belong into a backup")
            try:
                take_out(tar, member, into / member.name)
            except (FileExistsError, NotADirectoryError):
                raise ValueError(f"{member.name!r} is in the way of another file") from None


def _files() -> Iterator[Path]:
    for name in FOLDERS:
        within = home() / name
        for path in sorted(within.iterdir() if name == NAMES and within.is_dir() else within.rglob("*")):
            if path.is_file() and path.name != LOCK and not path.name.startswith("."):
                yield path


# Files of a tar archive that anybody may have written are taken out as bytes under names that were looked at first, not
# extracted: what a member says of its links, owner, mode and time has no effect. Python's own way to extract with care
# came with 3.11.4, and Debian 12 has 3.11.2.
def is_file_within(member: tarfile.TarInfo, folders: Collection[str]) -> bool:
    """Whether a member is a plain file, and its name leads into one of these folders and nowhere else."""
    folder, *rest = member.name.split("/")
    leads_on = bool(rest) and not {"", ".", ".."} & set(rest) and "\0" not in member.name
    return member.isreg() and folder in folders and leads_on


def stream_of(tar: tarfile.TarFile, member: tarfile.TarInfo) -> IO[bytes]:
    """The content of a file. Raises tarfile.ReadError for any other member."""
    stream = tar.extractfile(member)
    if stream is None:
        raise tarfile.ReadError(f"{member.name!r} is no file")
    return stream


def take_out(tar: tarfile.TarFile, member: tarfile.TarInfo, path: Path | None) -> str:
    """Reads a file, and writes it so that only its owner can read it, where a path is named; its SHA-256. Replaces
    nothing.

    Raises FileExistsError where something is at the path, or NotADirectoryError above it.
    """
    if path is None:
        return _copied(stream_of(tar, member), None)
    path.parent.mkdir(parents=True, exist_ok=True)
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, OWNER_ONLY), "wb") as file:
        return _copied(stream_of(tar, member), file)


def _copied(stream: IO[bytes], file: IO[bytes] | None) -> str:
    digest = hashlib.sha256()
    while chunk := stream.read(CHUNK_BYTES):
        digest.update(chunk)
        if file is not None:
            file.write(chunk)
    return digest.hexdigest()
