"""Plain text: paragraphs between blank lines, the first line as the title where it looks like one."""

import re
from collections.abc import Iterable, Iterator

from annotate.articles.document import Article, Paragraph, Section, SectionKind, UnreadableArticle
from annotate.articles.parsing.identifiers import only_identifiers
from annotate.articles.parsing.limits import TEXT_LINES
from annotate.articles.parsing.outline import with_its_abstract
from annotate.articles.parsing.sniff import reference_suffix
from annotate.articles.parsing.text_builder import TextBuilder, text_paragraph

TITLE_CHARACTERS = 200
_LINE_ENDS = re.compile("\r\n?|[\x0b\x0c\x85\u2028\u2029]")
_BLANK_LINES = re.compile(r"\n[ \t]*(?:\n[ \t]*)+")


def read_plain_text(text: str, file_name: str, warning: str | None = None) -> Article:
    """Returns the article of a text file. UnreadableArticle if it holds only white space, identifiers or references.

    A first line of at most 200 characters with a blank line behind it is the title, else the file name is.
    """
    if only_identifiers(text):
        raise UnreadableArticle("holds only identifiers: paste them under Europe PMC, or give them to --europepmc")
    if suffix := reference_suffix(text):
        raise UnreadableArticle(f"holds references: import it as {suffix}, unpacked")
    blocks = list(split_paragraphs(text))
    if not blocks:
        raise UnreadableArticle("holds no text")
    title = file_name
    if len(blocks) > 1 and "\n" not in blocks[0] and len(blocks[0]) <= TITLE_CHARACTERS:
        title = clean_line(blocks.pop(0))
    paragraphs = _cleaned(blocks)
    if not paragraphs:
        raise UnreadableArticle("holds no text")
    section = Section("", SectionKind.BODY, paragraphs)
    return with_its_abstract(Article(title or file_name, sections=(section,), warnings=(warning,) if warning else ()))


def unix_lines(text: str) -> str:
    """Returns the text with every kind of line end (and page break) as a newline; UnreadableArticle if too many."""
    lines = _LINE_ENDS.sub("\n", text)
    if lines.count("\n") > TEXT_LINES:
        raise UnreadableArticle(f"holds more than {TEXT_LINES:,} lines")
    return lines


def split_paragraphs(text: str) -> Iterator[str]:
    """Yields the stretches between blank lines, without the white space around them."""
    for block in _BLANK_LINES.split(unix_lines(text)):
        if stripped := block.strip(" \t\n"):
            yield stripped


def paragraphs_of(text: str) -> tuple[Paragraph, ...]:
    """Returns the stretches between blank lines as cleaned paragraphs, without empty ones."""
    return _cleaned(split_paragraphs(text))


def clean_line(text: str) -> str:
    """Returns text cleaned as a paragraph is, on one line."""
    run = TextBuilder()
    run.add(text)
    return run.text


def _cleaned(blocks: Iterable[str]) -> tuple[Paragraph, ...]:
    return tuple(filter(None, map(text_paragraph, blocks)))
