"""What a task is: items of one, two or three texts with labels, and what every task declares."""

import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import Any

TRAIN, TEST = "train", "test"


class NotInstalled(RuntimeError):
    """A task whose data, or whose package, is not here; the message says what is missing."""


class Kind(StrEnum):
    """The way in which a task uses its texts."""

    SINGLE = "one text, classified"
    SEVERAL = "one text, any number of classes"
    PAIR = "two texts, classified"
    SIMILARITY = "two texts, how similar"
    TRIPLET = "three texts, which one is similar"
    RANKING = "the sentences of an article, ranked"
    SUITE = "a task of another package"


@dataclass(frozen=True, slots=True)
class Item:
    """One item. `label` is a class, a tuple of classes, a number, or 0 and 1; `unit` names the article (or the item
    itself) that is never divided; `part` is train or test; `about` are the characters of the first text, half-open,
    that the label is about: a citation, whose cues then count among the words."""

    texts: tuple[str, ...]
    label: Any
    unit: str = ""
    part: str = TEST
    about: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Items:
    """The items of a task, and what their test part is: test, validation, folds, or all."""

    items: Sequence[Item]
    tested_on: str = TEST

    def of(self, part: str) -> list[Item]:
        """The items of one part."""
        return [item for item in self.items if item.part == part]

    @property
    def sha256(self) -> str:
        """Names texts, labels, units, parts, and what labels are about."""
        return _hash([[*item.texts, item.label, item.unit, item.part, *(item.about or ())] for item in self.items])

    @property
    def paired_sha256(self) -> str:
        """Names what two results must share to be compared: the units and labels that are tested."""
        return _hash([[item.unit, item.label] for item in self.of(TEST)])

    def at_most(self, most: tuple[int, int] | None) -> "Items":
        """At most `most` (training, test) items of the task: whole units, chosen by a hash of their names."""
        if most is None:
            return self
        kept = {
            item for part, count in zip((TRAIN, TEST), most, strict=True) for item in _units_of(self.of(part), count)
        }
        return replace(self, items=[item for item in self.items if (item.part, item.unit) in kept])


def _units_of(items: Sequence[Item], count: int) -> Iterator[tuple[str, str]]:
    sizes: dict[tuple[str, str], int] = {}
    for item in items:
        sizes[item.part, item.unit] = sizes.get((item.part, item.unit), 0) + 1
    taken = 0
    for key in sorted(sizes, key=lambda key: hashlib.sha256(key[1].encode()).digest()):
        if taken and taken + sizes[key] > count:
            return
        taken += sizes[key]
        yield key


def _hash(rows: Sequence[Any]) -> str:
    return hashlib.sha256(json.dumps(rows, ensure_ascii=False).encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Place:
    """Where a task may read: the folders that the user names, and the query of the encoder, where it has its own."""

    folders: tuple[Path, ...] = ()
    query: str | None = None


@dataclass(frozen=True, slots=True)
class Task:
    """One task: how its items are read, how it is measured (the first measure leads), and where it comes from.

    `files` are the names, without ending, that it needs, others that do as well behind a bar; `most` training
    and test items unless all are asked for. `cheap` tasks are those that a retrained version is scored on.
    `note`: why its numbers may mislead, in words for people.
    """

    name: str
    title: str
    kind: Kind
    load: Callable[[Place], Items]
    measures: tuple[str, ...]
    files: tuple[str, ...]
    source: str
    licence: str
    most: tuple[int, int] | None = None
    cheap: bool = False
    note: str = ""
