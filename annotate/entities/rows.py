"""What a loader gives: entries one by one, and a report of the rows that it could not use."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from model.entities.kinds import Entry

SHOWN = 50  # rows left out that the report names; the others are counted
# Of the rows of a file: a file with more bad ones is another kind of file, or damaged.
MOST_BAD = 0.05


class BadVocabulary(ValueError):
    """A vocabulary that cannot be used; the message names the file and the reason."""


@dataclass
class RowReport:
    """How many rows were read and taken, and (line, reason) of some that were left out."""

    rows: int = 0
    left_out: int = 0
    failures: list[tuple[int, str]] = field(default_factory=list)
    version: str = ""
    cut: str = ""  # why the file is not whole

    def leave_out(self, line: int, reason: str) -> None:
        """Notes a row that cannot be used; line 0 stands for the end, where something is missing."""
        self.left_out += 1
        if line == 0:
            self.cut = reason
        elif len(self.failures) < SHOWN:
            self.failures.append((line, reason))


Lines = Iterator[tuple[int, str]]
Loader = Callable[[Lines, RowReport], Iterator[Entry]]


def short_names(names: list[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Names apart by whether they are written as one word: (symbols and aliases, whole names)."""
    clean = dict.fromkeys(name.strip() for name in names if name.strip() and name.strip() != "-")
    return tuple(name for name in clean if " " not in name), tuple(name for name in clean if " " in name)
