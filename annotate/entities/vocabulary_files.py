"""The files that a vocabulary can be loaded from: which one it is, and its entries."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from annotate.entities import loaders
from annotate.entities.loaders import MOST_BAD, BadVocabulary, Lines, Loader, RowReport
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

    Raises BadVocabulary for a file of no known format, one that is damaged or cut, and one with too many bad rows or
    too few entries to be a vocabulary.
    """
    known = format_of(path)
    taken = 0
    try:
        for entry in known.load(_lines(path, progress), report):
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


def _lines(path: Path, progress: Callable[[int], None]) -> Lines:
    for number, line in text_lines(path, most_bytes=_MOST_BYTES, longest_line=_LONGEST_LINE):
        if number % 20_000 == 0:
            progress(number)
        yield number, line
