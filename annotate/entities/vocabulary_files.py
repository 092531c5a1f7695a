"""The files that a vocabulary can be loaded from: which one it is, and its entries."""

import gzip
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from annotate.entities import gene_files, other_files
from annotate.entities.rows import MOST_BAD, BadVocabulary, Loader, RowReport
from annotate.topics.vocabularies import Vocabulary
from model.entities.kinds import Entry

_HEAD_BYTES = 4096
_LONGEST_LINE = 1_000_000  # characters; a file with longer lines is no table


@dataclass(frozen=True, slots=True)
class Format:
    """A format: what people call it, the vocabulary it holds, how it begins, and how it is read."""

    name: str
    vocabulary: Vocabulary
    begins: Callable[[str], bool]
    load: Loader


def _begins_with(*beginnings: str) -> Callable[[str], bool]:
    return lambda head: head.startswith(beginnings)


def _is_cellosaurus(head: str) -> bool:
    return not head.startswith("format-") and ("\nAC   CVCL_" in head or "CELLOSAURUS" in head[:600].upper())


def _is_cellosaurus_obo(head: str) -> bool:
    return head.startswith("format-version") and ("CVCL_" in head or "ellosaurus" in head)


def _is_cell_ontology(head: str) -> bool:
    return head.startswith("format-version") and ("CL:" in head or "ontology: cl" in head)


def _is_taxonomy(head: str) -> bool:
    return "\t|\t" in head[:200]


_GENES, _LINES, _TYPES, _ORGANISMS = Vocabulary
# A format is a line here; the first one that fits is taken.
FORMATS = (
    Format("NCBI gene_info", _GENES, _begins_with(gene_files.GENE_INFO), gene_files.gene_info),
    Format("HGNC complete set", _GENES, _begins_with("hgnc_id\tsymbol"), gene_files.hgnc),
    Format("gene table", _GENES, _begins_with("gene_id\tsymbol"), gene_files.own_genes),
    Format("Cellosaurus", _LINES, _is_cellosaurus, other_files.cellosaurus),
    Format("Cellosaurus OBO", _LINES, _is_cellosaurus_obo, other_files.cellosaurus_obo),
    Format("cell line table", _LINES, _begins_with("accession\torganism"), other_files.own_cell_lines),
    Format("Cell Ontology OBO", _TYPES, _is_cell_ontology, other_files.cell_ontology),
    Format("cell type table", _TYPES, _begins_with("id\tname\tsynonyms"), other_files.own_names),
    Format("NCBI Taxonomy names", _ORGANISMS, _is_taxonomy, other_files.taxonomy),
    Format("organism table", _ORGANISMS, _begins_with("taxon\tname\tsynonyms"), other_files.own_names),
)


def format_of(path: Path) -> Format:
    """The format of a file. Raises BadVocabulary where it is none that is known, or cannot be read."""
    try:
        with _opened(path) as stream:
            head = stream.read(_HEAD_BYTES).decode("utf-8", errors="replace").removeprefix("\ufeff")
    except (OSError, EOFError, zlib.error) as error:
        raise BadVocabulary(f"{path.name} cannot be read: {error}") from error
    for known in FORMATS:
        if known.begins(head.replace("\r\n", "\n")):
            return known
    names = ", ".join(known.name for known in FORMATS)
    raise BadVocabulary(f"{path.name} is none of the files that are known: {names}")


def entries_of(path: Path, report: RowReport, progress: Callable[[int], None] = lambda done: None) -> Iterator[Entry]:
    """The entries of a file, one by one; `report` fills meanwhile, `progress` hears of rows that were read.

    Raises BadVocabulary for a file of no known format, one that is damaged or cut, and one with too many bad rows or
    too few entries to be a vocabulary.
    """
    known = format_of(path)
    taken = 0
    try:
        for entry in known.load(_lines(path, progress), report):
            taken += 1
            yield entry
    except (OSError, EOFError, zlib.error, UnicodeDecodeError) as error:
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


def _lines(path: Path, progress: Callable[[int], None]) -> Iterator[tuple[int, str]]:
    with _opened(path) as stream:
        number = 0
        while line := stream.readline(_LONGEST_LINE):
            number += 1
            if len(line) == _LONGEST_LINE:
                raise BadVocabulary(f"{path.name}, line {number}, is longer than {_LONGEST_LINE:,} bytes")
            if number % 20_000 == 0:
                progress(number)
            yield number, line.decode("utf-8").rstrip("\r\n").removeprefix("\ufeff")


@contextmanager
def _opened(path: Path) -> Iterator[IO[bytes]]:
    with path.open("rb") as stream:
        zipped = stream.read(2) == b"\x1f\x8b"
        stream.seek(0)
        if zipped:
            with gzip.open(stream) as unpacked:
                yield unpacked  # type: ignore[misc]  # (GzipFile reads bytes)
        else:
            yield stream
