"""The articles that an import names: files, folders, files of references, and identifiers to fetch."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from annotate.articles.managers.reference_files import identifiers_of, is_reference_file
from annotate.articles.parsing import (
    Member,
    ParsedEntry,
    Wanted,
    compile_pattern,
    find_files,
    members_of,
    read_articles,
    read_member,
)
from annotate.articles.parsing.entry import show_name
from annotate.articles.parsing.seen_files import Opener, SeenFiles, open_named

# What is read next: a file, an unpacked member of a zip, or what is read already.
Unread = Path | Member | ParsedEntry


@dataclass(frozen=True, slots=True)
class Reader:
    """Reads files as an import wants them: only what matches a pattern or has one of these PMIDs, under the names by
    which users know uploads, {path: name}, opened by `opener`, also in other processes."""

    match: str | None = None
    pmids: frozenset[str] | None = None
    names: dict[str, str] = field(default_factory=dict)
    opener: Opener = open_named

    @classmethod
    def of(cls, payload: dict[str, Any]) -> "Reader":
        """The reader for an import's payload. Raises UnusablePattern."""
        if payload.get("match"):
            compile_pattern(payload["match"])
        pmids = frozenset(payload["pmids"]) if payload.get("pmids") is not None else None
        return cls(payload.get("match") or None, pmids, payload.get("names", {}), opener_of(payload))

    def read(self, given: Iterable[Unread], left_out: Callable[[], None]) -> Iterator[ParsedEntry]:
        """The articles of these files and members, and why others are none; `left_out` is called for what is not
        wanted."""
        wanted = self._wanted(left_out)
        for one in given:
            if isinstance(one, ParsedEntry):
                yield one
            elif isinstance(one, Member):
                yield from (self._shown(one.archive, entry) for entry in read_member(one, wanted))
            else:
                found = read_articles(one, wanted.match, wanted.pmids, left_out, self.opener)
                yield from (self._shown(one, entry) for entry in found)

    def opened(self, paths: Iterable[Path], most: int, left_out: Callable[[], None]) -> Iterator[Unread]:
        """The files, or the members of a zip: unread up to `most` bytes, else read."""
        wanted = self._wanted(left_out)
        for path in paths:
            if not is_zip_file(path):
                yield path
                continue
            for one in members_of(path, wanted, most, self.opener):
                yield self._shown(path, one) if isinstance(one, ParsedEntry) else one

    def _wanted(self, left_out: Callable[[], None]) -> Wanted:
        return Wanted(compile_pattern(self.match) if self.match else None, self.pmids, left_out)

    def _shown(self, path: Path, entry: ParsedEntry) -> ParsedEntry:
        """Uploads lie under generated names; the report says what the user called them."""
        shown = self.names.get(str(path))
        return replace(entry, source=entry.source.replace(path.name, show_name(shown), 1)) if shown else entry


@dataclass(frozen=True, slots=True)
class Named:
    """What a payload names: the files to read, what is wrong with files of references, and identifiers to fetch."""

    files: list[Path]
    refused: list[ParsedEntry]
    identifiers: list[str]


def opener_of(payload: dict[str, Any]) -> Opener:
    """What opens the files of a payload: those of a watched folder as they were seen, the others by their names."""
    return SeenFiles(payload["signs"]) if payload.get("watched") else open_named


def is_zip_file(path: Path) -> bool:
    """By its name: what it holds is told by who opens it."""
    return path.suffix.lower() == ".zip"


def named_in(payload: dict[str, Any]) -> Named:
    """The files and identifiers of a payload, those within files of references too. Raises FileNotFoundError."""
    names, identifiers = payload.get("names", {}), dict.fromkeys(payload.get("identifiers") or [])
    files, refused = [], []
    paths = [Path(path) for path in payload.get("paths", [])]
    # A watched folder names its files one by one: one that went meanwhile is told, and the others are imported.
    for path in paths if payload.get("watched") else find_files(paths):
        if not is_reference_file(path):
            files.append(path)
            continue
        found, wrong = identifiers_of(path, names.get(str(path), ""), opener_of(payload))
        identifiers |= dict.fromkeys(found)
        refused += wrong
    return Named(files, refused, [*identifiers])


def fetched(identifiers: list[str]) -> Iterator[ParsedEntry]:
    """The articles of these identifiers, from Europe PMC."""
    if identifiers:
        from annotate.articles.europepmc import EuropePmc  # noqa: PLC0415 (requests is needed by few imports)

        with EuropePmc() as client:
            yield from client.fetch_all(identifiers)
