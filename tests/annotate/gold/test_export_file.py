"""Exports: every character exact in every format, no formula in a spreadsheet, files whole or not at all."""

import csv
import io
import json

import pytest
from openpyxl import load_workbook

import annotate.project.whole_files
from annotate.articles.document import Article, Paragraph, ParagraphKind, Section, SectionKind
from annotate.articles.table_files import read_table
from annotate.gold.export_file import FORMATS, XLSX_CELL, download_manifest, export
from annotate.gold.label_sets import Basis
from annotate.gold.rows import gold_columns, gold_rows
from annotate.project.acting import ANONYMOUS, Forbidden, acting
from annotate.project.home import read
from tests.support.making import comment, judge, paper, store, verdict
from tests.support.topics import TOPIC

pytestmark = pytest.mark.usefixtures("home")

ODD = (
    "=1+1",
    "+1286C>T was found",
    "-0.3 fold",
    "@home, with commas",
    'He said "no", twice',
    "p<0.05 & α≥5 µm, H₂O; 細胞 \U0001f9ec",
    "a\ttab and 'one' quote",
    "=cmd|' /C calc'!A0",
    "#N/A",
    "00123",
    "1.50",
    "TRUE",
    "_x0041_ stays",
)

COLUMNS = gold_columns(TOPIC)


def fill(sentences=ODD) -> None:
    """An article whose table rows are these sentences, each accepted with a comment of two lines."""
    paragraphs = tuple(Paragraph(text, ParagraphKind.TABLE) for text in sentences)
    store(Article('=Title, "odd"', pmid="1", sections=(Section("Ref, [1]", SectionKind.BODY, paragraphs),)))
    for position in range(len(sentences)):
        judge("Anna", 1, verdict(position), comment(position, f'=first {position}\nsecond, "line"'))


def stored() -> list[tuple[str, ...]]:
    with read() as session:
        return [tuple(str(row[name]) for name in COLUMNS) for row in gold_rows(session)]


@pytest.mark.parametrize("ending", FORMATS)
def test_every_character_survives_every_format(tmp_path, ending):
    fill()
    path = tmp_path / f"gold{ending}"
    export(path)
    table = read_table(path, needs=[("sentence",)])
    assert [tuple(row[name] for name in COLUMNS) for _, row in table] == stored()
    assert [row["sentence"] for _, row in table] == list(ODD)


def test_the_csv_is_rfc_4180(tmp_path):
    fill(('He said "no", twice', "=1+1"))
    export(tmp_path / "gold.csv")
    raw = (tmp_path / "gold.csv").read_bytes()
    lines = raw.split(b"\r\n")
    assert lines[0].decode() == ",".join(COLUMNS)
    assert lines[-1] == b"" and raw.count(b"\r\n") == 3
    assert b',"He said ""no"", twice",1,' in lines[1]
    assert b",'=1+1,1," in lines[2]
    assert raw.count(b"\n") == 3 + 2  # the comments' own line breaks stay inside their quotes
    assert [row["comment"] for row in csv.DictReader(io.StringIO(raw.decode(), newline=""))] == [
        'Anna: =first 0\nsecond, "line"',
        'Anna: =first 1\nsecond, "line"',
    ]


def test_no_cell_of_the_spreadsheet_is_a_formula_or_a_number(tmp_path):
    fill()
    export(tmp_path / "gold.xlsx")
    book = load_workbook(tmp_path / "gold.xlsx")
    cells = [cell for row in book["gold"].iter_rows() for cell in row if cell.value is not None]
    assert {cell.data_type for cell in cells} == {"s"}
    assert {cell.number_format for cell in cells} == {"@"}


def test_a_text_too_long_for_a_spreadsheet_is_cut_there_alone(tmp_path):
    long = "x" * (XLSX_CELL + 10)
    fill((long,))
    lengths = {}
    for ending in FORMATS:
        export(tmp_path / f"gold{ending}")
        ((_, row),) = read_table(tmp_path / f"gold{ending}", needs=[("sentence",)])
        lengths[ending] = len(row["sentence"])
    assert lengths == {".csv": XLSX_CELL + 10, ".xlsx": XLSX_CELL, ".jsonl": XLSX_CELL + 10}


def test_a_spreadsheet_leaves_out_what_xml_cannot_hold(tmp_path):
    fill(("A gene\uffff of \ufffemice.",))
    export(tmp_path / "gold.xlsx")
    ((_, row),) = read_table(tmp_path / "gold.xlsx", needs=[("sentence",)])
    assert row["sentence"] == "A gene of mice."


def test_json_lines_keep_greek_readable_and_numbers_numbers(tmp_path):
    fill(("α, β",))
    export(tmp_path / "gold.jsonl")
    text = (tmp_path / "gold.jsonl").read_text(encoding="utf-8")
    assert '"sentence": "α, β"' in text and text.endswith("}\n")
    row = json.loads(text)
    assert (list(row), row["sentence_index"], row["label"]) == (list(COLUMNS), 0, "1")


@pytest.mark.parametrize("ending", FORMATS)
def test_an_empty_gold_is_a_header_without_rows(tmp_path, ending):
    summary = export(tmp_path / "new" / f"gold{ending}")
    assert (summary["rows"], summary["articles"]) == (0, 0)
    assert (tmp_path / "new" / f"gold{ending}").exists()


def test_the_manifest_beside_the_file_is_what_the_export_returned(tmp_path):
    fill(("One.", "Two."))
    summary = export(tmp_path / "gold.CSV")
    assert json.loads((tmp_path / "gold.CSV.manifest.json").read_text()) == summary
    assert summary["rows"] == 2 and summary["by_label"] == {"1": 2} and summary["file"] == "gold.CSV"
    assert len(stored()) == 2


def test_the_manifest_of_chosen_articles_has_the_hash_of_their_labels_alone():
    store(paper(pmid="1"), paper(pmid="2"))
    judge("Anna", 1, verdict(0))
    alone = json.loads(download_manifest())["label_set_sha256"]
    judge("Anna", 2, verdict(1))
    chosen, every = (download_manifest(Basis(articles=only)) for only in (frozenset({1}), None))
    assert json.loads(chosen)["label_set_sha256"] == alone != json.loads(every)["label_set_sha256"]


def test_whoever_may_not_export_writes_no_file(tmp_path, monkeypatch):
    monkeypatch.setenv("KEYLINE_AUTH", "local")
    with acting(ANONYMOUS), pytest.raises(Forbidden):
        export(tmp_path / "new" / "gold.csv")
    assert not (tmp_path / "new").exists()


def test_an_unknown_ending_is_refused_by_naming_the_known_ones(tmp_path):
    with pytest.raises(ValueError, match=r"\.csv, \.xlsx, \.jsonl"):
        export(tmp_path / "gold.pdf")
    assert list(tmp_path.iterdir()) == []


def test_an_export_that_fails_leaves_the_earlier_file_and_no_rest(tmp_path, monkeypatch):
    store(paper(pmid="1"))
    judge("Anna", 1, verdict(0))
    path = tmp_path / "gold.csv"
    export(path)
    before = path.read_bytes()
    judge("Anna", 1, verdict(1))

    def fail(handle):
        raise OSError("disk full")

    monkeypatch.setattr(annotate.project.whole_files.os, "fsync", fail)
    with pytest.raises(OSError, match="disk full"):
        export(path)
    assert path.read_bytes() == before
    assert sorted(file.name for file in tmp_path.iterdir() if file.is_file()) == ["gold.csv", "gold.csv.manifest.json"]
