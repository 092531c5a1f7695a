"""The vocabularies of the data folder: tables loaded from files, and embedded ones; each is swapped whole
or not at all, and carries its version and the SHA-256 of the file that it came from."""

import gzip
import hashlib
import json
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from itertools import islice, takewhile
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

from annotate.entities.loaders import BadVocabulary, RowReport
from annotate.entities.vocabulary_files import (
    embedded_entries,
    embedded_sha256,
    embedded_version,
    entries_of,
    format_of,
)
from annotate.project.home import folder
from annotate.project.whole_files import locked, write_whole
from annotate.topics.schema import KindEntry
from annotate.topics.vocabularies import Vocabulary
from db.base import utc_now
from model.entities.kinds import Entry
from model.entities.lexicon import FORMAT, BadLexicon, Lexicon
from model.entities.texts.abbreviations import abbreviations, expanded
from model.files import sha256_of
from model.names import fold, fold_name

NAMING = 2  # raise it when the names of an entry are made in another way: lexicons are compiled again
LOADING = ".loading-"


@dataclass(frozen=True, slots=True)
class Table:
    """A loaded table: where its entries lie, what it came from, and how many entries and names it has."""

    vocabulary: str
    source: str
    format: str
    version: str
    sha256: str
    entries: int
    names: int
    organisms: tuple[str, ...]
    loaded_at: str

    @property
    def file(self) -> str:
        """The name of the file of its entries."""
        return f"{self.vocabulary}-{self.sha256[:16]}.tsv.gz"


def root() -> Path:
    """The folder of the vocabularies, made if missing."""
    return folder("vocabularies")


def loaded_tables(vocabulary: Vocabulary | None = None) -> list[Table]:
    """The tables that were loaded, the newest first. Raises BadVocabulary where the list cannot be read."""
    path = root() / "tables.json"
    if not path.exists():
        return []
    try:
        rows = [Table(**{**row, "organisms": tuple(row["organisms"])}) for row in json.loads(path.read_text())]
    except (ValueError, TypeError, KeyError) as error:
        raise BadVocabulary(f"{path.name} in the folder of vocabularies is damaged: {error}") from error
    return [row for row in rows if vocabulary in (None, row.vocabulary)]


def load_vocabulary(
    path: Path,
    shown: str = "",
    progress: Callable[[int], None] = lambda done: None,
    cancelled: Callable[[], bool] = lambda: False,
) -> dict[str, Any]:
    """Loads a file of names; returns the loaded table and a report of the rows left out.

    A table replaces one of the same format about the same organisms, and the embedded genes of its organisms. Nothing
    changes where the file is refused (BadVocabulary), or where `cancelled` says so meanwhile.
    """
    with locked(root(), given_up=cancelled) as mine:
        return _load(path, shown, progress, cancelled) if mine else {"cancelled": True}


def _load(path: Path, shown: str, progress: Callable[[int], None], cancelled: Callable[[], bool]) -> dict[str, Any]:
    for left in root().glob(f"{LOADING}*"):  # of processes that were killed: no other process is loading
        shutil.rmtree(left, ignore_errors=True)
    known = format_of(path)
    report = RowReport()
    partial = Path(mkdtemp(prefix=LOADING, dir=root()))
    try:
        numbered = enumerate(entries_of(path, report, progress))
        entries = (entry for _, entry in takewhile(lambda one: one[0] % 5_000 or not cancelled(), numbered))
        count, names, organisms = _written(partial / "table", entries)
        if cancelled():
            return {"cancelled": True}
        table = Table(
            vocabulary=str(known.vocabulary), source=shown or path.name, format=known.name,
            version=report.version or "not told", sha256=sha256_of(path), entries=count, names=names,
            organisms=tuple(sorted(organisms)) if known.vocabulary is Vocabulary.GENES else (), loaded_at=utc_now(),
        )  # fmt: skip
        (partial / "table").replace(root() / table.file)
        same = (table.vocabulary, table.format, table.organisms)
        _keep([table, *(row for row in loaded_tables() if (row.vocabulary, row.format, row.organisms) != same)])
    finally:
        shutil.rmtree(partial, ignore_errors=True)
    return asdict(table) | {
        "rows": report.rows,
        "left_out": report.left_out,
        "failures": list(map(list, report.failures)),
    }


