"""Loaders of names: genes (NCBI, HGNC), cell lines (Cellosaurus), ontologies (OBO), NCBI Taxonomy, our own tables."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from model.entities.kinds import Entry

SHOWN = 50  # rows left out that the report names; the others are counted
# Of the rows of a file: a file with more bad ones is another kind of file, or damaged.
MOST_BAD = 0.05


class BadVocabulary(ValueError):
    """A vocabulary that cannot be used; the message names the file and the reason."""


@dataclass
class RowReport:
    """How many rows were read and taken, and (line, reason) of some that were left out."""

    rows: int = 0
    left_out: int = 0
    failures: list[tuple[int, str]] = field(default_factory=list)
    version: str = ""
    cut: str = ""  # why the file is not whole
    is_open: bool = False  # whether the last line lacks its line end

    def leave_out(self, line: int, reason: str) -> None:
        """Notes a row that cannot be used; line 0 stands for the end, where something is missing."""
        self.left_out += 1
        if line == 0:
            self.cut = reason
        elif len(self.failures) < SHOWN:
            self.failures.append((line, reason))

    def end(self, *, is_short: bool) -> None:
        """Notes that the file is cut where its last line is too short and lacks its line end."""
        if self.is_open and is_short:
            self.leave_out(0, "the file ends within a line: it is cut")


Lines = Iterator[tuple[int, str]]
Loader = Callable[[Lines, RowReport], Iterator[Entry]]


def short_names(names: list[str], symbol: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Names other than the symbol, apart by whether they are written as one word: (aliases, whole names)."""
    clean = dict.fromkeys(name.strip() for name in names if name.strip() not in ("", "-", symbol))
    return tuple(name for name in clean if " " not in name), tuple(name for name in clean if " " in name)


GENE_INFO = "#tax_id\tGeneID\tSymbol"
_GENE_INFO_COLUMNS = 16
# What no text means by a name. A lncRNA can be an edited gene, so ncRNA is kept.
_OTHER_TYPES = frozenset({"pseudo", "biological-region", "tRNA", "rRNA", "other", "unknown", "snoRNA", "scRNA"})
_AUTHORITIES = ("HGNC:HGNC", "MGI:MGI", "ZFIN", "FLYBASE", "RGD", "Xenbase", "WormBase", "SGD")
MOST_DESIGNATIONS = 6  # of NCBI's other designations: the long tail are fragments of titles
TAXA_BY_NAME = {
    "Homo sapiens": "9606", "Mus musculus": "10090", "Rattus norvegicus": "10116", "Danio rerio": "7955",
    "Drosophila melanogaster": "7227",
}  # fmt: skip
_EXACT = re.compile(r'"(.*?)" (?:EXACT|RELATED)')
_TAXON_COLUMNS = 4
_COMMON = frozenset({"genbank common name", "common name"})
_NAMES = _COMMON | {"scientific name", "synonym", "acronym", "genbank acronym", "equivalent name"}


def gene_info(lines: Lines, report: RowReport) -> Iterator[Entry]:
    """The genes of a `gene_info` file: 16 columns, `-` for empty, lists apart by a bar."""
    newest, fields = "", list[str]()
    for number, line in lines:
        if line.startswith("#") or not line.strip():
            continue
        report.rows += 1
        fields = line.split("\t")
        if len(fields) < _GENE_INFO_COLUMNS - 1 or not fields[0].isdecimal() or not fields[1].isdecimal():
            report.leave_out(number, f"has {len(fields)} columns, not {_GENE_INFO_COLUMNS}, or no number of a gene")
            continue
        newest = max(newest, fields[14])
        if fields[9] in _OTHER_TYPES or fields[2] == "NEWENTRY" or fields[2].startswith("LOC"):
            continue
        listed = [*fields[4].split("|"), *fields[13].split("|")[:MOST_DESIGNATIONS], fields[10]]
        synonyms, descriptions = short_names([fields[8], *listed], fields[2])
        authority = next((reference for reference in fields[5].split("|") if reference.startswith(_AUTHORITIES)), "")
        authority = authority.replace("HGNC:HGNC:", "HGNC:").replace("MGI:MGI:", "MGI:")
        yield Entry(fields[1], fields[2], synonyms, descriptions, fields[0], authority)
    report.end(is_short=0 < len(fields) < _GENE_INFO_COLUMNS - 1)
    report.version = newest


