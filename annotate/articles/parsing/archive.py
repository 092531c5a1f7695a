"""Zip archives: members are read one at a time, counted as they inflate, and never written anywhere."""

import stat
import struct
from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import BinaryIO
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile, ZipInfo

from annotate.articles.document import UnreadableArticle
from annotate.articles.parsing.entry import SEPARATOR, ParsedEntry, show_name
from annotate.articles.parsing.formats import KNOWN_SUFFIXES, LATER_SUFFIXES, inner_suffix
from annotate.articles.parsing.limits import (
    GB,
    ZIP_ENTRIES,
    ZIP_RATIO,
    ZIP_RATIO_FROM_BYTES,
    ZIP_TOTAL_BYTES,
)
from annotate.articles.parsing.streams import TOO_MANY, MeteredReader, Source, check_directory

_ZIP_STARTS = (b"PK\x03\x04", b"PK\x05\x06", b"PK\x07\x08")


class ArchiveFull(UnreadableArticle):
    """The members of one archive inflated to more than the total allowed; the rest is not read."""


def is_zip(head: bytes) -> bool:
    """Returns whether a file that starts with these bytes is a zip: an archive, or an Office document."""
    return head.startswith(_ZIP_STARTS)


class _Budget:
    """Counts what the members of one archive inflate to; reading a member twice counts once."""

    def __init__(self) -> None:
        self._spent: dict[tuple[int, str], int] = {}
        self._total = 0

    def charge(self, entry: ZipInfo, count: int, archive_bytes: int) -> None:
        """Counts what a member inflated to so far. Refuses one above ZIP_RATIO, and any once the total is exceeded."""
        packed = max(1, min(entry.compress_size, archive_bytes))
        if count > max(ZIP_RATIO_FROM_BYTES, ZIP_RATIO * packed):
            raise UnreadableArticle(f"inflates to more than {ZIP_RATIO} times its size, as a zip bomb does")
        self.add(entry, count)

    def add(self, entry: ZipInfo, count: int, layer: str = "zip") -> None:
        """Counts what one layer of a member (zip, or gzip within) inflated to so far."""
        key = (entry.header_offset, layer)
        extra = count - self._spent.get(key, 0)
        if extra > 0:
            self._spent[key] = count
            self._total += extra
        if self._total > ZIP_TOTAL_BYTES:
            raise ArchiveFull(f"the archive inflates to more than {ZIP_TOTAL_BYTES // GB} GB; the rest is unread")


def members(source: Source, file: BinaryIO) -> Iterator[Source | ParsedEntry]:
    """Yields a Source for each readable member and an entry with the error for each refused one.

    `file` must be seekable and stay open while the sources are read. Folders and members of unknown
    kinds (figures, say) are passed over. UnreadableArticle if the archive itself is refused.
    """
    archive_bytes = check_directory(file)
    try:
        archive = ZipFile(file)
    except (BadZipFile, NotImplementedError, ValueError, OSError, struct.error) as error:
        raise UnreadableArticle(f"is not a zip that can be read: {error}") from error
    with archive:
        entries = sorted(archive.infolist(), key=lambda entry: inner_suffix(entry.filename) in LATER_SUFFIXES)
        if len(entries) > ZIP_ENTRIES:
            raise UnreadableArticle(TOO_MANY)
        names = {entry.filename for entry in entries}
        if "[Content_Types].xml" in names:
            raise UnreadableArticle(
                "is an Office document; only Word's are read, and only where their name ends in .docx"
            )
        if "mimetype" in names:
            raise UnreadableArticle("is an OpenDocument or EPUB file, not an article in a known format")
        budget, found = _Budget(), False
        for entry in entries:
            if _passed_over(entry):
                continue
            found = True
            name = source.name + SEPARATOR + show_name(entry.filename)
            if problem := _problem(entry):
                yield ParsedEntry(name, error=problem)
            else:
                yield _member(name, archive, entry, budget, archive_bytes)
        if not found:
            raise UnreadableArticle(f"is a zip without a file of a known kind ({' '.join(KNOWN_SUFFIXES)})")


def _member(name: str, archive: ZipFile, entry: ZipInfo, budget: _Budget, archive_bytes: int) -> Source:
    def open_member() -> MeteredReader:
        try:
            stream = archive.open(entry)
        except (BadZipFile, NotImplementedError, RuntimeError, ValueError, OSError) as error:
            raise UnreadableArticle(f"cannot be unpacked: {error}") from error
        return MeteredReader(stream, meter=lambda count: budget.charge(entry, count, archive_bytes))

    return Source(name, inner_suffix(entry.filename), open_member, lambda count: budget.add(entry, count, "gzip"))


def _passed_over(entry: ZipInfo) -> bool:
    if _is_link(entry):
        return False
    parts = PurePosixPath(entry.filename).parts
    hidden = any((part.startswith(".") and part.strip(".")) or part == "__MACOSX" for part in parts)
    is_folder = entry.filename.endswith("/")  # is_dir() fails on an empty name
    return is_folder or hidden or PurePosixPath(entry.filename).suffix.lower() not in KNOWN_SUFFIXES


def _problem(entry: ZipInfo) -> str | None:
    if _is_link(entry):
        return "is a symbolic link, which is not followed"
    if entry.flag_bits & 0x1:
        return "is encrypted"
    if entry.compress_type not in (ZIP_STORED, ZIP_DEFLATED):
        return "is packed by a method other than deflate"
    return None


def _is_link(entry: ZipInfo) -> bool:
    return stat.S_ISLNK(entry.external_attr >> 16)