def _written(path: Path, entries: Iterable[Entry]) -> tuple[int, int, set[str]]:
    """Writes entries one by one into a packed file; returns how many there were, their names and organisms."""
    count, names, organisms = 0, 0, set[str]()
    with gzip.open(path, "wt", encoding="utf-8", compresslevel=3, newline="\n") as stream:
        for entry in entries:
            stream.write(entry.as_line() + "\n")
            count += 1
            names += 1 + len(entry.synonyms) + len(entry.descriptions)
            organisms.add(entry.organism)
    return count, names, organisms - {""}


def _read(table: Table) -> Iterator[Entry]:
    with gzip.open(root() / table.file, "rt", encoding="utf-8", newline="\n") as stream:
        for line in stream:
            yield Entry.of_line(line.rstrip("\n"))


def _keep(tables: Sequence[Table]) -> None:
    """Makes these the loaded tables, whose list changes whole, and removes the files of the others."""
    gone = {row.file for row in loaded_tables()} - {row.file for row in tables}
    write_whole(root() / "tables.json", json.dumps([asdict(row) for row in tables], indent=1).encode())
    for name in gone:
        (root() / name).unlink(missing_ok=True)


def remove_tables(vocabulary: Vocabulary) -> int:
    """Goes back to the embedded vocabulary; returns how many tables were taken away."""
    with locked(root()):
        gone = loaded_tables(vocabulary)
        _keep([row for row in loaded_tables() if row.vocabulary != vocabulary])
    return len(gone)


def version_of(vocabulary: Vocabulary) -> str:
    """Names the content of a vocabulary as it is now: 12 digits of a hash over its tables."""
    parts = [embedded_sha256(vocabulary), *(row.sha256 for row in loaded_tables(vocabulary)), str(FORMAT), str(NAMING)]
    return hashlib.sha256(" ".join(parts).encode()).hexdigest()[:12]


def entries_now(vocabulary: Vocabulary) -> Iterator[Entry]:
    """The entries of a vocabulary: first from the loaded tables, then the embedded ones that these do not cover.

    Entries of one identifier are one: the newest table's symbol, and the names of all.
    """
    tables = loaded_tables(vocabulary)
    covered = frozenset(taxon for row in tables for taxon in row.organisms)
    parts: list[Iterator[Entry]] = [_read(row) for row in tables]
    embedded = embedded_entries(vocabulary)
    if vocabulary is Vocabulary.GENES:
        embedded = (entry for entry in embedded if entry.organism not in covered)
    parts.append(embedded)
    if len(parts) == 1:
        yield from parts[0]
        return
    merged: dict[str, Entry] = {}
    for part in parts:
        for entry in part:
            known = merged.get(entry.identifier)
            merged[entry.identifier] = entry if known is None else _joined(known, entry)
    yield from merged.values()


def _joined(one: Entry, other: Entry) -> Entry:
    synonyms = dict.fromkeys((*one.synonyms, other.name, *other.synonyms))
    return replace(
        one,
        synonyms=tuple(name for name in synonyms if name != one.name),
        descriptions=tuple(dict.fromkeys((*one.descriptions, *other.descriptions))),
        organism=one.organism or other.organism,
        authority=one.authority or other.authority,
    )


def lexicon_of(vocabulary: Vocabulary) -> Lexicon:
    """The compiled vocabulary as it is now, compiled on first use (some seconds), then read from the data folder."""
    return _lexicon(vocabulary, version_of(vocabulary), root())


def is_compiled(vocabulary: Vocabulary) -> bool:
    """Whether `lexicon_of` has it ready as it is now: compiling the genes would keep a page waiting."""
    return _compiled_at(vocabulary, version_of(vocabulary), root()).exists()


def _compiled_at(vocabulary: Vocabulary, version: str, within: Path) -> Path:
    return within / f"compiled-{vocabulary}-{version}"


