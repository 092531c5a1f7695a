"""The vocabularies that need no file: the gene tables that the package goatools brings, and lists of our own."""

import ast
import hashlib
import re
from collections.abc import Iterator
from functools import lru_cache
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

from annotate.entities.loaders import RowReport, short_names
from annotate.entities.vocabulary_files import entries_of
from annotate.topics.vocabularies import Vocabulary
from model.entities.kinds import Entry

LISTS = {
    Vocabulary.CELL_LINES: "cell_lines.tsv",
    Vocabulary.CELL_TYPES: "cell_types.tsv",
    Vocabulary.ORGANISMS: "organisms.tsv",
}
# Human, mouse and fly, as of 2016. Of mouse and human both tables are read: each has genes that the other lacks.
GENE_TABLES = {
    "9606": ("genes_NCBI_9606_ProteinCoding.py", "genes_NCBI_9606_All.py"),
    "10090": ("genes_NCBI_10090_ProteinCoding.py", "genes_NCBI_10090_All.py"),
    "7227": ("genes_NCBI_7227_ProteinCoding.py",),
}
_ROW = re.compile(r"\s*(\d+) : NtData\(")
_FIELD = re.compile(
    r"\b(Status|Symbol|Aliases|description|other_designations)=('(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\")"
)
_UNNAMED = re.compile(r"LOC\d+$|[A-Z0-9]+Rik$|Gm\d+$|CR\d+$")
_PSEUDOGENE = re.compile(r"\bpseudogene\b", re.IGNORECASE)
MOST_DESIGNATIONS = 6


class NoGeneTables(RuntimeError):
    """The package that brings the gene tables is not installed, or brings them no more."""


def embedded_entries(vocabulary: Vocabulary) -> Iterator[Entry]:
    """The entries of the embedded vocabulary. Raises NoGeneTables where the package of the genes lacks them."""
    if vocabulary is Vocabulary.GENES:
        for taxon, names in GENE_TABLES.items():
            yield from _genes(taxon, [gene_table(name) for name in names])
    else:
        yield from entries_of(_list(vocabulary), RowReport())


def embedded_version(vocabulary: Vocabulary) -> str:
    """What the embedded vocabulary is of: package and date, or ours."""
    return f"goatools {version('goatools')}, NCBI Gene 2016" if vocabulary is Vocabulary.GENES else "of this release"


@lru_cache(maxsize=8)
def embedded_sha256(vocabulary: Vocabulary) -> str:
    """The SHA-256 of the files that the embedded vocabulary is read from."""
    paths = (
        [gene_table(name) for names in GENE_TABLES.values() for name in names]
        if vocabulary is Vocabulary.GENES
        else [_list(vocabulary)]
    )
    total = hashlib.sha256()
    for path in paths:
        with path.open("rb") as stream:
            total.update(hashlib.file_digest(stream, "sha256").digest())
    return total.hexdigest()


def _list(vocabulary: Vocabulary) -> Path:
    return Path(__file__).parent / "lists" / LISTS[vocabulary]


def gene_table(name: str) -> Path:
    """Where a gene table of goatools lies. It is a Python file of data: it is read as text and never run."""
    found = find_spec("goatools")
    path = Path(found.origin).parent / "test_data" / name if found and found.origin else None
    if path is None or not path.is_file():
        raise NoGeneTables(f"the gene table {name} of the package goatools is not there: install requirements.txt")
    return path


def _genes(taxon: str, paths: list[Path]) -> Iterator[Entry]:
    seen: set[str] = set()
    for path in paths:
        with path.open(encoding="utf-8") as lines:
            for line in lines:
                row = _ROW.match(line)
                if row is None or row[1] in seen:
                    continue
                # Between the quotes as it is, ten times as fast, unless something in it is escaped.
                told = {
                    name: str(ast.literal_eval(text)) if "\\" in text else text[1:-1]
                    for name, text in _FIELD.findall(line)
                }
                entry = _entry(row[1], taxon, told)
                if entry is not None:
                    seen.add(row[1])
                    yield entry


def _entry(identifier: str, taxon: str, told: dict[str, str]) -> Entry | None:
    symbol = told.get("Symbol", "")
    description = told.get("description", "")
    if not symbol or told.get("Status") != "live" or _PSEUDOGENE.search(description):
        return None
    aliases = [name.strip().replace("Dmel\\", "") for name in told.get("Aliases", "").split(", ")]
    if _UNNAMED.match(symbol) and not any(aliases):
        return None
    designations = told.get("other_designations", "").split("|")[:MOST_DESIGNATIONS]
    return Entry(identifier, symbol, *short_names([*aliases, description, *designations], symbol), taxon)
