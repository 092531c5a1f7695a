"""Lines that belong together, and what each block is: a paragraph, a heading, a caption, a note, a label."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise
from statistics import median

from annotate.articles.parsing.outline import LONGEST, is_main
from annotate.articles.parsing.pdf.bounded import Line

# As parts of the height of a line, measured on the articles and layouts that the rules were chosen on.
INDENT = 0.6
ALIGNED = 0.3
WIDER = 1.3  # times the usual distance of two lines: a gap between paragraphs
SHORT = 0.2  # of the column's width: a line that ends so far before its edge is a last one
SAME_SIZE = 0.07
_ENDS = (".", "?", "!", ":", ".”", '."', ".)", ".]")


@dataclass(frozen=True, slots=True)
class Block:
    """Lines of one size that follow each other in a column."""

    lines: tuple[Line, ...]
    page: int
    run: int

    @property
    def height(self) -> float:
        """The height of the block's first line."""
        return self.lines[0].height

    @property
    def bold(self) -> bool:
        """Whether all of it is."""
        return all(line.bold for line in self.lines)

    @property
    def text(self) -> str:
        """The block's lines in their order, joined by spaces, to check how it begins."""
        return " ".join(line.text for line in self.lines)

    @property
    def ends(self) -> bool:
        """Whether its last line ends a sentence."""
        return ends_sentence(self.lines[-1].text)


def ends_sentence(text: str) -> bool:
    """Whether a text ends as sentences do, but for numbers of references behind it."""
    return text.rstrip("0123456789,–- ").endswith(_ENDS) or text.endswith(_ENDS)


def usual_height(lines: Iterable[Line]) -> float:
    """The height of the lines that hold the most letters, which is the height of body text."""
    counts: Counter[float] = Counter()
    for line in lines:
        counts[round(line.height, 1)] += len(line.text)
    return counts.most_common(1)[0][0]


def blocks_of(run: Sequence[Line], page: int, number: int) -> Iterator[Block]:
    """The blocks of a column, the run of this number, from the top down."""
    edges = Counter(round(line.left) for line in run)
    left = float(min(edges, key=lambda edge: (-edges[edge], edge)))
    right = sorted(line.right for line in run)[int(0.9 * (len(run) - 1))]  # that of the longer lines
    steps = [above.middle - below.middle for above, below in pairwise(run)]
    step = median([found for found in steps if found > 0] or [run[0].height])
    open_: list[Line] = [run[0]]
    for above, line in pairwise(run):
        if _parted(above, line, step) or _begins(above, line, left, right):
            yield Block(tuple(open_), page, number)
            open_ = []
        open_.append(line)
    yield Block(tuple(open_), page, number)


def _parted(above: Line, line: Line, step: float) -> bool:
    """Whether two lines are of another size or weight, or stand apart."""
    usual = min(step, 1.6 * line.height) if step > 0 else line.height
    apart = above.middle - line.middle
    resized = abs(line.height / above.height - 1) > SAME_SIZE
    return resized or line.bold is not above.bold or apart > WIDER * max(usual, 0.8 * line.height) or apart < 0


def _begins(above: Line, line: Line, left: float, right: float) -> bool:
    """Whether a line begins a paragraph: it is indented, or hangs out, or the one above it is a last one."""
    indented = line.left > left + INDENT * line.height and above.left <= left + ALIGNED * line.height
    hangs = line.left < left - INDENT * line.height and above.left > line.left + ALIGNED * line.height
    short = above.right < right - SHORT * (right - left) and ends_sentence(above.text)
    return indented or hangs or short


LARGER, SMALLER = 1.06, 0.93  # times the height of the text's lines
_CAPTION = re.compile(
    r"(?:supplement(?:ary|al) )?(?:extended data )?(?:fig(?:ure|\.)?|table|scheme|box|chart|plate)\s*S?\d{1,3}[A-Z]?"
    r"(?P<sign>\s*[.:|—–])?(?=\s|$)",
    re.IGNORECASE,
)
_FRONT = re.compile(
    r"key ?words?\b|abbreviations?:|citation:|received\b|accepted\b|published\b|copyright\b|©|editor:|academic editor"
    r"|\*? ?e-?mail|\*? ?correspond|\* to whom|funding:|competing interests:|doi:|https?://|licen[sc]e",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\W\d_]{3,}")


class Role(StrEnum):
    """What becomes of a block: labels and front matter are left out."""

    HEADING = "heading"
    CAPTION = "caption"
    NOTE = "note"
    TEXT = "text"
    LABEL = "label"
    FRONT = "front matter"


def roles_of(blocks: Sequence[Block], usual: float) -> Iterator[Role]:
    """The role of each, from the usual height of the text's lines."""
    caption = False
    for number, block in enumerate(blocks):
        last = number + 1 == len(blocks) or blocks[number + 1].run != block.run
        role = _role(block, usual, last=last)
        if caption and role in (Role.TEXT, Role.NOTE, Role.LABEL) and block.height < LARGER * usual:
            role = Role.CAPTION  # what follows a label that stands alone: Figure 1.
        caption = role is Role.CAPTION and _CAPTION.fullmatch(block.text) is not None
        yield role


def _role(block: Block, usual: float, *, last: bool) -> Role:
    text, words = block.text, len(block.text.split())
    smaller = block.height < SMALLER * usual
    if (found := _CAPTION.match(text)) and (found["sign"] or block.lines[0].bold or smaller or words < 4):
        return Role.CAPTION
    if _is_heading(block, text, usual):
        return Role.HEADING
    if block.page == 0 and _FRONT.match(text):
        return Role.FRONT
    if not _WORD.search(text):
        return Role.LABEL
    if smaller and last and block.ends and words >= 5:
        return Role.NOTE
    odd = abs(block.height / usual - 1) > 1 - SMALLER
    return Role.LABEL if odd and words < 8 and not block.ends else Role.TEXT


def _is_heading(block: Block, text: str, usual: float) -> bool:
    if is_main(text):
        return True
    if len(text) > LONGEST or len(block.lines) > 3 or block.height < SMALLER * usual or not _WORD.search(text):
        return False
    styled = block.bold or block.height > LARGER * usual or (text.isupper() and len(text) > 6)
    begins = text[0].isupper() or text[0].isdecimal()
    return styled and begins and not text.endswith((".", ",", ";", "-"))
