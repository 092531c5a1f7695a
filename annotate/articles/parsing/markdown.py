"""Markdown: headings become sections; emphasis and links lose their signs, all other text stays.

Read line by line here and not by markdown-it-py 4.3.0. That one leaves out, without a word, text that nests deeper than
its limit. It took 6 times the time and memory for 5 MB of prose, and takes backslashes out of LaTeX (10\\,\\mu).
"""

import re
from collections.abc import Iterator

from annotate.articles.document import Article, ParagraphKind, UnreadableArticle
from annotate.articles.parsing.outline import Outline, with_its_abstract
from annotate.articles.parsing.plaintext import TITLE_CHARACTERS, clean_line, unix_lines
from annotate.articles.parsing.text_builder import TextBuilder, table_row

_HEADING = re.compile(r" {0,3}(#{1,6})[ \t]+(.*)")
_UNDERLINE = re.compile(r" {0,3}(=+|-{2,})[ \t]*")
_RULE = re.compile(r" {0,3}([-*_])(?:[ \t]*\1){2,}[ \t]*")
_ITEM = re.compile(r"\s*(?:[-*+]|\d{1,3}[.)])[ \t]+(.*)")
_FENCE = re.compile(r" {0,3}(```(?=`*[^`]*$)|~~~)")  # "```x``` y" is code within a line
_TABLE_RULE = re.compile(r"\|?:?-{3,}:?(?:\|:?-{3,}:?)*\|?")
# Emphasis needs text right inside its signs; an underscore within a word is part of the word
_INLINE = re.compile(
    r"\\(?P<escaped>[\\`*_{}\[\]()#+!|>~-])"
    r"|(?P<ticks>`{1,3})(?P<code>[^`\n]{1,500})(?P=ticks)"
    r"|!?\[(?P<label>[^\[\]\n]{0,500})\]\((?:[^()\s]{0,2000})(?:\s+\"[^\"]{0,300}\")?\)"
    r"|\*\*(?P<bold>(?=\S)[^*]{1,1000}?(?<=\S))\*\*"
    r"|(?<!\w)__(?P<strong>(?=\S)[^_]{1,1000}?(?<=\S))__(?!\w)"
    r"|\*(?P<star>(?=\S)[^*]{1,1000}?(?<=\S))\*"
    r"|(?<!\w)_(?P<under>(?=\S)[^_]{1,1000}?(?<=\S))_(?!\w)"
    r"|<(?P<link>https?://[^<>\s]{1,2000})>"
)


def read_markdown(text: str, file_name: str, warning: str | None = None) -> Article:
    """Returns the article of a Markdown file. UnreadableArticle if it holds no text.

    The first heading is the title, else a short first line with a blank line behind it, else the file name.
    """
    reader = _Reader()
    for line in unix_lines(text).split("\n"):
        reader.line(line)
    reader.flush()
    title = reader.title or reader.outline.take_title(TITLE_CHARACTERS) or file_name
    sections = reader.outline.sections()
    if not sections:
        raise UnreadableArticle("holds no text")
    return with_its_abstract(Article(title, sections=sections, warnings=(warning,) if warning else ()))


class _Reader:
    """Reads line by line: the open paragraph's lines wait until a blank line or another kind of line."""

    def __init__(self) -> None:
        self.outline = Outline()
        self.title = ""
        self._lines: list[str] = []
        self._kind = ParagraphKind.PARAGRAPH
        self._fence = ""

    def line(self, line: str) -> None:
        """Takes the next line of the file."""
        fence = _FENCE.match(line)
        if self._fence or fence:
            self._fenced(line, fence)
        elif not line.strip():
            self.flush()
        elif found := _HEADING.fullmatch(line):
            self.flush()
            bare = found[2].rstrip().rstrip("#")  # signs that close a heading stand apart: "C#" keeps its own
            self._heading(len(found[1]), bare if not bare or bare.endswith((" ", "\t")) else found[2])
        elif (found := _UNDERLINE.fullmatch(line)) and len(self._lines) == 1:
            title, self._lines = self._lines[0], []
            self._heading(1 if found[1][0] == "=" else 2, title)
        elif _RULE.fullmatch(line):
            self.flush()
        elif line.lstrip().startswith("|"):
            self._row(line)
        elif found := _ITEM.fullmatch(line):
            self.flush()
            self._kind = ParagraphKind.LIST_ITEM
            self._lines.append(found[1])
        else:
            self._lines.append(re.sub(r"^ {0,3}>[ \t]?(?!\d)", "", line))

    def flush(self) -> None:
        """Ends the open paragraph."""
        self.outline.add(_inline_run("\n".join(self._lines)).paragraph(self._kind))
        self._lines, self._kind = [], ParagraphKind.PARAGRAPH

    def _heading(self, level: int, text: str) -> None:
        title = "".join(part for part, _ in _parts(text))
        if self.title:
            self.outline.heading(level, clean_line(title))
        else:
            self.title = clean_line(title)

    def _row(self, line: str) -> None:
        self.flush()
        if not _TABLE_RULE.fullmatch("".join(line.split())):
            cells = line.strip().removeprefix("|").removesuffix("|").split("|")
            self.outline.add(table_row([_inline_run(cell) for cell in cells]))

    def _fenced(self, line: str, fence: re.Match[str] | None) -> None:
        if not self._fence:
            self.flush()
            self._fence = fence[1] if fence else ""
        elif fence and fence[1] == self._fence and not line.strip(f" \t{self._fence}"):
            run = TextBuilder()
            run.add("\n".join(self._lines))
            self.outline.add(run.paragraph())
            self._fence, self._lines = "", []
        else:
            self._lines.append(line)


def _inline_run(text: str) -> TextBuilder:
    """The text without emphasis and link signs; italic text keeps its mark."""
    run = TextBuilder()
    for part, style in _parts(text):
        with run.styled(style):
            run.add(part)
    return run


def _parts(text: str, style: str = "") -> Iterator[tuple[str, str]]:
    at = 0
    for found in _INLINE.finditer(text):
        yield text[at : found.start()], style
        at = found.end()
        name, inner = found.lastgroup or "", found[found.lastgroup or 0]
        if name in ("code", "escaped", "link"):
            yield inner, style
        else:
            yield from _parts(inner, "italic" if name in ("star", "under") else style)
    yield text[at:], style
