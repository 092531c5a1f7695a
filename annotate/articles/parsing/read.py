"""The entrance: any file in, articles and refusals out."""

import io
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, TypeVar

from annotate.articles.document import UnreadableArticle
from annotate.articles.parsing.archive import ArchiveFull, is_zip, members
from annotate.articles.parsing.entry import EVERY_ARTICLE, ParsedEntry, Wanted, show_name
from annotate.articles.parsing.formats import LATER_SUFFIXES, ZIPPED_SUFFIXES, format_of, inner_suffix
from annotate.articles.parsing.seen_files import Opener, open_named
from annotate.articles.parsing.streams import GZIP_MAGIC, MeteredReader, Source, unpacked

Made = TypeVar("Made")
# What becomes of a member of a zip; it may raise UnreadableArticle.
MemberReader = Callable[[Source, Wanted], Iterator[Made | ParsedEntry]]


@dataclass(frozen=True, slots=True)
class Member:
    """A member of a zip, unpacked and not yet read, so that another process can read it; `name` is one to show."""

    archive: Path
    name: str
    suffix: str
    content: bytes


def read_articles(path: Path, wanted: Wanted = EVERY_ARTICLE, opener: Opener = open_named) -> Iterator[ParsedEntry]:
    """Yields the wanted articles of one file, and an entry with `error` for each part that cannot be read.

    Memory stays flat over zips and MEDLINE files. Nothing is raised for a bad file, UnusablePattern for a pattern
    that takes seconds.
    """
    yield from _read(path.name, lambda: opener(path), _read_member, wanted)


def members_of(path: Path, wanted: Wanted, most: int, opener: Opener = open_named) -> Iterator[Member | ParsedEntry]:
    """Yields the members of a zip, unread up to `most` bytes; the articles of larger, packed and PDF ones."""

    def unread(member: Source, wanted: Wanted) -> Iterator[Member | ParsedEntry]:
        with member.open() as reader:
            content = reader.read(most + 1)
        packed = content.startswith(GZIP_MAGIC) or is_zip(content)
        if len(content) > most or packed or member.suffix in LATER_SUFFIXES:
            yield from _read_member(member, wanted)
        else:
            yield Member(path, member.name, member.suffix, content)

    yield from _read(path.name, lambda: opener(path), unread, wanted)


def read_member(member: Member, wanted: Wanted) -> Iterator[ParsedEntry]:
    """The articles of a member that was left unread."""
    source = Source(member.name, member.suffix, lambda: MeteredReader(io.BytesIO(member.content)))
    try:
        yield from _read_source(source, wanted)
    except UnreadableArticle as error:
        yield ParsedEntry(member.name, error=str(error))


def from_bytes(name: str, content: bytes) -> Iterator[ParsedEntry]:
    """Yields the articles of a file held in memory (an upload, an HTTP body), as `read_articles` does."""
    yield from _read(name, lambda: io.BytesIO(content), _read_member, EVERY_ARTICLE)


def _read(
    name: str, opened: Callable[[], BinaryIO], read: MemberReader[Made], wanted: Wanted
) -> Iterator[Made | ParsedEntry]:
    source = Source(show_name(name), inner_suffix(name), lambda: MeteredReader(opened()))
    try:
        inner = unpacked(source)
        if not is_zip(inner.head()) or inner.suffix in ZIPPED_SUFFIXES:
            yield from _read_source(inner, wanted)
        elif inner is not source:
            raise UnreadableArticle("is a zip inside a gzip")
        else:
            with opened() as file:
                yield from _read_members(source, file, read, wanted)
    except UnreadableArticle as error:
        yield ParsedEntry(source.name, error=str(error))


def _read_members(
    archive: Source, file: BinaryIO, read: MemberReader[Made], wanted: Wanted
) -> Iterator[Made | ParsedEntry]:
    for member in members(archive, file):
        if isinstance(member, ParsedEntry):
            yield member
            continue
        try:
            yield from read(member, wanted)
        except ArchiveFull as error:
            yield ParsedEntry(member.name, error=str(error))
            return
        except UnreadableArticle as error:
            yield ParsedEntry(member.name, error=str(error))


def _read_member(member: Source, wanted: Wanted) -> Iterator[ParsedEntry]:
    inner = unpacked(member)
    if is_zip(inner.head()) and inner.suffix not in ZIPPED_SUFFIXES:
        raise UnreadableArticle("is a zip or Office document inside a zip")
    yield from _read_source(inner, wanted)


def _read_source(source: Source, wanted: Wanted) -> Iterator[ParsedEntry]:
    yield from format_of(source.head(), source.suffix).read(source, wanted)