def _rows_by_column(lines: Lines, report: RowReport, width: int = 0) -> Iterator[tuple[int, dict[str, str]]]:
    """(line, cell by column) of a table whose first line names its columns; a cell loses quotes around it.

    A row may lack the last one. With a `width` its columns are known by their places, and other rows are left out.
    """
    columns, cells = list[str](), list[str]()
    for number, line in lines:
        if width and not line.strip():
            continue
        cells = [cell.strip('"') for cell in line.split("\t")]
        report.rows += bool(columns)
        if columns and width and len(cells) not in (width - 1, width):
            report.leave_out(number, f"has {len(cells)} columns, not {width}")
        elif columns:
            yield number, dict(zip(columns, [*cells, ""], strict=False))
        columns = columns or ([str(place) for place in range(width)] if width else cells)
    report.end(is_short=len(cells) < len(columns) - 1)


def hgnc(lines: Lines, report: RowReport) -> Iterator[Entry]:
    """The human genes of `hgnc_complete_set.txt` that have a number of NCBI Gene: lists quoted, apart by a bar."""
    for number, row in _rows_by_column(lines, report):
        report.version = max(report.version, row.get("date_modified", ""))
        if not row.get("hgnc_id", "").startswith("HGNC:") or not row.get("symbol"):
            report.leave_out(number, "has no HGNC number or no symbol")
            continue
        if not row.get("entrez_id", "").isdecimal() or row.get("locus_group") in ("pseudogene", "other"):
            continue
        listed = [*row.get("alias_symbol", "").split("|"), *row.get("prev_symbol", "").split("|")]
        listed += [row.get("name", ""), *row.get("alias_name", "").split("|"), *row.get("prev_name", "").split("|")]
        symbol = row["symbol"]
        synonyms, descriptions = short_names(listed, symbol)
        yield Entry(row["entrez_id"], symbol, synonyms, descriptions, "9606", row["hgnc_id"])


def own_genes(lines: Lines, report: RowReport) -> Iterator[Entry]:
    """The genes of a table with gene_id, symbol, authority_id, type, name, synonyms; `organism` where it has that
    column, else the taxon that the authority tells."""
    before = ""  # such a table holds one organism; some of its genes have no authority
    for number, row in _rows_by_column(lines, report):
        if not row.get("gene_id", "").isdecimal() or not row.get("symbol") or "name" not in row:
            report.leave_out(number, "has no number of a gene, no symbol, or too few columns")
            continue
        symbol = row["symbol"]
        synonyms, descriptions = short_names([row.get("name", ""), *row.get("synonyms", "").split("|")], symbol)
        authority = row.get("authority_id", "")
        before = organism = row.get("organism") or organism_of(authority) or before
        yield Entry(row["gene_id"], symbol, synonyms, descriptions, organism, authority)


def organism_of(authority: str) -> str:
    """The taxon whose genes an authority names: HGNC human, MGI mouse, ZFIN zebrafish, FlyBase fly, RGD rat."""
    for beginning, taxon in (("HGNC", "9606"), ("MGI", "10090"), ("ZDB", "7955"), ("FB", "7227"), ("RGD", "10116")):
        if authority.startswith(beginning):
            return taxon
    return ""


def cellosaurus(lines: Lines, report: RowReport) -> Iterator[Entry]:
    """The cell lines of `cellosaurus.txt`: ID, AC, SY (apart by `; `), OX, and `//` behind each."""
    record: dict[str, list[str]] = {}
    for number, line in lines:
        if line.startswith(" Version:"):
            report.version = line.partition(":")[2].strip()
        elif line.startswith("//"):
            report.rows += 1
            if not record.get("AC") or not record.get("ID") or not record["AC"][0].startswith("CVCL_"):
                report.leave_out(number, "has no accession or no name")
            else:
                synonyms = [name.strip() for line in record.get("SY", ()) for name in line.split("; ")]
                taxon = next((line.partition("=")[2].partition(";")[0] for line in record.get("OX", ())), "")
                yield Entry(record["AC"][0], record["ID"][0], tuple(filter(None, dict.fromkeys(synonyms))), (), taxon)
            record = {}
        elif line[2:5] == "   ":
            record.setdefault(line[:2], []).append(line[5:].strip())
    if record:
        report.rows += 1
        report.leave_out(0, "the file ends within an entry: it is cut")


