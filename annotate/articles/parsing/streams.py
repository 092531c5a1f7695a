"""Reading bytes up to a limit. Counted are the bytes that were really unpacked, not those that a header declares."""

import gzip
import struct
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from io import BufferedIOBase
from typing import IO, BinaryIO, Self
from zipfile import BadZipFile

from annotate.articles.document import UnreadableArticle
from annotate.articles.parsing.limits import CHUNK_BYTES, HEAD_BYTES, MB, ZIP_DIRECTORY_BYTES, ZIP_ENTRIES

GZIP_MAGIC = b"\x1f\x8b"
_DAMAGED = (EOFError, zlib.error, gzip.BadGzipFile, BadZipFile)


@dataclass(frozen=True, slots=True)
class Source:
    """One file or zip member: the name to show, its suffix, and how to open its bytes from the start."""

    name: str
    suffix: str
    open: "Callable[[], MeteredReader]"
    charge: Callable[[int], None] | None = None  # told what a gzip inside an archive inflates to
    _head: list[bytes] = field(default_factory=list, init=False, repr=False, compare=False)  # asked for several times

    def head(self) -> bytes:
        """Returns the first bytes, enough to tell the format."""
        if not self._head:
            with self.open() as reader:
                self._head.append(reader.read(HEAD_BYTES))
        return self._head[0]

    def chunks(self, cap: int) -> Iterator[bytes]:
        """Yields the bytes in pieces; UnreadableArticle once more than `cap` bytes came."""
        count = 0
        with self.open() as reader:
            while piece := reader.read(CHUNK_BYTES):
                count += len(piece)
                if count > cap:
                    raise UnreadableArticle(f"holds more than {cap // MB} MB, the limit for this kind of file")
                yield piece

    def read(self, cap: int) -> bytes:
        """Returns all bytes; UnreadableArticle above `cap` or if they cannot be unpacked."""
        return b"".join(self.chunks(cap))


class MeteredReader:
    """A binary stream that reports the running total to `meter`, which may refuse by raising."""

    def __init__(
        self, *layers: "IO[bytes] | BufferedIOBase | MeteredReader", meter: Callable[[int], None] | None = None
    ) -> None:
        self._layers = layers  # outermost last; all are closed
        self._meter = meter
        self._count = 0

    def read(self, size: int = -1) -> bytes:
        """Returns up to `size` bytes; UnreadableArticle if the file is damaged or cannot be read."""
        try:
            piece = self._layers[-1].read(size)
        except _DAMAGED as error:
            raise UnreadableArticle(f"is damaged or cut short: {error}") from error
        except OSError as error:
            raise UnreadableArticle(f"cannot be read: {error.strerror or error}") from error
        self._count += len(piece)
        if self._meter is not None:
            self._meter(self._count)
        return piece

    def close(self) -> None:
        """Closes every layer."""
        for layer in reversed(self._layers):
            layer.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def unpacked(source: Source) -> Source:
    """Returns the source itself, or the content of its gzip wrapping; a gzip in a gzip is refused."""
    if not source.head().startswith(GZIP_MAGIC):
        return source

    def open_inner() -> MeteredReader:
        outer = source.open()
        stream = gzip.GzipFile(fileobj=outer)  # type: ignore[call-overload]  # (needs no seek: read forwards only)
        return MeteredReader(outer, stream, meter=source.charge)

    inner = Source(source.name, source.suffix, open_inner)
    if inner.head().startswith(GZIP_MAGIC):
        raise UnreadableArticle("is a gzip inside a gzip")
    return inner


TOO_MANY = f"is a zip of more than {ZIP_ENTRIES:,} entries"


def check_directory(file: BinaryIO) -> int:
    """Returns the size of an archive; refuses a huge directory before zipfile loads it into memory."""
    size = file.seek(0, 2)
    file.seek(max(0, size - 66_000))
    tail = file.read()
    file.seek(0)
    at = tail.rfind(b"PK\x05\x06")
    if at >= 0 and len(tail) >= at + 16:
        entries, directory = struct.unpack_from("<HL", tail, at + 10)
        at64 = tail.rfind(b"PK\x06\x06", 0, at)
        if at64 >= 0 and len(tail) >= at64 + 48:
            entries64, directory64 = struct.unpack_from("<QQ", tail, at64 + 32)
            entries, directory = max(entries % 0xFFFF, entries64), max(directory % 0xFFFFFFFF, directory64)
        if entries > ZIP_ENTRIES or directory > ZIP_DIRECTORY_BYTES:
            raise UnreadableArticle(TOO_MANY)
    return size
