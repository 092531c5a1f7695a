"""How well recognised entities agree with those that people marked: strict mentions, and identifiers by document."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass


@dataclass
class Counts:
    """Right, wrong and missed."""

    right: int = 0
    wrong: int = 0
    missed: int = 0

    def add(self, found: set[object], wanted: set[object]) -> None:
        """Counts one document."""
        self.right += len(found & wanted)
        self.wrong += len(found - wanted)
        self.missed += len(wanted - found)

    def as_dict(self) -> dict[str, float]:
        """Precision, recall and their harmonic mean, 0 to 1; 0 where there is nothing to divide by."""
        precision = self.right / max(1, self.right + self.wrong)
        recall = self.right / max(1, self.right + self.missed)
        f1 = 2 * self.right / max(1, 2 * self.right + self.wrong + self.missed)
        return {"precision": precision, "recall": recall, "f1": f1}


Marked = tuple[int, int, str, tuple[str, ...]]


def score(
    documents: Iterable[tuple[Iterable[Marked], Iterable[Marked]]],
    types: Iterable[str],
    with_identifiers: Iterable[str],
) -> dict[str, Mapping[str, dict[str, float]]]:
    """Scores of (found, marked) pairs, by type. For `mentions` both offsets and the type must agree. For `identifiers`
    each identifier counts once in a document."""
    mentions = {kind: Counts() for kind in types}
    identifiers = {kind: Counts() for kind in with_identifiers}
    for found, marked in documents:
        ours, theirs = list(found), list(marked)
        for kind, counts in mentions.items():
            counts.add({m[:2] for m in ours if m[2] == kind}, {m[:2] for m in theirs if m[2] == kind})
        for kind, counts in identifiers.items():
            counts.add(_identifiers(ours, kind), _identifiers(theirs, kind))
    return {
        "mentions": {kind: counts.as_dict() for kind, counts in mentions.items()},
        "identifiers": {kind: counts.as_dict() for kind, counts in identifiers.items()},
    }


def _identifiers(marked: Iterable[Marked], kind: str) -> set[object]:
    return {identifier for *_, its, names in marked if its == kind for identifier in names}
