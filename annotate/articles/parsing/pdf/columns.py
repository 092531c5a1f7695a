"""The order in which the lines of a page are read: columns from left to right, between what spans them; what
stands in the margins is left out."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from statistics import mean, median

from annotate.articles.parsing.pdf.bounded import Line, Page

# Chosen on the articles and layouts that `tests/measure/pdf_against_jats.py` calls "chosen on".
NARROWEST = 150.0  # points: narrower columns are not divided any further
SIDE_BY_SIDE = 5  # lines of either column that have a neighbour in the other
LETTERS = 18  # of a mean line on either side: cells of tables hold fewer
ROWS_OF_A_TABLE = 3
STEP = 2.0  # points between the places at which a gap between columns is looked for


def usual_gap(pages: Iterable[Sequence[Line]]) -> float | None:
    """Where columns part on most pages that have any; None where fewer than two have."""
    gaps = [gap for lines in pages if (gap := _gap(lines)) is not None]
    return median(gaps) if len(gaps) > 1 else None


def runs_of(lines: Sequence[Line], usual: float | None = None) -> list[list[Line]]:
    """The lines of a page as columns, or parts of them, in the order of reading; rows of tables are left out.

    `usual`: where columns part on other pages, for one whose short lines do not tell.
    """
    return [joined for run in _divided(list(lines), usual) if (joined := _rows_joined(run))]


def _divided(lines: list[Line], usual: float | None = None) -> list[list[Line]]:
    gap = _gap(lines)
    if gap is None and usual is not None and _is_free(lines, usual):
        gap = usual
    if gap is None:
        return [sorted(lines, key=lambda line: (-line.middle, line.left))]
    found: list[list[Line]] = []
    for spanning, band in _bands(lines, gap):
        if spanning:
            found.append(band)
        else:
            found += _divided([line for line in band if line.right <= gap])
            found += _divided([line for line in band if line.right > gap])
    return [run for run in found if run]


def _is_free(lines: Sequence[Line], gap: float) -> bool:
    """Whether few letters cross a place, and there are lines on both sides of it."""
    crossing = sum(len(line.text) for line in lines if line.left < gap < line.right)
    sides = (sum(line.right <= gap for line in lines), sum(line.left >= gap for line in lines))
    return min(sides) >= SIDE_BY_SIDE and crossing < 0.2 * sum(len(line.text) for line in lines)


def _gap(lines: Sequence[Line]) -> float | None:
    """Where columns part: the place that the fewest letters cross, with enough lines side by side around it."""
    if len(lines) < 2 * SIDE_BY_SIDE:
        return None
    left, right = min(line.left for line in lines), max(line.right for line in lines)
    if right - left < NARROWEST:
        return None
    crossed: list[tuple[float, float]] = []
    place = left + 0.2 * (right - left)
    while place < right - 0.2 * (right - left):
        crossed.append((sum(len(line.text) for line in lines if line.left < place < line.right), place))
        place += STEP
    fewest = min(count for count, _ in crossed)
    places = [place for count, place in crossed if count <= fewest + 2]
    middle = max(_stretches(places), key=len)
    best = middle[len(middle) // 2]
    before = [line for line in lines if line.right <= best]
    behind = [line for line in lines if line.left >= best]
    level = sum(any(_level(one, other) for other in behind) for one in before)
    if min(level, len(before), len(behind)) < SIDE_BY_SIDE:
        return None
    return best if min(mean(len(line.text) for line in side) for side in (before, behind)) >= LETTERS else None


def _stretches(places: Sequence[float]) -> Iterator[list[float]]:
    stretch = [places[0]]
    for before, place in pairwise(places):
        if place - before > 1.5 * STEP:
            yield stretch
            stretch = []
        stretch.append(place)
    yield stretch


def _bands(lines: list[Line], gap: float) -> Iterator[tuple[bool, list[Line]]]:
    """From the top down: lines that span the gap, and what stands between them on both sides of it."""
    spanning, band = False, list[Line]()
    for line in sorted(lines, key=lambda one: (-one.middle, one.left)):
        crosses = line.left < gap < line.right or (spanning and bool(band) and _goes_on(band[-1], line, lines, gap))
        if crosses is not spanning and band:
            yield spanning, band
            band = []
        spanning = crosses
        band.append(line)
    if band:
        yield spanning, band


def _goes_on(above: Line, line: Line, lines: Sequence[Line], gap: float) -> bool:
    """Whether a short line is the end of what spans the gap above it, rather than the first of a column."""
    aligned = abs(line.left - above.left) < 3 or abs(line.left + line.right - above.left - above.right) < 6
    near = above.middle - line.middle < 1.6 * line.height and abs(line.height / above.height - 1) < 0.05
    one_column = not any(_level(line, other) and (other.left > gap) is not (line.left > gap) for other in lines)
    return aligned and near and one_column


def _level(one: Line, other: Line) -> bool:
    """Whether lines of two columns stand side by side, up to half a line higher or lower."""
    return abs(one.middle - other.middle) < 0.75 * max(one.height, other.height)


def _rows_joined(run: list[Line]) -> list[Line]:
    """The lines of a column, pieces that stand side by side joined; rows of tables are left out."""
    rows: list[list[Line]] = []
    for line in run:
        first = rows[-1][0] if rows else line
        if rows and abs(first.middle - line.middle) < 0.4 * max(first.height, line.height):
            rows[-1].append(line)
        else:
            rows.append([line])
    lefts, rights = sorted(row[0].left for row in rows), sorted(row[-1].right for row in rows)
    left, right = (edges[int(0.8 * (len(edges) - 1))] if edges else 0.0 for edges in (lefts, rights))
    tables = _tables([1 if _is_stretched(row, left, right) else len(row) for row in rows])
    return [_joined(row) for number, row in enumerate(rows) if number not in tables]


def _is_stretched(row: Sequence[Line], left: float, right: float) -> bool:
    """Whether the pieces are words of one line that was stretched to both edges: its gaps are even, and not huge."""
    parts = sorted(row, key=lambda line: line.left)
    gaps = [behind.left - before.right for before, behind in pairwise(parts)]
    filled = parts[0].left < left + 2 * row[0].height and parts[-1].right > right - 0.3 * row[0].height
    return filled and max(gaps, default=0.0) < min(1.6 * min(gaps, default=0.0), 3 * row[0].height)


def _tables(pieces: Sequence[int]) -> set[int]:
    """The numbers of the rows that belong to tables, from how many pieces each row has."""
    found: set[int] = set()
    divided = [number for number, count in enumerate(pieces) if count > 1]
    start = 0
    for at, number in enumerate(divided):
        if at and number - divided[at - 1] > 3:
            start = at
        if at - start + 1 >= ROWS_OF_A_TABLE:
            found |= set(range(divided[start], number + 1))
    return found | {number for number, count in enumerate(pieces) if count > 3}


def _joined(row: list[Line]) -> Line:
    if len(row) == 1:
        return row[0]
    parts = sorted(row, key=lambda line: line.left)
    longest = max(parts, key=lambda line: len(line.text))
    text = " ".join(part.text for part in parts)
    edges = {"left": parts[0].left, "right": max(part.right for part in parts)}
    return replace(longest, text=text, bold=all(part.bold for part in parts), **edges)


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
