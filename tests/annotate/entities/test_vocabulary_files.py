"""Each official file is known by its beginning and read row by row; a wrong or cut one is refused with the reason."""

import gzip
from collections.abc import Callable
from pathlib import Path

import pytest

from annotate.entities.loaders import BadVocabulary, RowReport
from annotate.entities.vocabulary_files import FORMATS, entries_of, format_of
from model.entities.kinds import Entry

GENE_INFO = (
    "#tax_id\tGeneID\tSymbol\tLocusTag\tSynonyms\tdbXrefs\tchromosome\tmap_location\tdescription\ttype_of_gene\t"
    "Symbol_from_nomenclature_authority\tFull_name_from_nomenclature_authority\tNomenclature_status\t"
    "Other_designations\tModification_date\tFeature_type\n"
    "10116\t24842\tTp53\t-\tTrp53|p53\tRGD:3889|Ensembl:ENSRNOG1\t10\t10q24\ttumor protein p53\tprotein-coding\t"
    "Tp53\ttumor protein p53\tO\tcellular tumor antigen p53|tumor suppressor p53\t20260101\t-\n"
    "10116\t1\tLOC1\t-\t-\t-\t1\t-\tuncharacterized\tprotein-coding\t-\t-\t-\t-\t20250101\t-\n"
    "10116\t2\tTp53-ps\t-\t-\t-\t1\t-\ta pseudogene\tpseudo\t-\t-\t-\t-\t20250101\t-\n"
)
HGNC = (
    "hgnc_id\tsymbol\tname\tlocus_group\talias_symbol\talias_name\tprev_symbol\tprev_name\tdate_modified\tentrez_id\n"
    'HGNC:11998\tTP53\ttumor protein p53\tprotein-coding gene\t"p53|LFS1"\t\t\t\t2025-01-01\t7157\n'
    "HGNC:1\tOLD1\told\tpseudogene\t\t\t\t\t2024-01-01\t9\n"
)
OWN_GENES = "gene_id\tsymbol\tauthority_id\ttype\tname\tsynonyms\n7157\tTP53\tHGNC:11998\tprotein-coding\tt p\tp53\n"
CELLOSAURUS = (
    "----\n        CELLOSAURUS: a resource on cell lines\n Version: 99.0\n----\n"
    "ID   HEK293\nAC   CVCL_0045\nSY   HEK-293; 293\nOX   NCBI_TaxID=9606; ! Homo sapiens (Human)\n//\n"
    "ID   B\nAC   CVCL_0001\n//\n"
)
CELLOSAURUS_OBO = (
    "format-version: 1.2\ndata-version: 45\nontology: Cellosaurus\n\n[Term]\nid: CVCL_0045\nname: HEK293\n"
    'synonym: "HEK-293" RELATED []\nxref: NCBI_TaxID:9606 ! Homo sapiens\n\n[Typedef]\nid: derived_from\n'
)
CELL_LINES = "accession\torganism\tnames\nCVCL_0045\tHomo sapiens\tHEK293|HEK-293\n"
CELL_ONTOLOGY = (
    "format-version: 1.2\ndata-version: releases/2026-01-01\nontology: cl\n\n[Term]\nid: CL:0000057\nname: fibroblast\n"
    'synonym: "fibrocyte like" EXACT []\nsynonym: "broad one" BROAD []\n\n[Term]\nid: CL:0000001\nname: old\n'
    "is_obsolete: true\n\n[Term]\nid: GO:1\nname: other\n"
)
CELL_TYPES = "id\tname\tsynonyms\nCL:0000057\tfibroblast\tfibrocyte\n"
NAMES = (
    "9606\t|\tHomo sapiens\t|\t\t|\tscientific name\t|\n9606\t|\thuman\t|\t\t|\tgenbank common name\t|\n"
    "9606\t|\tHomo sapiens Linnaeus, 1758\t|\t\t|\tauthority\t|\n7\t|\tAzorhizobium\t|\t\t|\tscientific name\t|\n"
)
ORGANISMS = "taxon\tname\tsynonyms\n9606\tHomo sapiens\thuman|humans\n"
HUMAN = Entry("9606", "Homo sapiens", ("human", "H. sapiens"))
FILES: dict[str, tuple[str, list[Entry]]] = {
    "NCBI gene_info": (
        GENE_INFO,
        [
            Entry(
                "24842", "Tp53", ("Trp53", "p53"),
                ("tumor protein p53", "cellular tumor antigen p53", "tumor suppressor p53"), "10116", "RGD:3889",
            )
        ],
    ),
    "HGNC complete set": (
        HGNC, [Entry("7157", "TP53", ("p53", "LFS1"), ("tumor protein p53",), "9606", "HGNC:11998")],
    ),
    "gene table": (OWN_GENES, [Entry("7157", "TP53", ("p53",), ("t p",), "9606", "HGNC:11998")]),
    "Cellosaurus": (
        CELLOSAURUS, [Entry("CVCL_0045", "HEK293", ("HEK-293", "293"), (), "9606"), Entry("CVCL_0001", "B")],
    ),
    "Cellosaurus OBO": (CELLOSAURUS_OBO, [Entry("CVCL_0045", "HEK293", ("HEK-293",), (), "9606")]),
    "cell line table": (CELL_LINES, [Entry("CVCL_0045", "HEK293", ("HEK-293",), (), "9606")]),
    "Cell Ontology OBO": (CELL_ONTOLOGY, [Entry("CL:0000057", "fibroblast", ("fibrocyte like",))]),
    "cell type table": (CELL_TYPES, [Entry("CL:0000057", "fibroblast", ("fibrocyte",))]),
    "NCBI Taxonomy names": (NAMES, [HUMAN]),
    "organism table": (ORGANISMS, [Entry("9606", "Homo sapiens", ("human", "humans"))]),
}  # fmt: skip
VERSIONS = {
    "NCBI gene_info": "20260101", "HGNC complete set": "2025-01-01", "Cellosaurus": "99.0", "Cellosaurus OBO": "45",
    "Cell Ontology OBO": "releases/2026-01-01",
}  # fmt: skip
Write = Callable[[str, str], Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def one(name: str, text: str) -> Path:
        path = tmp_path / name
        content = text.encode()
        path.write_bytes(gzip.compress(content) if name.endswith(".gz") else content)
        return path

    return one


def test_every_format_is_tested() -> None:
    assert set(FILES) == {known.name for known in FORMATS}


@pytest.mark.parametrize("ending", ["txt", "txt.gz"])
@pytest.mark.parametrize("name", FILES)
def test_a_file_is_known_and_read(write: Write, name: str, ending: str) -> None:
    text, entries = FILES[name]
    path = write(f"file.{ending}", text)
    report = RowReport()
    assert format_of(path).name == name
    assert list(entries_of(path, report)) == entries
    assert report.version == VERSIONS.get(name, "") and report.left_out == 0


@pytest.mark.parametrize("name", FILES)
def test_windows_line_ends_and_a_byte_order_mark_do_no_harm(write: Write, name: str) -> None:
    text, entries = FILES[name]
    path = write("file.txt", "\ufeff" + text.replace("\n", "\r\n"))
    assert list(entries_of(path, RowReport())) == entries


def test_bad_rows_are_left_out_and_told(write: Write) -> None:
    rows = "".join(f"CVCL_{number:04}\tHomo sapiens\tLine{number}\n" for number in range(100))
    report = RowReport()
    taken = list(entries_of(write("lines.tsv", f"accession\torganism\tnames\n{rows}nonsense\nX\tY\tZ\n"), report))
    assert len(taken) == 100 and report.left_out == 2
    assert report.failures == [(102, "has 1 columns, not 3"), (103, "has no accession or no name")]


@pytest.mark.parametrize(
    ("name", "text", "reason"),
    [
        ("a.txt", "hello, this is a letter", "none of the files"),
        ("a.txt", "", "none of the files"),
        ("a.tsv", "accession\torganism\tnames\n", "no entry"),
        ("a.tsv", ORGANISMS + "bad\n" * 50, "50 of 51 rows cannot be used"),
        ("a.txt", CELLOSAURUS + "ID   C\nAC   CVCL_0002\n", "cut"),
        ("a.txt", CELLOSAURUS + "ID   C", "cut"),
    ],
)
def test_a_wrong_file_is_refused_with_its_name_and_the_reason(write: Write, name: str, text: str, reason: str) -> None:
    with pytest.raises(BadVocabulary, match=reason) as refused:
        list(entries_of(write(name, text), RowReport()))
    assert name in str(refused.value)


@pytest.mark.parametrize(
    "text",
    [
        GENE_INFO[:-12],
        HGNC[:-14],
        OWN_GENES[:-9],
        CELL_ONTOLOGY + "name",
        CELL_ONTOLOGY + "\n[Term]\nid: CL:0000058",
        NAMES[:-4],
        CELL_LINES + "CVCL_1",
    ],
    ids=["gene_info", "HGNC", "gene table", "OBO", "OBO without a name", "taxonomy", "cell line table"],
)
def test_a_file_that_ends_within_a_line_is_refused(write: Write, text: str) -> None:
    with pytest.raises(BadVocabulary, match="the file ends within a line: it is cut"):
        list(entries_of(write("cut.txt", text), RowReport()))


@pytest.mark.parametrize("name", FILES)
def test_a_whole_file_without_its_last_line_end_is_read(write: Write, name: str) -> None:
    text, entries = FILES[name]
    assert list(entries_of(write("file.txt", text.removesuffix("\n")), RowReport())) == entries


def test_the_last_row_of_a_gene_table_may_lack_its_synonyms(write: Write) -> None:
    text = OWN_GENES + "7158\tABC1\tHGNC:11999\tprotein-coding\tt q"
    assert [entry.name for entry in entries_of(write("genes.tsv", text), RowReport())] == ["TP53", "ABC1"]


def test_a_cut_gzip_is_refused(write: Write) -> None:
    path = write("cut.tsv.gz", CELL_LINES + "".join(f"CVCL_{n}\tHomo sapiens\tL{n * n}\n" for n in range(5000)))
    path.write_bytes(path.read_bytes()[:-2000])
    with pytest.raises(BadVocabulary, match=r"cut\.tsv\.gz .* damaged or cut"):
        list(entries_of(path, RowReport()))


def test_a_file_in_another_encoding_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "latin.tsv"
    path.write_bytes(CELL_LINES.encode() + "CVCL_1\tHomo sapiens\tNaïve\n".encode("latin-1"))
    with pytest.raises(BadVocabulary, match="damaged or cut"):
        list(entries_of(path, RowReport()))
