"""Files of a tar archive that anybody may have written, taken out as bytes under names that were looked at first.

Python's own way to extract with care came with 3.11.4, and Debian 12 has 3.11.2. Nothing is extracted here: what a
member says of its links, owner, mode and time has no effect.
"""

import hashlib
import os
import tarfile
from collections.abc import Collection
from pathlib import Path
from typing import IO

from annotate.project.whole_files import OWNER_ONLY
from model.files import CHUNK_BYTES


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
    """Reads a file, and writes it for its owner alone where a path is named; its SHA-256. Replaces nothing.

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
