"""The files that a vocabulary can be loaded from, and those that Keyline brings."""

import ast
import hashlib
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache, partial
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

from annotate.entities import loaders
from annotate.entities.loaders import MOST_BAD, BadVocabulary, Lines, Loader, RowReport, short_names
from annotate.project.files.packed_lines import UnreadableFile, text_lines, unpacked
from annotate.topics.vocabularies import Vocabulary
from model.entities.kinds import Entry

_HEAD_BYTES = 4096
_LONGEST_LINE = 1_000_000  # bytes; a file with longer lines is no table
_MOST_BYTES = 1 << 40  # unpacked: all genes of NCBI are 10 GB


@dataclass(frozen=True, slots=True)
class Format:
    """A format: what people call it, the vocabulary it holds, how it begins, and how it is read."""

    name: str
    vocabulary: Vocabulary
    begins: Callable[[str], bool]
    load: Loader


def _begins_with(*beginnings: str) -> Callable[[str], bool]:
    return lambda head: head.startswith(beginnings)


def _is_obo_of(*words: str) -> Callable[[str], bool]:
    return lambda head: head.startswith("format-version") and any(word in head for word in words)


def _is_cellosaurus(head: str) -> bool:
    return not head.startswith("format-") and ("\nAC   CVCL_" in head or "CELLOSAURUS" in head[:600].upper())


_GENES, _LINES, _TYPES, _ORGANISMS = Vocabulary
# A format is a line here; the first one that fits is taken.
FORMATS = (
    Format("NCBI gene_info", _GENES, _begins_with(loaders.GENE_INFO), loaders.gene_info),
    Format("HGNC complete set", _GENES, _begins_with("hgnc_id\tsymbol"), loaders.hgnc),
    Format("gene table", _GENES, _begins_with("gene_id\tsymbol"), loaders.own_genes),
    Format("Cellosaurus", _LINES, _is_cellosaurus, loaders.cellosaurus),
    Format("Cellosaurus OBO", _LINES, _is_obo_of("CVCL_", "ellosaurus"), partial(loaders.obo, prefix="CVCL_")),
    Format("cell line table", _LINES, _begins_with("accession\torganism"), loaders.own_cell_lines),
    Format("Cell Ontology OBO", _TYPES, _is_obo_of("CL:", "ontology: cl"), partial(loaders.obo, prefix="CL:")),
    Format("cell type table", _TYPES, _begins_with("id\tname\tsynonyms"), loaders.own_names),
    Format("NCBI Taxonomy names", _ORGANISMS, lambda head: "\t|\t" in head[:200], loaders.taxonomy),
    Format("organism table", _ORGANISMS, _begins_with("taxon\tname\tsynonyms"), loaders.own_names),
)


def format_of(path: Path) -> Format:
    """The format of a file. Raises BadVocabulary where it is none that is known, or cannot be read."""
    try:
        with unpacked(path, most_bytes=_MOST_BYTES) as stream:
            head = stream.read(_HEAD_BYTES).decode("utf-8", errors="replace").removeprefix("\ufeff")
    except (UnreadableFile, OSError) as error:
        raise BadVocabulary(str(error)) from error
    for known in FORMATS:
        if known.begins(head.replace("\r\n", "\n")):
            return known
    names = ", ".join(known.name for known in FORMATS)
    raise BadVocabulary(f"{path.name} is none of the files that are known: {names}")


def entries_of(path: Path, report: RowReport, progress: Callable[[int], None] = lambda done: None) -> Iterator[Entry]:
    """The entries of a file, one by one; `report` fills meanwhile, `progress` hears of rows that were read.

    Raises BadVocabulary for a file of no known format, or one that is damaged or cut. The same holds for too many bad
    rows, or too few entries to be a vocabulary.
    """
    known = format_of(path)
    taken = 0
    try:
        for entry in known.load(_lines(path, report, progress), report):
            taken += 1
            yield entry
    except (UnreadableFile, OSError) as error:
        raise BadVocabulary(f"{path.name} is damaged or cut, after {report.rows:,} rows: {error}") from error
    if not taken:
        raise BadVocabulary(f"{path.name} holds no entry that can be used, in {report.rows:,} rows")
    if report.cut:
        raise BadVocabulary(f"{path.name}: {report.cut}")
    if report.left_out > max(MOST_BAD * report.rows, 5):
        line, reason = report.failures[0]
        raise BadVocabulary(
            f"{path.name}: {report.left_out:,} of {report.rows:,} rows cannot be used; line {line}, for one, {reason}"
        )


def _lines(path: Path, report: RowReport, progress: Callable[[int], None]) -> Lines:
    for number, line in text_lines(path, most_bytes=_MOST_BYTES, longest_line=_LONGEST_LINE, keep_ends=True):
        if number % 20_000 == 0:
            progress(number)
        report.is_open = not line.endswith("\n")
        yield number, line.rstrip("\r\n")


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
                fields = {
                    name: str(ast.literal_eval(text)) if "\\" in text else text[1:-1]
                    for name, text in _FIELD.findall(line)
                }
                entry = _entry(row[1], taxon, fields)
                if entry is not None:
                    seen.add(row[1])
                    yield entry


def _entry(identifier: str, taxon: str, fields: dict[str, str]) -> Entry | None:
    symbol = fields.get("Symbol", "")
    description = fields.get("description", "")
    if not symbol or fields.get("Status") != "live" or _PSEUDOGENE.search(description):
        return None
    aliases = [name.strip().replace("Dmel\\", "") for name in fields.get("Aliases", "").split(", ")]
    if _UNNAMED.match(symbol) and not any(aliases):
        return None
    designations = fields.get("other_designations", "").split("|")[:MOST_DESIGNATIONS]
    return Entry(identifier, symbol, *short_names([*aliases, description, *designations], symbol), taxon)
