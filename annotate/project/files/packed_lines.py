"""Files of lines, packed by gzip or not, read within limits; an error names the file, the line and the reason."""

import gzip
import io
import json
import zlib
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO, Any, TypeVar, cast

from annotate.project.files.characters import json_in

MOST_BYTES = 4_000_000_000  # unpacked: a few kilobytes of gzip can hold more than any disk
LONGEST_LINE = 50_000_000  # bytes; the longest full texts have some five million characters
_AT_ONCE = 1 << 20
_PACKED = b"\x1f\x8b"
_DAMAGED = (gzip.BadGzipFile, EOFError, zlib.error)
_Parsed = TypeVar("_Parsed")


class UnreadableFile(ValueError):
    """A file that cannot be used; the message names the file, the line where it is one, and the reason."""


@contextmanager
def unpacked(path: Path, *, most_bytes: int = MOST_BYTES) -> Iterator[io.BufferedReader]:
    """The bytes of a file, unpacked where it begins as gzip does or is called .gz.

    Reading raises UnreadableFile where it is damaged, cut, or holds more than `most_bytes` once unpacked. Raises
    UnreadableFile where there is no such file, or it cannot be opened.
    """
    with ExitStack() as stack:
        try:
            stream: IO[bytes] = stack.enter_context(path.open("rb"))
        except FileNotFoundError:
            raise UnreadableFile(f"no such file: {path}") from None
        except OSError as error:
            raise UnreadableFile(f"{path.name} cannot be read: {error.strerror or error}") from None
        packed = stream.read(len(_PACKED)) == _PACKED or path.suffix == ".gz"
        stream.seek(0)
        if packed:
            stream = cast(IO[bytes], stack.enter_context(gzip.GzipFile(fileobj=stream)))
        yield stack.enter_context(io.BufferedReader(_Counted(path.name, stream, most_bytes), _AT_ONCE))


class _Counted(io.RawIOBase):
    """Hands on what a stream gives, up to a limit."""

    def __init__(self, name: str, stream: Any, most_bytes: int) -> None:
        self._name, self._stream, self._left, self._most = name, stream, most_bytes, most_bytes

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        try:
            content = self._stream.read(len(buffer))
        except _DAMAGED as error:
            raise UnreadableFile(f"{self._name} cannot be read to its end, it is damaged or cut: {error}") from None
        self._left -= len(content)
        if self._left < 0:
            raise UnreadableFile(f"{self._name} holds more than {self._most:,} bytes once unpacked")
        buffer[: len(content)] = content
        return len(content)


def text_lines(
    path: Path, *, most_bytes: int = MOST_BYTES, longest_line: int = LONGEST_LINE, keep_ends: bool = False
) -> Iterator[tuple[int, str]]:
    """(number from 1, line) of each line of UTF-8, empty ones too; without its end unless `keep_ends`.

    Raises as `unpacked` does, and UnreadableFile for a line that is longer than `longest_line` bytes or no UTF-8.
    """
    with unpacked(path, most_bytes=most_bytes) as stream:
        number = 0
        while line := stream.readline(longest_line + 1):
            number += 1
            if len(line) > longest_line:
                raise UnreadableFile(f"{path.name}, line {number}: longer than {longest_line:,} bytes")
            try:
                text = line.decode("utf-8-sig" if number == 1 else "utf-8")
            except UnicodeDecodeError as error:
                raise UnreadableFile(f"{path.name}, line {number}, cannot be read: {error}") from None
            yield number, text if keep_ends else text.rstrip("\r\n")


def json_lines(
    path: Path,
    parse: Callable[[dict[str, Any]], _Parsed],
    *,
    most_bytes: int = MOST_BYTES,
    longest_line: int = LONGEST_LINE,
) -> Iterator[tuple[int, _Parsed]]:
    """(number from 1, what `parse` makes of the line's JSON object) of each line that is not blank.

    Raises as `text_lines` does, and UnreadableFile where a line is no JSON object, holds what is no character,
    or `parse` raises ValueError, KeyError or TypeError.
    """
    for number, text in text_lines(path, most_bytes=most_bytes, longest_line=longest_line):
        if not text.strip():
            continue
        try:
            parsed = parse(_json_object(text))
        except KeyError as error:
            raise UnreadableFile(f"{path.name}, line {number}: has no {error.args[0]}") from None
        except (ValueError, TypeError) as error:
            raise UnreadableFile(f"{path.name}, line {number}: {error}") from None
        yield number, parsed


def _json_object(text: str) -> dict[str, Any]:
    try:
        value = json_in(text)
    except json.JSONDecodeError as error:
        raise ValueError(f"{error.msg} in column {error.colno}: this is not JSON") from None
    except RecursionError:
        raise ValueError("nests too deep") from None
    if not isinstance(value, dict):
        raise ValueError("not a JSON object")
    return value
