"""Running heads and feet, page numbers and numbers of lines: what stands on pages and is none of the text."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from annotate.articles.parsing.pdf.bounded import Line, Page

# The part of a page, at its head and at its foot, where such lines stand.
MARGIN = 0.1
ALONE = 2.0  # times its height without another line above and below
_PAGE_NUMBER = re.compile(r"(?:page |p\. ?)?[\divx]{1,6}(?: ?(?:of|/) ?\d{1,4})?", re.IGNORECASE)
_DIGITS = re.compile(r"\d+")
_LINES_NUMBERED = 15  # on one page, from which numbers in the margin are line numbers


def without_margins(pages: Sequence[Page]) -> list[Page]:
    """The pages without them. What stands at the head or foot of two pages, but for its digits, is no text."""
    seen = Counter(key for page in pages for key in {_key(line) for line in page.lines if _in_margin(line, page)})
    return [_cleared(page, seen, later=number > 0) for number, page in enumerate(pages)]


def _cleared(page: Page, seen: Counter[str], *, later: bool) -> Page:
    kept = [
        line
        for line in page.lines
        if not (_in_margin(line, page) and (seen[_key(line)] > 1 or _PAGE_NUMBER.fullmatch(line.text)))
        and not (later and _in_margin(line, page) and _is_alone(line, page))
    ]
    numbers = [line for line in kept if line.text.isdecimal() and line.right < 0.15 * page.width]
    if len(numbers) >= _LINES_NUMBERED:
        kept = [line for line in kept if line not in numbers]
    return replace(page, lines=tuple(kept))


def _in_margin(line: Line, page: Page) -> bool:
    return not MARGIN * page.height <= line.middle <= (1 - MARGIN) * page.height


def _is_alone(line: Line, page: Page) -> bool:
    """Whether nothing stands near a line but what is on its height, as with heads and feet."""
    apart = (abs(line.middle - other.middle) / line.height for other in page.lines)
    return all(not 0.5 < distance < ALONE for distance in apart)


def _key(line: Line) -> str:
    return _DIGITS.sub("#", line.text.casefold())
