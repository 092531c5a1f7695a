"""Loaders of cell lines, cell types and organisms: Cellosaurus, OBO files, names of NCBI Taxonomy, our own tables."""

import re
from collections.abc import Iterator

from annotate.entities.rows import Lines, RowReport
from model.entities.kinds import Entry

TAXA_BY_NAME = {
    "Homo sapiens": "9606", "Mus musculus": "10090", "Rattus norvegicus": "10116", "Danio rerio": "7955",
    "Drosophila melanogaster": "7227",
}  # fmt: skip
_SYNONYM_ENDS = ('" EXACT', '" RELATED', '" NARROW', '" BROAD')
_TAXON_COLUMNS = 4
_COMMON = frozenset({"genbank common name", "common name"})
_NAMES = _COMMON | {"scientific name", "synonym", "acronym", "genbank acronym", "equivalent name"}


def cellosaurus(lines: Lines, report: RowReport) -> Iterator[Entry]:
    """The cell lines of `cellosaurus.txt`: ID, AC, SY (apart by `; `), OX, and `//` behind each."""
    told: dict[str, list[str]] = {}
    for number, line in lines:
        if line.startswith(" Version:"):
            report.version = line.partition(":")[2].strip()
        elif line.startswith("//"):
            report.rows += 1
            if not told.get("AC") or not told.get("ID") or not told["AC"][0].startswith("CVCL_"):
                report.leave_out(number, "has no accession or no name")
            else:
                yield _cell_line(told)
            told = {}
        elif line[2:5] == "   ":
            told.setdefault(line[:2], []).append(line[5:].strip())
    if told.get("AC"):
        report.rows += 1
        report.leave_out(0, "the file ends within an entry: it is cut")


def _cell_line(told: dict[str, list[str]]) -> Entry:
    synonyms = [name.strip() for line in told.get("SY", ()) for name in line.split("; ")]
    taxon = next((line.partition("=")[2].partition(";")[0] for line in told.get("OX", ())), "")
    return Entry(told["AC"][0], told["ID"][0], tuple(name for name in dict.fromkeys(synonyms) if name), (), taxon)


def obo(lines: Lines, report: RowReport, prefix: str) -> Iterator[Entry]:
    """The terms of an OBO file whose identifiers begin with `prefix`, without the obsolete ones."""
    told: dict[str, list[str]] = {}
    in_term, number = False, 0
    for number, line in lines:
        tag, _, value = line.partition(": ")
        if line.startswith("["):
            yield from _term(told, in_term, number, report, prefix)
            told, in_term = {}, line.startswith("[Term]")
        elif tag == "data-version":
            report.version = value.strip()
        elif value:
            told.setdefault(tag, []).append(value.strip())
    yield from _term(told, in_term, number, report, prefix)


def _term(told: dict[str, list[str]], in_term: bool, number: int, report: RowReport, prefix: str) -> Iterator[Entry]:
    if not in_term or not told.get("id", [""])[0].startswith(prefix) or told.get("is_obsolete") == ["true"]:
        return
    report.rows += 1
    if not told.get("name"):
        report.leave_out(number, f"{told['id'][0]} has no name")
        return
    exact = [text[1 : text.index('" ')] for text in told.get("synonym", ()) if _is_exact(text)]
    accessions = told.get("xref", [])
    taxon = next((found[1] for x in accessions if (found := re.match(r"NCBI_TaxID:\s*(\d+)", x))), "")
    yield Entry(told["id"][0].replace("CVCL:", "CVCL_"), told["name"][0], tuple(dict.fromkeys(exact)), (), taxon)


def _is_exact(text: str) -> bool:
    return text.startswith('"') and any(end in text for end in _SYNONYM_ENDS[:2])


def cell_ontology(lines: Lines, report: RowReport) -> Iterator[Entry]:
    """The cell types of `cl-basic.obo`."""
    return obo(lines, report, "CL:")


def cellosaurus_obo(lines: Lines, report: RowReport) -> Iterator[Entry]:
    """The cell lines of `cellosaurus.obo`."""
    return obo(lines, report, "CVCL_")


def taxonomy(lines: Lines, report: RowReport) -> Iterator[Entry]:
    """The organisms of `names.dmp` that have a name in plain words, or none but few: 2.5 million are never named."""
    taxon, names = "", list[tuple[str, str]]()
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


def _taxon(taxon: str, names: list[tuple[str, str]]) -> Iterator[Entry]:
    kinds = {kind for kind, _ in names}
    if kinds & (_COMMON | {"acronym", "genbank acronym"}) and "scientific name" in kinds:
        official = next(name for kind, name in names if kind == "scientific name")
        others = tuple(dict.fromkeys(name for kind, name in names if kind != "scientific name"))
        yield Entry(taxon, official, (*others, *_abbreviated(official)))


def _abbreviated(official: str) -> tuple[str, ...]:
    genus, _, species = official.partition(" ")
    return (f"{genus[0]}. {species}",) if species.islower() and species.isalpha() and genus.istitle() else ()


def own_cell_lines(lines: Lines, report: RowReport) -> Iterator[Entry]:
    """The cell lines of a table with accession, organism, names; the first name is the one shown."""
    for number, (accession, organism, names) in _three(lines, report):
        listed = [name for name in names.split("|") if name]
        if not accession.startswith("CVCL_") or not listed:
            report.leave_out(number, "has no accession or no name")
            continue
        yield Entry(accession, listed[0], tuple(listed[1:]), (), TAXA_BY_NAME.get(organism, organism))


def own_names(lines: Lines, report: RowReport) -> Iterator[Entry]:
    """The entries of a table with an identifier, a name, and synonyms apart by bars."""
    for number, (identifier, name, synonyms) in _three(lines, report):
        if not identifier or not name:
            report.leave_out(number, "has no identifier or no name")
            continue
        yield Entry(identifier, name, tuple(part for part in synonyms.split("|") if part))


def _three(lines: Lines, report: RowReport) -> Iterator[tuple[int, tuple[str, str, str]]]:
    next(lines, None)  # the names of the columns
    for number, line in lines:
        if not line.strip():
            continue
        report.rows += 1
        fields = line.split("\t")
        if len(fields) not in (2, 3):
            report.leave_out(number, f"has {len(fields)} columns, not 3")
            continue
        yield number, (fields[0].strip(), fields[1].strip(), fields[2].strip() if len(fields) > 2 else "")
