"""The names of one kind of entity as an automaton (Aho and Corasick 1975): all that stand in a text, in one pass.

Names are kept in one block of bytes, not as objects: 300,000 of them with their automaton take some 150 MB.
"""

import hashlib
import json
from array import array
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Self

import ahocorasick

from model.entities.kinds import Entry
from model.files import sha256_of
from model.names import BREAK, Folded, fold_name

FORMAT = 2  # of the files; files of another format are compiled again
LONGEST = 70  # folded characters; longer names are sentences
# A name of more things than this says nothing: "hypothetical protein".
MOST_ENTRIES = 40
_ARRAYS = ("posting_starts", "posting_entries", "posting_ranks", "spelling_starts", "entry_starts")


class BadLexicon(RuntimeError):
    """The files of a lexicon are not those that were written."""


@dataclass(frozen=True, slots=True)
class Name:
    """One spelling of an entry: its row in the lexicon, the rank (see `Entry.names`) and how it was written."""

    row: int
    rank: int
    spelling: str


class Lexicon:
    """The entries of one kind and the automaton of their names. Made by `build` or `load`; never changed."""

    def __init__(
        self, automaton: ahocorasick.Automaton, arrays: dict[str, "array[int]"], spellings: bytes, entries: bytes
    ):
        self._automaton = automaton
        self._arrays = arrays
        self._spellings = spellings
        self._entries = entries
        # Rows in the order of their identifiers' hashes, to find an entry by its identifier.
        hashes = sorted((_hash(self.identifier(row)), row) for row in range(len(self)))
        self._hashes = array("q", (value for value, _ in hashes))
        self._rows = array("l", (row for _, row in hashes))
        self._organisms: frozenset[str] | None = None

    def __len__(self) -> int:
        return len(self._arrays["entry_starts"]) - 1

    def _line(self, row: int) -> str:
        starts = self._arrays["entry_starts"]
        return self._entries[starts[row] : starts[row + 1]].decode()

    def identifier(self, row: int) -> str:
        """The identifier of the entry in this row."""
        starts = self._arrays["entry_starts"]
        return self._entries[starts[row] : self._entries.index(b"\t", starts[row])].decode()

    def entry(self, row: int) -> Entry:
        """The entry in this row."""
        return Entry.of_line(self._line(row))

    def organism(self, row: int) -> str:
        """The organism of the entry in this row, or nothing."""
        return self._line(row).split("\t")[4]

    def organisms(self) -> frozenset[str]:
        """The organisms whose entries are here."""
        if self._organisms is None:
            self._organisms = frozenset(self.organism(row) for row in range(len(self))) - {""}
        return self._organisms

    def by_identifier(self, identifier: str) -> Entry | None:
        """The entry with this identifier, if there is one."""
        wanted = _hash(identifier)
        place = bisect_right(self._hashes, wanted - 1)
        while place < len(self._hashes) and self._hashes[place] == wanted:
            if self.identifier(self._rows[place]) == identifier:
                return self.entry(self._rows[place])
            place += 1
        return None

    def names(self, key: int) -> list[Name]:
        """The entries that a folded name belongs to, by its number."""
        arrays = self._arrays
        span = range(arrays["posting_starts"][key], arrays["posting_starts"][key + 1])
        starts = arrays["spelling_starts"]
        spelled = (self._spellings[starts[at] : starts[at + 1]].decode() for at in span)
        rows, ranks = arrays["posting_entries"], arrays["posting_ranks"]
        return [Name(rows[at], ranks[at], spelling) for at, spelling in zip(span, spelled, strict=True)]

    def key_of(self, folded: str) -> int | None:
        """The number of a folded name, None where there is none like it."""
        found: int | None = self._automaton.get(folded, None) if folded else None
        return found

    def find(self, text: Folded) -> Iterator[tuple[int, int, int]]:
        """(start, end, number of the name) of each name in a text, offsets of the original; they may overlap."""
        lengths = self._arrays["lengths"]
        last, first, starts, ends = text.last, text.first, text.starts, text.ends
        for at, key in self._automaton.iter(text.text):
            if last[at]:
                begin = at + 1 - lengths[key]
                if first[begin]:
                    yield starts[begin], ends[at], key

    def save(self, folder: Path) -> None:
        """Writes the lexicon into an empty folder, with the SHA-256 of each file."""
        self._automaton.save(str(folder / "automaton"))
        for name in (*_ARRAYS, "lengths"):
            (folder / name).write_bytes(self._arrays[name].tobytes())
        (folder / "spellings").write_bytes(self._spellings)
        (folder / "entries").write_bytes(self._entries)
        files = {path.name: sha256_of(path) for path in sorted(folder.iterdir())}
        (folder / "lexicon.json").write_text(json.dumps({"format": FORMAT, "files": files}))

    @classmethod
    def load(cls, folder: Path) -> Self:
        """Reads what `save` wrote. Raises BadLexicon where a file is missing or another one than was written."""
        try:
            manifest = json.loads((folder / "lexicon.json").read_text())
            if manifest["format"] != FORMAT:
                raise BadLexicon(f"{folder.name} is of another release")
            for name, sha256 in manifest["files"].items():
                if sha256_of(folder / name) != sha256:
                    raise BadLexicon(f"{name} of {folder.name} is damaged")
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise BadLexicon(f"{folder.name} cannot be read: {error}") from error
        arrays = {name: array("I", (folder / name).read_bytes()) for name in (*_ARRAYS, "lengths")}
        # The numbers of the names are in the automaton itself: nothing is unpickled.
        automaton = ahocorasick.load(str(folder / "automaton"), _refuse_pickles)
        return cls(automaton, arrays, (folder / "spellings").read_bytes(), (folder / "entries").read_bytes())

    @classmethod
    def build(cls, entries: Iterable[Entry]) -> Self:
        """A lexicon of entries.

        Names of more than MOST_ENTRIES entries are left out. So are names that fold to less than two characters, to
        nothing but digits or to more than LONGEST."""
        postings: dict[str, list[tuple[int, int, str]]] = {}
        blocks: list[bytes] = []
        for row, entry in enumerate(entries):
            blocks.append(entry.as_line().encode())
            seen = set()
            for rank, name in entry.names():
                folded = fold_name(name)
                letters = folded.replace(BREAK, "").replace(" ", "")
                worth = len(letters) >= 2 and len(folded) <= LONGEST and not (letters.isdigit() and len(letters) < 3)
                if worth and folded not in seen:
                    seen.add(folded)
                    postings.setdefault(folded, []).append((row, rank, name))
        return cls._compiled(postings, blocks)

    @classmethod
    def _compiled(cls, postings: dict[str, list[tuple[int, int, str]]], blocks: list[bytes]) -> Self:
        automaton = ahocorasick.Automaton(ahocorasick.STORE_INTS)
        arrays = {name: array("I") for name in (*_ARRAYS, "lengths")}
        spellings: list[bytes] = []
        place, key = 0, 0
        for folded, rows in postings.items():
            if len(rows) > MOST_ENTRIES:
                continue
            automaton.add_word(folded, key)
            key += 1
            arrays["posting_starts"].append(len(spellings))
            arrays["lengths"].append(len(folded))
            for row, rank, name in rows:
                arrays["posting_entries"].append(row)
                arrays["posting_ranks"].append(rank)
                arrays["spelling_starts"].append(place)
                spellings.append(name.encode())
                place += len(spellings[-1])
        arrays["posting_starts"].append(len(spellings))
        arrays["spelling_starts"].append(place)
        if not key:
            automaton.add_word(BREAK * 3, 0)  # nothing folds to it; an automaton of no words cannot be made
            arrays["posting_starts"].append(len(spellings))
            arrays["lengths"].append(3)
        automaton.make_automaton()
        start = 0
        for block in blocks:
            arrays["entry_starts"].append(start)
            start += len(block)
        arrays["entry_starts"].append(start)
        return cls(automaton, arrays, b"".join(spellings), b"".join(blocks))


def _hash(identifier: str) -> int:
    return int.from_bytes(hashlib.blake2b(identifier.encode(), digest_size=7).digest(), "big")


def _refuse_pickles(_: bytes) -> object:
    raise BadLexicon("an automaton holds more than numbers")
