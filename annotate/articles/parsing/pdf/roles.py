"""What a block of lines is: a heading, a caption, a note, a label within a figure, or text."""

import re
from collections.abc import Iterator, Sequence
from enum import StrEnum

from annotate.articles.parsing.pdf.blocks import Block
from annotate.articles.parsing.section_names import LONGEST, is_main

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
