"""The entrance: any file in, articles and refusals out."""

import io
import re
from collections.abc import Callable, Iterator
from pathlib import Path, PurePosixPath
from typing import BinaryIO

import regex

from annotate.document import Article, UnreadableArticle
from annotate.parsing import jats
from annotate.parsing.archive import ArchiveFull, members
from annotate.parsing.article_csv import read_article_rows
from annotate.parsing.encoding import decode_html, decode_text
from annotate.parsing.entry import SEPARATOR, ParsedEntry, Wanted, show_name
from annotate.parsing.files import inner_suffix
from annotate.parsing.limits import ARTICLE_BYTES, TEXT_BYTES
from annotate.parsing.markdown import read_markdown
from annotate.parsing.medline import read_citations
from annotate.parsing.plaintext import read_plain_text
from annotate.parsing.safe_xml import parse_xml
from annotate.parsing.sniff import Format, sniff
from annotate.parsing.streams import MeteredReader, Source, unpacked
from annotate.parsing.webpage import read_web_page

_NOT_KEPT = re.compile(r"\.(?:xml|nxml|gz|html?|txt|md|csv)$", re.IGNORECASE)


def read_articles(
    path: Path, match: regex.Pattern[str] | None = None, pmids: frozenset[str] | None = None
) -> Iterator[ParsedEntry]:
    """Yields the articles of one file, and an entry with `error` for each part that cannot be read.

    `match` is searched in title + abstract, `pmids` limits to those PMIDs; articles left out by them
    yield nothing. Memory stays flat over zips and MEDLINE files. Nothing is raised for a bad file, UnusablePattern
    for a pattern that takes seconds.
    """
    name = show_name(path.name)
    if not path.is_file():
        yield ParsedEntry(name, error="is not a file that can be read")
        return
    source = Source(name, inner_suffix(path.name), lambda: MeteredReader(_opened(path)))
    yield from _read_outer(source, lambda: _opened(path), Wanted(match, pmids))


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
        head = inner.head()
        if sniff(head, inner.suffix) is not Format.ZIP:
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
            if sniff(inner.head(), inner.suffix) is Format.ZIP:
                raise UnreadableArticle("is a zip or Office document inside a zip")
            yield from _read_source(inner, wanted)
        except ArchiveFull as error:
            yield ParsedEntry(member.name, error=str(error))
            return
        except UnreadableArticle as error:
            yield ParsedEntry(member.name, error=str(error))


def _read_source(source: Source, wanted: Wanted) -> Iterator[ParsedEntry]:
    kind = sniff(source.head(), source.suffix)
    if kind is Format.MEDLINE:
        for article in read_citations(source, wanted):
            yield ParsedEntry(f"{source.name}{SEPARATOR}PMID {article.pmid}", article)
    elif kind is Format.JATS:
        yield from _read_jats(source, wanted)
    elif kind is Format.CSV:
        text, warning = decode_text(source.read(TEXT_BYTES))
        for line, article in read_article_rows(text, warning):
            if wanted.takes(article):
                yield ParsedEntry(f"{source.name}{SEPARATOR}line {line}", article)
    else:
        article = _read_text(source, kind)
        if wanted.takes(article):
            yield ParsedEntry(source.name, article)


def _read_jats(source: Source, wanted: Wanted) -> Iterator[ParsedEntry]:
    elements = list(jats.articles_in(parse_xml(source.read(ARTICLE_BYTES))))
    if not elements:
        raise UnreadableArticle("holds no article")
    for number, element in enumerate(elements, start=1):
        name = source.name if len(elements) == 1 else f"{source.name}{SEPARATOR}article {number}"
        try:
            article = jats.read_article(element)
        except UnreadableArticle as error:
            yield ParsedEntry(name, error=str(error))
            continue
        if wanted.takes(article):
            yield ParsedEntry(name, article)


def _read_text(source: Source, kind: Format) -> Article:
    content = source.read(TEXT_BYTES)
    title = _NOT_KEPT.sub("", PurePosixPath(source.name.rpartition(SEPARATOR)[2]).name)
    if kind is Format.HTML:
        text, warning = decode_html(content)
        return read_web_page(text, title, warning)
    text, warning = decode_text(content)
    reader = read_markdown if kind is Format.MARKDOWN else read_plain_text
    return reader(text, title, warning)
