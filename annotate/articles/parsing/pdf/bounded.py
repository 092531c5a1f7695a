"""Starts the reader of PDFs in a process of its own, bounded in time and memory, and tells why it refused."""

import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from annotate.articles.document import UnreadableArticle
from annotate.articles.parsing.limits import (
    PDF_CHARACTERS,
    PDF_LINES,
    PDF_MEMORY_MB,
    PDF_PAGE_LINES,
    PDF_PAGES,
    PDF_SECONDS,
)

_READER = Path(__file__).with_name("glyphs.py")
_WAIT = 3  # times the seconds of work, on a machine that is busy otherwise
_REASONS = {
    "password": "is a PDF that opens with a password only: save it without one",
    "damaged": "is a PDF that is damaged or cut short",
    "sheets": f"is a PDF of more than {PDF_PAGES:,} pages",
    "characters": f"is a PDF of more than {PDF_CHARACTERS:,} letters",
    "lines": f"is a PDF of more than {PDF_PAGE_LINES:,} lines or labels on a page, or {PDF_LINES:,} in all",
    "memory": f"is a PDF that needs more than {PDF_MEMORY_MB:,} MB to be read",
    "time": f"is a PDF that takes more than {PDF_SECONDS} seconds to be read",
    "reader": "is a PDF, and the package that reads these is not installed here: pip install -r requirements.txt",
}


@dataclass(frozen=True, slots=True)
class Line:
    """A line, or a piece of one, with its edges in points from the page's lower left corner."""

    text: str
    left: float
    bottom: float
    right: float
    top: float
    bold: bool = False

    @property
    def height(self) -> float:
        """Of its letters with their room above and below: 1 to 1.4 times the size of the font."""
        return self.top - self.bottom

    @property
    def middle(self) -> float:
        """Half way between its edges."""
        return (self.top + self.bottom) / 2


@dataclass(frozen=True, slots=True)
class Page:
    """A page: its size in points, and what stands on it in the order of the file."""

    width: float
    height: float
    lines: tuple[Line, ...]


def read_pages(content: bytes) -> tuple[list[Page], str]:
    """The pages of a PDF and the title that it states. UnreadableArticle for one that cannot be read within limits."""
    limits = (PDF_SECONDS, PDF_MEMORY_MB, PDF_PAGES, PDF_CHARACTERS, PDF_PAGE_LINES, PDF_LINES)
    command = [sys.executable, "-I", str(_READER), *map(str, limits)]
    try:
        done = subprocess.run(command, input=content, capture_output=True, timeout=_WAIT * PDF_SECONDS, check=False)
    except subprocess.TimeoutExpired:
        raise UnreadableArticle(_REASONS["time"]) from None
    except OSError as error:  # no process could be started: the other files of an import may still be read
        raise UnreadableArticle(f"cannot be read now: {error.strerror}") from error
    if done.returncode:
        reasons = {b"ModuleNotFoundError": "reader", b"ImportError": "reader", b"MemoryError": "memory"}
        reason = next((reason for word, reason in reasons.items() if word in done.stderr), "damaged")
        raise UnreadableArticle(_REASONS["time" if done.returncode == -24 else reason])  # 24: SIGXCPU
    found = json.loads(done.stdout)
    if "refused" in found:
        raise UnreadableArticle(_REASONS[found["refused"]])
    pages = [Page(width, height, tuple(Line(*one) for one in lines)) for width, height, lines in found["sheets"]]
    return pages, found["title"]
