"""Which rows go through an encoder together: as little padding as pays, and no more at once than fits.

In: how many tokens each row has. Out: lists of places. Needs no torch.
"""

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise

import numpy as np

# Rows of like length are looked at in groups of this many.
GROUP_ROWS = 8


@dataclass(frozen=True, slots=True)
class PassSize:
    """How many tokens, padding included, rows of a training may have together on one kind of device: in a pass or, in
    passes without padding, in a group of attention.

    A pass begins a new one once it has `enough` tokens and the next rows are shorter than `fill` of its longest; or,
    where `fixed_cost` is given, wherever that makes tokens plus `fixed_cost` a pass least, none above `enough`.
    """

    enough: int
    fill: float = 0.0
    fixed_cost: int = 0


def token_batches(lengths: Sequence[int], limit: int) -> list[list[int]]:
    """Indices in batches of like length whose padded size stays within `limit` tokens, longest first."""
    order: list[int] = np.argsort(-np.asarray(lengths), kind="stable").tolist()
    starts = _starts(order, lengths, limit) if order else []
    return [order[start:end] for start, end in pairwise([*starts, len(order)])]


def chunks(lengths: Sequence[int], size: PassSize, parts: int = 1) -> list[list[int]]:
    """Indices of the rows of each pass, longest first. With `parts` above 1 there are as many passes, of like size with
    padding, or a multiple where these would be too large. No pass is empty."""
    if not lengths:
        return []
    order = sorted(range(len(lengths)), key=lambda i: -lengths[i])
    if parts > 1:
        return _alike(order, lengths, size, parts)
    groups = [order[start : start + GROUP_ROWS] for start in range(0, len(order), GROUP_ROWS)]
    longest = [lengths[group[0]] for group in groups]
    cuts = _cheapest(longest, len(order), size) if size.fixed_cost else _filled(longest, len(order), size)
    return [order[start * GROUP_ROWS : end * GROUP_ROWS] for start, end in pairwise(cuts)]


def shares(lengths: Sequence[int], limit: int, parts: int = 1) -> list[list[int]]:
    """Indices of the rows of each pass without padding, longest first. There are `parts` passes of like size, or a
    multiple where these would be above `limit` tokens by more than a row. No pass is empty."""
    order = sorted(range(len(lengths)), key=lambda i: -lengths[i])
    ends = list(accumulate(lengths[i] for i in order))
    number = min(len(order), parts * -(-ends[-1] // (parts * limit))) if order else 0
    cuts = [0]
    for n in range(1, number):
        wanted = bisect_left(ends, ends[-1] * n / number) + 1
        cuts.append(min(max(wanted, cuts[-1] + 1), len(order) - number + n))
    return [order[start:end] for start, end in pairwise([*cuts, len(order)])] if order else []


def _alike(order: Sequence[int], lengths: Sequence[int], size: PassSize, parts: int) -> list[list[int]]:
    number, limit = parts, _least_limit(order, lengths, parts)
    while number < len(order) and size.fixed_cost and limit > size.enough:
        number += parts
        limit = _least_limit(order, lengths, number)
    passes = [list(order[start:end]) for start, end in pairwise([*_starts(order, lengths, limit), len(order)])]
    while len(passes) < min(number, len(order)):
        at = max(range(len(passes)), key=lambda i: (len(passes[i]) > 1, len(passes[i]) * lengths[passes[i][0]]))
        half = len(passes[at]) // 2
        passes[at : at + 1] = [passes[at][:half], passes[at][half:]]
    return passes


def _least_limit(order: Sequence[int], lengths: Sequence[int], number: int) -> int:
    """The least padded size of a pass with which there are at most `number` passes."""
    whole = lengths[order[0]] * len(order)
    return 1 + bisect_left(range(1, whole), 1, key=lambda limit: len(_starts(order, lengths, limit)) <= number)


def _starts(order: Sequence[int], lengths: Sequence[int], limit: int) -> list[int]:
    """Where passes begin that hold as many rows as their padded size allows; a longer row has a pass of its own."""
    starts = [0]
    while (after := starts[-1] + max(1, limit // max(1, lengths[order[starts[-1]]]))) < len(order):
        starts.append(after)
    return starts


def _filled(longest: Sequence[int], rows: int, size: PassSize) -> list[int]:
    """The first group of each pass, and the number of groups. A pass ends where it has enough tokens and the next
    group's rows are much shorter."""
    cuts = [0]
    for number in range(1, len(longest)):
        first = longest[cuts[-1]]
        tokens = _rows(cuts[-1], number, rows) * first
        if tokens >= size.enough and longest[number] < size.fill * first:
            cuts.append(number)
    return [*cuts, len(longest)]


def _cheapest(longest: Sequence[int], rows: int, size: PassSize) -> list[int]:
    """The first group of each pass, and the number of groups. The sum of tokens and fixed costs is the least."""
    best: list[tuple[int, int]] = [(0, 0)]  # (cost of the first n groups, where their last pass begins)
    for end in range(1, len(longest) + 1):
        ways = []
        for start in range(end - 1, -1, -1):
            tokens = _rows(start, end, rows) * longest[start]
            if tokens > size.enough and start < end - 1:
                break
            ways.append((best[start][0] + tokens + size.fixed_cost, start))
        best.append(min(ways))
    cuts = [len(longest)]
    while cuts[0]:
        cuts.insert(0, best[cuts[0]][1])
    return cuts


def _rows(start: int, end: int, rows: int) -> int:
    """The rows of these groups: the last one may be short."""
    return min(end * GROUP_ROWS, rows) - start * GROUP_ROWS
