"""Entries as a compressed table in the data folder: one line an entry, lists apart by bars."""

import gzip
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from model.entities.kinds import Entry


@dataclass
class Counted:
    """What a table holds."""

    entries: int = 0
    names: int = 0
    organisms: set[str] = field(default_factory=set)


def write_table(path: Path, entries: Iterable[Entry]) -> Counted:
    """Writes entries one by one; returns how many there were, their names and organisms."""
    counted = Counted()
    with gzip.open(path, "wt", encoding="utf-8", compresslevel=3, newline="\n") as stream:
        for entry in entries:
            lists = ("|".join(map(_clean, names)) for names in (entry.synonyms, entry.descriptions))
            told, more = (entry.identifier, entry.name), (entry.organism, entry.authority)
            fields = (*map(_clean, told), *lists, *map(_clean, more))
            stream.write("\t".join(fields) + "\n")
            counted.entries += 1
            counted.names += 1 + len(entry.synonyms) + len(entry.descriptions)
            if entry.organism:
                counted.organisms.add(entry.organism)
    return counted


def read_table(path: Path) -> Iterator[Entry]:
    """The entries that `write_table` wrote."""
    with gzip.open(path, "rt", encoding="utf-8", newline="\n") as stream:
        for line in stream:
            identifier, name, synonyms, descriptions, organism, authority = line.rstrip("\n").split("\t")
            yield Entry(identifier, name, _list(synonyms), _list(descriptions), organism, authority)


def _clean(name: str) -> str:
    return " ".join(name.replace("|", " ").split())


def _list(names: str) -> tuple[str, ...]:
    return tuple(names.split("|")) if names else ()
