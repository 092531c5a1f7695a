"""What labelled corpora teach of names: which identifiers a name was given, and how often."""

import json
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

from model.entity_types import EntityType
from model.names import fold_name


@dataclass
class Memory:
    """By type: identifiers of folded names with their counts, and of all names together. May be empty."""

    names: dict[str, dict[str, Counter[str]]] = field(default_factory=dict)
    identifiers: dict[str, Counter[str]] = field(default_factory=dict)
    homes: dict[str, Counter[str]] = field(default_factory=dict)  # by gene, the main organisms of its texts

    def add(self, kind: EntityType, name: str, identifiers: Iterable[str]) -> None:
        """Takes in that somebody gave a name these identifiers."""
        for identifier in identifiers:
            by_name = self.names.setdefault(kind, {})
            by_name.setdefault(fold_name(name), Counter())[identifier] += 1
            self.identifiers.setdefault(kind, Counter())[identifier] += 1

    def place(self, identifier: str, taxon: str) -> None:
        """Takes in that a gene stands in a text that is mainly about this organism."""
        self.homes.setdefault(identifier, Counter())[taxon] += 1

    def home_of(self, identifier: str) -> str:
        """The organism of most texts of a gene, nothing where it was never seen."""
        seen = self.homes.get(identifier)
        return seen.most_common(1)[0][0] if seen else ""

    def of_name(self, kind: EntityType, folded: str) -> Counter[str]:
        """How often a folded name was given each identifier."""
        return self.names.get(kind, {}).get(folded, Counter())

    def count(self, kind: EntityType, identifier: str) -> int:
        """How often an identifier was given at all."""
        return self.identifiers.get(kind, Counter())[identifier]

    def save(self, path: Path) -> None:
        """Writes the memory as JSON."""
        path.write_text(json.dumps({"names": self.names, "homes": self.homes}))

    @classmethod
    def load(cls, path: Path) -> Self:
        """Reads what `save` wrote."""
        stored = json.loads(path.read_text())
        names = {
            kind: {name: Counter(counts) for name, counts in found.items()} for kind, found in stored["names"].items()
        }
        totals = {kind: Counter[str]() for kind in names}
        for kind, found in names.items():
            for counts in found.values():
                totals[kind].update(counts)
        homes = {identifier: Counter(taxa) for identifier, taxa in stored["homes"].items()}
        return cls(names, totals, homes)