@lru_cache(maxsize=8)
def _lexicon(vocabulary: Vocabulary, version: str, within: Path) -> Lexicon:
    path = _compiled_at(vocabulary, version, within)
    if path.exists():
        with suppress(BadLexicon):
            return Lexicon.load(path)
        shutil.rmtree(path)
    built = Lexicon.build(_with_plurals(entries_now(vocabulary), vocabulary))
    partial = Path(mkdtemp(prefix=".compiling-", dir=within))
    try:
        built.save(partial)
        with suppress(OSError):  # another process was first
            partial.rename(path)
    finally:
        shutil.rmtree(partial, ignore_errors=True)
    for old in within.glob(f"compiled-{vocabulary}-*"):
        if old != path:
            shutil.rmtree(old, ignore_errors=True)
    return built


def _with_plurals(entries: Iterator[Entry], vocabulary: Vocabulary) -> Iterator[Entry]:
    for entry in entries:
        if vocabulary is Vocabulary.CELL_TYPES:
            names = (entry.name, *entry.synonyms)
            plurals = tuple(f"{name}s" for name in names if name[-1:].isalpha() and not name.endswith("s"))
            yield Entry(entry.identifier, entry.name, (*entry.synonyms, *plurals), (), entry.organism)
        else:
            yield entry


def described() -> list[dict[str, Any]]:
    """What `vocabulary list` and the Import page show: each vocabulary, its tables, versions and hashes."""
    shown = []
    for vocabulary in Vocabulary:
        tables = loaded_tables(vocabulary)
        shown.append(
            {
                "vocabulary": str(vocabulary),
                "version": version_of(vocabulary),
                "tables": [
                    *(asdict(table) for table in tables),
                    {
                        "source": "embedded", "version": embedded_version(vocabulary),
                        "sha256": embedded_sha256(vocabulary),
                    },
                ],
            }
        )  # fmt: skip
    return shown


_ENTRIES = 2  # of a vocabulary that a name may mean


def vocabulary_names(kind: KindEntry, name: str) -> Iterator[str]:
    """The names of the entries that a name means in the vocabularies of a kind, the official name first.

    None of a vocabulary that was not compiled yet: recognising names does that, and takes a minute for the genes.
    """
    for vocabulary in (each for each in Vocabulary if each in kind.vocabularies and is_compiled(each)):
        for entry in islice(_entries(vocabulary, name), _ENTRIES):
            yield from (other for _, other in entry.names())


def _entries(vocabulary: Vocabulary, name: str) -> Iterator[Entry]:
    lexicon = lexicon_of(vocabulary)
    key = lexicon.key_of(fold_name(name))
    if key is None:
        return
    known = sorted(lexicon.names(key), key=lambda one: one.rank)
    best = [one for one in known if one.rank == known[0].rank]
    yield from (lexicon.entry(row) for row in dict.fromkeys(one.row for one in best))


# A symbol of this many characters is hardly a word of the language.
SYMBOL = 3


def written_out(sentences: Sequence[str]) -> Iterator[str]:
    """The sentences with the abbreviations that they explain themselves written out."""
    long_of = abbreviations(sentences)
    return (expanded(text, long_of) for text in sentences)


def with_other_gene_names(sentences: Sequence[str]) -> Iterator[str]:
    """The sentences with another name of their first gene."""
    lexicon = lexicon_of(Vocabulary.GENES)
    return (renamed(text, lexicon) for text in sentences)


def renamed(text: str, genes: Lexicon) -> str:
    """A text with the first gene that goes by its symbol under its first synonym; as it was where there is none."""
    for start, end, key in genes.find(fold(text)):
        written = text[start:end]
        if len(written) >= SYMBOL and written.isupper() and (other := _synonym(written, genes, key)):
            return text[:start] + other + text[end:]
    return text


def _synonym(written: str, genes: Lexicon, key: int) -> str:
    for name in genes.names(key):
        if name.rank == 0 and name.spelling == written:
            return next((other for other in genes.entry(name.row).synonyms if other != written), "")
    return ""
