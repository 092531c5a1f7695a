"""Files written whole or not at all, and lines added to a file, each on disk before the next step; and locks."""

import errno
import fcntl
import os
import secrets
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory

from model.files import sync

OWNER_ONLY = 0o600  # for keys, and for backups: they hold what everybody said and the hashes of their passwords
IN_USE = "in-use"  # a file in a partial folder; whoever writes the folder has locked it
LOOK_AGAIN_SECONDS = 0.2  # at a folder that another process has locked


def keep_private() -> None:
    """From now on this process, and those that it starts, make files and folders that only their owner can read."""
    os.umask(0o077)


def write_whole(path: Path, content: bytes) -> None:
    """Writes `content` to the path. If that fails, the path holds its former content."""
    with whole_file(path) as partial:
        partial.write_bytes(content)


@contextmanager
def whole_file(path: Path, *, mode: int = 0o666, keep_existing: bool = False) -> Iterator[Path]:
    """Gives an empty file next to `path` to write to; after the block it is on disk, and takes the path's place.

    Where the block or the disk fails, the path holds its former content and the file next to it is gone. `mode` gives
    its permissions, less those that the process withholds (umask). With `keep_existing` a file that is at the path by
    then stays: two processes that make the same file end with the one that was made first.
    """
    # The ending stays the same: numpy adds its own to a name that lacks it.
    partial = path.with_name(f".keyline-{secrets.token_hex(8)}{path.suffix}")
    try:
        os.close(os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode))
        yield partial
        sync(partial)
        if keep_existing:
            with suppress(FileExistsError):
                os.link(partial, path)  # fails where there is a file; a rename would replace it
        else:
            partial.replace(path)
    except OSError as error:
        if error.filename == str(partial):
            error.filename = str(path)  # the name that people gave
        raise
    finally:
        partial.unlink(missing_ok=True)


@contextmanager
def partial_folder(within: Path, prefix: str) -> Iterator[Path]:
    """Makes a folder for files that are not whole yet, gone after the block, also after errors.

    First it removes the folders of this prefix that killed processes left there; those still written are locked.
    """
    for left in within.glob(f"{prefix}*"):
        if _is_left(left / IN_USE):
            shutil.rmtree(left, ignore_errors=True)
    with TemporaryDirectory(dir=within, prefix=prefix) as folder, (Path(folder) / f"{IN_USE}-soon").open("w") as lock:
        with suppress(OSError):  # of a file system without locks, where no folder counts as left
            _taken(lock.fileno())
        Path(lock.name).rename(Path(folder) / IN_USE)  # locked before others see it
        yield Path(folder)


def _is_left(path: Path) -> bool:
    with suppress(OSError), path.open("r+") as lock:
        return _taken(lock.fileno())
    return False


def add_line(path: Path, line: str, *, mode: int = 0o666) -> None:
    """Adds a line to a file, which several processes may do at once, and has it on disk.

    Raises OSError where the disk is full. The part that fitted stays; the next line begins on a line of its own.
    """
    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, mode)
    try:
        size = os.lseek(handle, 0, os.SEEK_END)
        torn = size and os.pread(handle, 1, size - 1) != b"\n"
        content = (b"\n" if torn else b"") + line.encode() + b"\n"
        if os.write(handle, content) < len(content):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path))
        os.fsync(handle)
    finally:
        os.close(handle)


@contextmanager
def locked(within: Path, given_up: Callable[[], bool] = lambda: False) -> Iterator[bool]:
    """Locks a folder for this process, once no other process holds the lock; False where `given_up` says so before."""
    lock = os.open(within, os.O_RDONLY)
    try:
        while not (taken := _taken(lock)) and not given_up():
            time.sleep(LOOK_AGAIN_SECONDS)
        yield taken
    finally:
        os.close(lock)


def _taken(lock: int) -> bool:
    with suppress(BlockingIOError):
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)  # ends with the process, however that ends
        return True
    return False
