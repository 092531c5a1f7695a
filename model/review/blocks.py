"""Lots in blocks: of each BLOCK articles that the queue hands out the share is drawn exactly, in places left to chance.

Independent draws would leave a small share out for long: of 23 articles, one in eleven times none of a tenth.
"""

import math

BLOCK = 20  # articles: of 5 in a hundred one
MOST_BLOCKS = 50  # a share is told in articles of at most this many blocks


def in_block(share: float, block: int) -> int:
    """How many articles of a block, counted from 0, are of the share: over all blocks it is the share."""
    until, before = (math.floor(round(number * share * BLOCK, 6)) for number in (block + 1, block))
    return until - before


def chance(share: float, handed: int, drawn: int, *, never_first: bool = False) -> float:
    """The probability with which the next article is of the share.

    `handed`: articles handed out before. `drawn`: how many of them are of the share, of those that fill no whole block.
    What was drawn too much or too little in earlier blocks is not made up for. With `never_first` a block begins with
    an article that is not of the share, unless all are. Source: Zelen 1974 (permuted blocks).
    """
    place, wanted = handed % BLOCK, in_block(share, handed // BLOCK)
    if never_first and not place and wanted < BLOCK:
        return 0.0
    return min(1.0, max(0, wanted - drawn) / (BLOCK - place))


def share_in_words(share: float) -> str:
    """As in 5 of every 20 articles; in per cent where no number of blocks holds it in whole articles."""
    for blocks in range(1, MOST_BLOCKS + 1):
        number = share * BLOCK * blocks
        if math.isclose(number, round(number), abs_tol=1e-6):
            return f"{round(number):,} of every {BLOCK * blocks:,} articles"
    return f"{100 * share:.4g}% of the articles"
