"""Opens files that were seen: a file of a watched folder may have become another one, or a link to one, since the look.

Who may write in such a folder must not choose a file elsewhere that Keyline reads for them.
"""

import errno
import os
import platform
import stat
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from annotate.articles.document import UnreadableArticle

# Opens a file to read it. Raises UnreadableArticle with the reason.
Opener = Callable[[Path], BinaryIO]
NO_FILE = "is not a file that can be read"
# What lies there is no file of a disk. People may have made a folder in /dev/shm, which is memory.
_OF_THE_SYSTEM = ("/proc", "/sys", "/dev")
_SHARED_MEMORY = "/dev/shm"
# O_PATH: a folder that may be entered and not listed.
_FOLDER = getattr(os, "O_PATH", os.O_RDONLY) | os.O_DIRECTORY | os.O_NOFOLLOW
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK  # a pipe without a writer is opened at once, and refused


def sign_of(status: os.stat_result) -> str:
    """What tells a file from others and from its later states: size, time of change, device, inode, machine."""
    return f"{status.st_size}:{status.st_mtime_ns}:{status.st_dev}:{status.st_ino}:{platform.node()}"


def version_of(sign: str) -> str:
    """Of a sign the size and the time of change, which stay when a disk is mounted again or a folder is copied."""
    return ":".join(sign.split(":", 2)[:2])


def open_named(path: Path) -> BinaryIO:
    """Opens a file that somebody named, by a link too. Raises UnreadableArticle."""
    if not path.is_file():
        raise UnreadableArticle(NO_FILE)
    try:
        return path.open("rb")
    except OSError as error:
        raise UnreadableArticle(f"cannot be read: {error.strerror}") from error


@dataclass(frozen=True, slots=True)
class SeenFiles:
    """Opens files as a look has seen them, {path: sign}; the paths are absolute and hold no links."""

    signs: Mapping[str, str] = field(default_factory=dict)

    def __call__(self, path: Path) -> BinaryIO:
        """Opens a file. Raises UnreadableArticle for a link, a second name, or a file that has changed."""
        if str(path) not in self.signs:
            raise UnreadableArticle("is no file that was seen in the watched folder")
        if path.is_relative_to(_SHARED_MEMORY) or not any(map(path.is_relative_to, _OF_THE_SYSTEM)):
            return self._opened(path)
        raise UnreadableArticle("lies where the system shows itself, and is no article")

    def _opened(self, path: Path) -> BinaryIO:
        try:
            number = _open_without_links(path)
        except FileNotFoundError:
            raise UnreadableArticle(NO_FILE) from None
        except OSError as error:
            if error.errno in (errno.ELOOP, errno.ENOTDIR):
                raise UnreadableArticle("is a link or lies behind one: links are not followed") from error
            raise UnreadableArticle(f"cannot be read: {error.strerror}") from error
        try:
            _demand_seen(os.fstat(number), self.signs[str(path)])
            return os.fdopen(number, "rb")
        except UnreadableArticle:
            os.close(number)
            raise


def _demand_seen(status: os.stat_result, seen: str) -> None:
    if not stat.S_ISREG(status.st_mode):
        raise UnreadableArticle(NO_FILE)
    if status.st_nlink > 1:
        raise UnreadableArticle("has a second name (a hard link), perhaps elsewhere: copy it")
    now = sign_of(status)
    if not seen.endswith(f":{platform.node()}"):  # another machine saw it, whose devices have other numbers
        now, seen = version_of(now), version_of(seen)
    if now != seen:
        raise UnreadableArticle("has changed since it was seen")


def _open_without_links(path: Path) -> int:
    """Opens folder after folder from the root on, none of them by a link."""
    *folders, name = path.parts[1:]
    inside = os.open(path.anchor, _FOLDER)
    try:
        for each in folders:
            outer, inside = inside, os.open(each, _FOLDER, dir_fd=inside)
            os.close(outer)
        return os.open(name, _FILE, dir_fd=inside)
    finally:
        os.close(inside)
