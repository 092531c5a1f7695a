"""The articles that an import names: files, folders, files of references, and identifiers to fetch."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from annotate.articles.importing.reference_files import is_reference_file, references_of
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

# So often in a row, each after four attempts within a quarter of a minute.
OUT_OF_REACH = 2
# The next thing to read: a file, an unpacked member of a zip, or an article read already.
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
        """The articles, or the reasons why there are none; `left_out` is called for what is not wanted."""
        wanted = self._wanted(left_out)
        for one in given:
            if isinstance(one, ParsedEntry):
                yield one
            elif isinstance(one, Member):
                yield from (self._shown(one.archive, entry) for entry in read_member(one, wanted))
            else:
                yield from (self._shown(one, entry) for entry in read_articles(one, wanted, self.opener))

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
    """The files to read, identifiers to fetch, each with what a file holds of it, and other entries of such files."""

    files: list[Path]
    identifiers: dict[str, ParsedEntry | None]
    others: list[ParsedEntry]


def opener_of(payload: dict[str, Any]) -> Opener:
    """What opens the files of a payload: files of a watched folder as they were seen, the others by their names."""
    return SeenFiles(payload["signs"]) if payload.get("watched") else open_named


def is_zip_file(path: Path) -> bool:
    """By its name: what it holds is told by who opens it."""
    return path.suffix.lower() == ".zip"


def named_in(payload: dict[str, Any]) -> Named:
    """The files and identifiers of a payload, those within files of references too. Raises FileNotFoundError."""
    names = payload.get("names", {})
    opener = opener_of(payload)
    named = Named([], dict.fromkeys(payload.get("identifiers") or []), [])
    paths = [Path(path) for path in payload.get("paths", [])]
    # A watched folder names its files one by one: one that went meanwhile is told, and the others are imported.
    for path in paths if payload.get("watched") else find_files(paths):
        if not is_reference_file(path, opener):
            named.files.append(path)
            continue
        references = references_of(path, names.get(str(path), ""), opener, fetch=payload.get("fetch", True))
        named.others.extend(references.others)
        for identifier, held in references.by_identifier.items():
            known = named.identifiers.get(identifier)
            named.identifiers[identifier] = known if known and known.article else held
    return named


def fetched(identifiers: Mapping[str, ParsedEntry | None]) -> Iterator[ParsedEntry]:
    """The articles of these identifiers from Europe PMC, or as a file of references holds them where that has no
    text of them. Where the service is out of reach several times in a row, it is not asked for those that a file names.
    """
    if not identifiers:
        return
    from annotate.articles.europepmc import EuropePmc  # noqa: PLC0415 (requests is needed by few imports)

    with EuropePmc() as client:
        for identifier, held in identifiers.items():
            if held and client.out_of_reach >= OUT_OF_REACH:
                yield _as_held(held, "the service cannot be reached")
                continue
            found = list(client.fetch_all([identifier]))
            articles = [entry.article for entry in found if entry.article]
            if held and not any(article.sections or not held.article for article in articles):
                yield _as_held(held, next((entry.error for entry in found if entry.error), "it has no abstract"))
            else:
                yield from found


def _as_held(held: ParsedEntry, reason: str) -> ParsedEntry:
    """What a file holds of a reference, with the reason why it was not fetched."""
    if held.article is None:
        return replace(held, error=f"{held.error}, and Europe PMC gave none: {reason}")
    warning = f"stored as the file has it, since Europe PMC gave no text: {reason}"
    return replace(held, article=replace(held.article, warnings=(*held.article.warnings, warning)))
