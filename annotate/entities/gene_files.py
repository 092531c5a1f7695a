"""Loaders of gene names: `gene_info` of NCBI, the complete set of HGNC, and our own table."""

from collections.abc import Iterator

from annotate.entities.rows import Lines, RowReport, short_names
from model.entities.kinds import Entry

GENE_INFO = "#tax_id\tGeneID\tSymbol"
_GENE_INFO_COLUMNS = 16
# What no text means by a name. A lncRNA can be an edited gene, so ncRNA is kept.
_OTHER_TYPES = frozenset({"pseudo", "biological-region", "tRNA", "rRNA", "other", "unknown", "snoRNA", "scRNA"})
_AUTHORITIES = ("HGNC:HGNC", "MGI:MGI", "ZFIN", "FLYBASE", "RGD", "Xenbase", "WormBase", "SGD")
MOST_DESIGNATIONS = 6  # of NCBI's other designations: the long tail are fragments of titles


def gene_info(lines: Lines, report: RowReport) -> Iterator[Entry]:
    """The genes of a `gene_info` file: 16 columns, `-` for empty, lists apart by a bar."""
    newest = ""
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
        synonyms, descriptions = short_names([fields[8], *listed])
        yield Entry(fields[1], fields[2], _without(synonyms, fields[2]), descriptions, fields[0], _authority(fields[5]))
    report.version = newest


def _authority(references: str) -> str:
    for reference in references.split("|"):
        if reference.startswith(_AUTHORITIES):
            return reference.replace("HGNC:HGNC:", "HGNC:").replace("MGI:MGI:", "MGI:")
    return ""


def _without(names: tuple[str, ...], symbol: str) -> tuple[str, ...]:
    return tuple(name for name in names if name != symbol)


def hgnc(lines: Lines, report: RowReport) -> Iterator[Entry]:
    """The human genes of `hgnc_complete_set.txt`: lists quoted, apart by a bar. Those without a number of NCBI Gene are
    left out, since that names a gene here."""
    columns: dict[str, int] = {}
    for number, line in lines:
        fields = [field.strip('"') for field in line.split("\t")]
        if not columns:
            columns = {name: at for at, name in enumerate(fields)}
            continue
        report.rows += 1
        told = {name: fields[at] for name, at in columns.items() if at < len(fields)}
        report.version = max(report.version, told.get("date_modified", ""))
        if not told.get("hgnc_id", "").startswith("HGNC:") or not told.get("symbol"):
            report.leave_out(number, "has no HGNC number or no symbol")
            continue
        if not told.get("entrez_id", "").isdecimal() or told.get("locus_group") in ("pseudogene", "other"):
            continue
        listed = [*told.get("alias_symbol", "").split("|"), *told.get("prev_symbol", "").split("|")]
        listed += [told.get("name", ""), *told.get("alias_name", "").split("|"), *told.get("prev_name", "").split("|")]
        synonyms, descriptions = short_names(listed)
        symbol = told["symbol"]
        yield Entry(told["entrez_id"], symbol, _without(synonyms, symbol), descriptions, "9606", told["hgnc_id"])


def own_genes(lines: Lines, report: RowReport) -> Iterator[Entry]:
    """The genes of a table with gene_id, symbol, authority_id, type, name, synonyms; `organism` where it has that
    column, else the taxon that the authority tells."""
    columns: list[str] = []
    before = ""  # such a table holds one organism; some of its genes have no authority
    for number, line in lines:
        fields = line.split("\t")
        if not columns:
            columns = fields
            continue
        report.rows += 1
        told = dict(zip(columns, fields, strict=False))
        if not told.get("gene_id", "").isdecimal() or not told.get("symbol") or len(fields) < len(columns) - 1:
            report.leave_out(number, "has no number of a gene, no symbol, or too few columns")
            continue
        synonyms, descriptions = short_names([told.get("name", ""), *told.get("synonyms", "").split("|")])
        authority = told.get("authority_id", "")
        before = organism = told.get("organism") or organism_of(authority) or before
        symbol = told["symbol"]
        yield Entry(told["gene_id"], symbol, _without(synonyms, symbol), descriptions, organism, authority)


def organism_of(authority: str) -> str:
    """The taxon whose genes an authority names: HGNC human, MGI mouse, ZFIN zebrafish, FlyBase fly, RGD rat."""
    for beginning, taxon in (("HGNC", "9606"), ("MGI", "10090"), ("ZDB", "7955"), ("FB", "7227"), ("RGD", "10116")):
        if authority.startswith(beginning):
            return taxon
    return ""
