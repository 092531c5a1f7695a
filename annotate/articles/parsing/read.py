"""The entrance: any file in, articles and refusals out."""

import io
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO

import regex

from annotate.articles.document import UnreadableArticle
from annotate.articles.parsing.archive import ArchiveFull, is_zip, members
from annotate.articles.parsing.entry import ParsedEntry, Wanted, show_name
from annotate.articles.parsing.files import inner_suffix
from annotate.articles.parsing.formats import ZIPPED_SUFFIXES, format_of
from annotate.articles.parsing.streams import MeteredReader, Source, unpacked


def read_articles(
    path: Path,
    match: regex.Pattern[str] | None = None,
    pmids: frozenset[str] | None = None,
    left_out: Callable[[], None] = lambda: None,
) -> Iterator[ParsedEntry]:
    """Yields the articles of one file, and an entry with `error` for each part that cannot be read.

    `match` is searched in title + abstract, `pmids` limits to those PMIDs; articles left out by them yield nothing,
    and `left_out` is called for each. Memory stays flat over zips and MEDLINE files. Nothing is raised for a bad file,
    UnusablePattern for a pattern that takes seconds.
    """
    name = show_name(path.name)
    if not path.is_file():
        yield ParsedEntry(name, error="is not a file that can be read")
        return
    source = Source(name, inner_suffix(path.name), lambda: MeteredReader(_opened(path)))
    yield from _read_outer(source, lambda: _opened(path), Wanted(match, pmids, left_out))


def from_bytes(name: str, content: bytes) -> Iterator[ParsedEntry]:
    """Yields the articles of a file held in memory (an upload, an HTTP body), as `read_articles` does."""
    source = Source(show_name(name), inner_suffix(name), lambda: MeteredReader(io.BytesIO(content)))
    yield from _read_outer(source, lambda: io.BytesIO(content), Wanted())


def _opened(path: Path) -> BinaryIO:
    try:
        return path.open("rb")
    except OSError as error:
        raise UnreadableArticle(f"cannot be read: {error.strerror}") from error


def _read_outer(source: Source, reopen: Callable[[], BinaryIO], wanted: Wanted) -> Iterator[ParsedEntry]:
    try:
        inner = unpacked(source)
        if not is_zip(inner.head()) or inner.suffix in ZIPPED_SUFFIXES:
            yield from _read_source(inner, wanted)
        elif inner is not source:
            raise UnreadableArticle("is a zip inside a gzip")
        else:
            with reopen() as file:
                yield from _read_members(source, file, wanted)
    except UnreadableArticle as error:
        yield ParsedEntry(source.name, error=str(error))


def _read_members(archive: Source, file: BinaryIO, wanted: Wanted) -> Iterator[ParsedEntry]:
    for member in members(archive, file):
        if isinstance(member, ParsedEntry):
            yield member
            continue
        try:
            inner = unpacked(member)
            if is_zip(inner.head()) and inner.suffix not in ZIPPED_SUFFIXES:
                raise UnreadableArticle("is a zip or Office document inside a zip")
            yield from _read_source(inner, wanted)
        except ArchiveFull as error:
            yield ParsedEntry(member.name, error=str(error))
            return
        except UnreadableArticle as error:
            yield ParsedEntry(member.name, error=str(error))


def _read_source(source: Source, wanted: Wanted) -> Iterator[ParsedEntry]:
    yield from format_of(source.head(), source.suffix).read(source, wanted)
