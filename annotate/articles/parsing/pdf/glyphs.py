"""Reads what stands where on the pages of a PDF, as a program of its own: from standard input, to standard output.

PDFium is C++, so it runs where a crash, an endless loop or a greedy file ends nothing but this process. It imports
nothing of Keyline, so that it starts at once. Called by `bounded.py` with seconds, megabytes and what a file may hold.
"""

import ctypes
import json
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from itertools import islice
from typing import Any

# A gap of this many letter heights is one between columns or cells, not between words; lines are joined again later.
GAP = 1.0
# Letters that begin this much higher or lower than the ones before them are on another line.
SHIFT = 0.7
HYPHENS = ("\x02", "\ufffe")  # what PDFium writes for a hyphen that ends a line
BOLD_WEIGHT = 600
FARTHEST = 20_000.0  # points; the largest pages are 14,400 wide and high
PASSWORD = 4  # FPDF_ERR_PASSWORD
_Edges = tuple[float, float, float, float]  # left, bottom, right, top
_Letters = list[tuple[int, str, _Edges]]


class Refused(Exception):
    """Why this PDF is not read, as the code that `bounded.py` puts into words."""


def bound(seconds: int, megabytes: int) -> None:
    """Ends this process at its limits; by nothing but the caller's clock where a system knows no such limits."""
    with suppress(ImportError, ValueError, OSError):
        import resource  # noqa: PLC0415 (Windows has none)

        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
        resource.setrlimit(resource.RLIMIT_DATA, (megabytes << 20, megabytes << 20))


def read(content: bytes, pages: int, characters: int, page_lines: int, lines: int) -> dict[str, Any]:
    """The pages with their pieces of lines, and the title that the file states. Raises Refused."""
    import pypdfium2.raw as pdfium  # noqa: PLC0415 (within the limits)

    pdfium.FPDF_InitLibrary()
    document = pdfium.FPDF_LoadMemDocument64(content, len(content), None)
    if not document:
        raise Refused("password" if pdfium.FPDF_GetLastError() == PASSWORD else "damaged")
    count = pdfium.FPDF_GetPageCount(document)
    if count > pages:
        raise Refused("sheets")
    found, left, lines_left = [], characters, lines
    for number in range(count):
        page = pdfium.FPDF_LoadPage(document, number)
        if not page:
            raise Refused("damaged")
        text = pdfium.FPDFText_LoadPage(page)
        left -= max(0, pdfium.FPDFText_CountChars(text))
        if left < 0:
            raise Refused("characters")
        pieces = list(islice(_pieces(pdfium, text), page_lines + 1))
        lines_left -= len(pieces)
        if len(pieces) > page_lines or lines_left < 0:
            raise Refused("lines")
        found.append([pdfium.FPDF_GetPageWidthF(page), pdfium.FPDF_GetPageHeightF(page), pieces])
        pdfium.FPDFText_ClosePage(text)
        pdfium.FPDF_ClosePage(page)
    return {"sheets": found, "title": _title(pdfium, document)}


def _title(pdfium: Any, document: Any) -> str:
    size = pdfium.FPDF_GetMetaText(document, b"Title", None, 0)
    buffer = ctypes.create_string_buffer(min(size, 4_000))
    pdfium.FPDF_GetMetaText(document, b"Title", buffer, len(buffer))
    text = buffer.raw.decode("utf-16-le", errors="ignore").rstrip("\0")
    return "".join(letter if letter >= " " else " " for letter in text)  # PostgreSQL takes no NUL


def _pieces(pdfium: Any, text: Any) -> Iterator[list[Any]]:
    """Runs of letters on one line: [text, left, bottom, right, top, bold]. Rotated text is left out."""
    letters: _Letters = []
    box = pdfium.FS_RECTF()
    for index in range(max(0, pdfium.FPDFText_CountChars(text))):
        code = pdfium.FPDFText_GetUnicode(text, index)
        letter = chr(code) if 0 < code < 0x110000 and not 0xD800 <= code < 0xE000 else ""
        if letter in ("\r", "\n"):
            yield from _piece(pdfium, text, letters)
            letters = []
        elif letter in HYPHENS or (letter and letter >= " "):
            letter = "-" if letter in HYPHENS else letter
            if not pdfium.FPDFText_GetLooseCharBox(text, index, box):
                continue
            edges = (box.left, box.bottom, box.right, box.top)
            if not all(-FARTHEST < edge < FARTHEST for edge in edges):  # nor is any of these no number
                continue
            if letters and letter != " " and _apart(letters, edges):
                yield from _piece(pdfium, text, letters)
                letters = []
            letters.append((index, letter, edges))
    yield from _piece(pdfium, text, letters)


def _apart(letters: _Letters, edges: _Edges) -> bool:
    """Whether a letter stands on another line, or behind a gap."""
    before = next((one[2] for one in reversed(letters) if one[1] != " "), None)
    if before is None:
        return False
    height = max(before[3] - before[1], edges[3] - edges[1], 1.0)
    middle = (edges[1] + edges[3] - before[1] - before[3]) / 2
    gap = edges[0] - before[2]
    return bool(abs(middle) > SHIFT * height or gap > GAP * height or gap < -height)


def _piece(pdfium: Any, text: Any, letters: _Letters) -> Iterator[list[Any]]:
    seen = [one for one in letters if one[1] != " "]
    if not seen or abs(pdfium.FPDFText_GetCharAngle(text, seen[0][0])) > 0.1:
        return
    written = "".join(letter for _, letter, _ in letters).strip()
    usual = Counter(round(one[2][3] - one[2][1], 1) for one in seen).most_common(1)[0][0]
    full = [one for one in seen if abs(one[2][3] - one[2][1] - usual) <= 0.1]  # without letters of another size or font
    sample = {full[0][0], full[len(full) // 2][0], full[-1][0]}
    numbers = (
        min(one[2][0] for one in seen),
        min(one[2][1] for one in full),
        max(one[2][2] for one in seen),
        max(one[2][3] for one in full),
    )
    left, bottom, right, top = (round(number, 2) for number in numbers)
    if top <= bottom:  # without a height, so it cannot be seen
        return
    yield [written, left, bottom, right, top, all(_bold(pdfium, text, index) for index in sample)]


def _bold(pdfium: Any, text: Any, index: int) -> bool:
    if pdfium.FPDFText_GetFontWeight(text, index) >= BOLD_WEIGHT:
        return True
    buffer = ctypes.create_string_buffer(200)
    pdfium.FPDFText_GetFontInfo(text, index, buffer, len(buffer), ctypes.byref(ctypes.c_int()))
    name = buffer.value.lower()
    return any(word in name for word in (b"bold", b"black", b"heavy", b"-semi", b"-demi"))


def main() -> None:
    """Reads, and writes what was found or the code of the refusal."""
    seconds, megabytes, *most = map(int, sys.argv[1:])
    bound(seconds, megabytes)
    try:
        found = read(sys.stdin.buffer.read(), *most)
    except Refused as error:
        found = {"refused": str(error)}
    except MemoryError:
        found = {"refused": "memory"}
    json.dump(found, sys.stdout)


if __name__ == "__main__":
    main()
