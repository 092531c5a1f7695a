"""Long articles in parts: windows of whole sentences that overlap, and one score a sentence from what came back."""

from collections.abc import Mapping, Sequence

Scores = Mapping[int, float]


def windows_of(lengths: Sequence[int], most: int, overlap: int) -> list[range]:
    """Ranges of positions that cover all sentences, each of at most `most` characters, by the sentences' lengths.

    A sentence is never cut: a longer one is a window of its own. Each window begins with the last `overlap` sentences
    of the one before, fewer where it would hold nothing new.
    """
    windows: list[range] = []
    start = 0
    while start < len(lengths):
        end, used = start, 0
        while end < len(lengths) and (end == start or used + lengths[end] <= most):
            used += lengths[end]
            end += 1
        windows.append(range(start, end))
        if end == len(lengths):
            break
        start = _next_start(lengths, end, most, min(overlap, end - start - 1))
    return windows


def _next_start(lengths: Sequence[int], end: int, most: int, overlap: int) -> int:
    """Where the next window begins so that the sentence at `end` still fits into it."""
    start = end
    used = lengths[end]
    while end - start < overlap and used + lengths[start - 1] <= most:
        start -= 1
        used += lengths[start]
    return start


def merged(parts: Sequence[Scores], count: int) -> list[float]:
    """One score for each of `count` sentences: the mean of those that the windows gave it."""
    given: list[list[float]] = [[] for _ in range(count)]
    for part in parts:
        for position, score in part.items():
            given[position].append(score)
    return [round(sum(scores) / len(scores), 6) for scores in given]