def obo(lines: Lines, report: RowReport, prefix: str) -> Iterator[Entry]:
    """The terms of an OBO file whose identifiers begin with `prefix`, without the obsolete ones."""
    term: dict[str, list[str]] = {}
    in_term, number, value = False, 0, ""
    for number, line in lines:
        tag, _, value = line.partition(": ")
        if line.startswith("["):
            yield from _term(term, in_term, number, report, prefix)
            term, in_term = {}, line.startswith("[Term]")
        elif tag == "data-version":
            report.version = value.strip()
        elif value:
            term.setdefault(tag, []).append(value.strip())
    yield from _term(term, in_term, number, report, prefix)
    report.end(is_short=not value or (in_term and not term.get("name")))


def _term(term: dict[str, list[str]], in_term: bool, number: int, report: RowReport, prefix: str) -> Iterator[Entry]:
    if not in_term or not term.get("id", [""])[0].startswith(prefix) or term.get("is_obsolete") == ["true"]:
        return
    report.rows += 1
    if not term.get("name"):
        report.leave_out(number, f"{term['id'][0]} has no name")
        return
    exact = [match[1] for text in term.get("synonym", ()) if (match := _EXACT.match(text))]
    accessions = term.get("xref", [])
    taxon = next((found[1] for x in accessions if (found := re.match(r"NCBI_TaxID:\s*(\d+)", x))), "")
    yield Entry(term["id"][0].replace("CVCL:", "CVCL_"), term["name"][0], tuple(dict.fromkeys(exact)), (), taxon)


def taxonomy(lines: Lines, report: RowReport) -> Iterator[Entry]:
    """The organisms of `names.dmp` that have a name in plain words, or none but few: 2.5 million are never named."""
    taxon, names, line = "", list[tuple[str, str]](), ""
    for number, line in lines:
        fields = [field.strip() for field in line.removesuffix("\t|").split("\t|\t")]
        report.rows += 1
        if len(fields) != _TAXON_COLUMNS or not fields[0].isdigit():
            report.leave_out(number, f"has {len(fields)} columns, not {_TAXON_COLUMNS}")
            continue
        if fields[0] != taxon:
            yield from _taxon(taxon, names)
            taxon, names = fields[0], []
        if fields[3] in _NAMES:
            names.append((fields[3], fields[1]))
    yield from _taxon(taxon, names)
    report.end(is_short=not line.endswith("|"))


def _taxon(taxon: str, names: list[tuple[str, str]]) -> Iterator[Entry]:
    kinds = {kind for kind, _ in names}
    if kinds & (_COMMON | {"acronym", "genbank acronym"}) and "scientific name" in kinds:
        official = next(name for kind, name in names if kind == "scientific name")
        others = tuple(dict.fromkeys(name for kind, name in names if kind != "scientific name"))
        genus, _, species = official.partition(" ")
        if species.islower() and species.isalpha() and genus.istitle():
            others = (*others, f"{genus[0]}. {species}")
        yield Entry(taxon, official, others)


def own_cell_lines(lines: Lines, report: RowReport) -> Iterator[Entry]:
    """The cell lines of a table with accession, organism, names; the first name is the one shown."""
    for number, row in _rows_by_column(lines, report, 3):
        accession, organism, names = map(str.strip, row.values())
        listed = [name for name in names.split("|") if name]
        if not accession.startswith("CVCL_") or not listed:
            report.leave_out(number, "has no accession or no name")
            continue
        yield Entry(accession, listed[0], tuple(listed[1:]), (), TAXA_BY_NAME.get(organism, organism))


def own_names(lines: Lines, report: RowReport) -> Iterator[Entry]:
    """The entries of a table with an identifier, a name, and synonyms apart by bars."""
    for number, row in _rows_by_column(lines, report, 3):
        identifier, name, synonyms = map(str.strip, row.values())
        if not identifier or not name:
            report.leave_out(number, "has no identifier or no name")
            continue
        yield Entry(identifier, name, tuple(part for part in synonyms.split("|") if part))
