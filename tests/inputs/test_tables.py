"""Tables that do harm: formulas in exports, and gold that is wrong. The ids begin with the line of the bar."""

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotate.articles.document import Article, Paragraph, ParagraphKind, Section, SectionKind
from annotate.articles.table_files import csv_text, exact_cell, read_table, safe_cell
from annotate.experiments.experiment_tables import as_csv as experiment_csv
from annotate.experiments.study_tables import Row
from annotate.gold.export_file import as_csv, as_jsonl, cells_prefixed, export
from annotate.gold.import_file import import_gold
from annotate.gold.rows import gold_columns, gold_rows
from annotate.project.files.packed_lines import UnreadableFile
from annotate.project.home import read
from db.tables import FinishedRun
from tests.support.making import comment, contents, judge, paper, store, verdict
from tests.support.topics import TOPIC

DANGEROUS = {
    "28-equals": "=1+1",
    "28-plus": "+1286C>T was found",
    "28-minus": "-0.3",
    "28-at": "@SUM(A1)",
    "28-tab": "\t=1",
    "28-CR": "\r=1",
    "28-LF": "\n=1",
    "28-NUL": "\0=1",
    "28-full-width": "＝1+1",
    "28-full-width-at": "＠x",
    "28-small-form": "﹢1",
    "28-separator": ";=1",
    "28-spaces": "  =1",
    "28-command": "=cmd|' /C calc'!A0",
}
EXACT = [*DANGEROUS.values(), "'=1", "''=1", "'", "''", "'plain", "plain", "", "a=1", "0.3", "5' end", "p<0.05"]


@pytest.mark.parametrize("text", DANGEROUS.values(), ids=DANGEROUS)
def test_a_text_that_looks_like_a_formula_has_an_apostrophe_before_it(text: str) -> None:
    assert safe_cell(text) == f"'{text}"
    assert exact_cell(safe_cell(text)) == text


@pytest.mark.parametrize("text", ["plain", "'plain", "0.3", "5' end", "", "'", "a=1", "µ-opioid", "−0.3"])
def test_28_other_text_is_left_alone(text: str) -> None:
    assert safe_cell(text) == text == exact_cell(text)


def test_28_numbers_stay_numbers() -> None:
    assert [safe_cell(value) for value in (-0.3, -1, 0, None, True)] == [-0.3, -1, 0, None, True]


@given(st.text(alphabet=st.sampled_from("'=+-@\t\r\n\0＝; ,a\"é"), max_size=8) | st.text(max_size=30))
@settings(deadline=None)
def test_28_every_text_comes_back_exactly(text: str) -> None:
    cell = safe_cell(text)
    assert exact_cell(cell) == text
    assert not cell.startswith(("=", "+", "-", "@", "\t", "\r", "\n", "\0", "＝"))


@pytest.mark.parametrize("times", [1, 2, 3])
def test_28_a_cell_that_was_prefixed_before_is_prefixed_again_and_survives(times: int) -> None:
    text = "=1"
    for _ in range(times):
        text = safe_cell(text)
    assert text == "'" * times + "=1"
    for _ in range(times):
        text = exact_cell(text)
    assert text == "=1"


def fill(sentences: list[str]) -> None:
    """An article whose table rows are these sentences, each judged, with a comment that is a formula."""
    paragraphs = tuple(Paragraph(text, ParagraphKind.TABLE) for text in sentences)
    store(Article("=Title", pmid="1", sections=(Section("-S", SectionKind.BODY, paragraphs),)))
    for position in range(len(sentences)):
        judge("Anna", 1, verdict(position, shown={"rank": 1, "cosine": -0.25}), comment(position, "=x"))


COLUMNS = gold_columns(TOPIC)
SENTENCES = ["=1+1", "-0.3", "+1286C>T", "@home", "＝1", "'=1", ";=1", "plain"]


def test_28_the_gold_is_prefixed_and_flagged_and_its_import_undoes_it(
    tmp_path: Path, other_home: Callable[[], None]
) -> None:
    fill(SENTENCES)
    summary = export(tmp_path / "gold.csv")
    raw = list(csv.DictReader(io.StringIO((tmp_path / "gold.csv").read_text(encoding="utf-8"), newline="")))
    assert [row["sentence"] for row in raw] == [*(f"'{text}" for text in SENTENCES[:-1]), "plain"]
    assert {row["title"] for row in raw} == {"'=Title"} and {row["section"] for row in raw} == {"'-S"}
    assert {row["cosine"] for row in raw} == {"-0.25"} and {row["rank"] for row in raw} == {"1"}
    flagged = sum(cell.startswith("'") for row in raw for cell in row.values())
    assert summary["csv_cells_prefixed"] == flagged == 8 + 8 + 7
    assert json.loads((tmp_path / "gold.csv.manifest.json").read_text())["csv_cells_prefixed"] == flagged
    with read() as session:
        before = [tuple(str(row[name]) for name in COLUMNS) for row in gold_rows(session)]
    table = read_table(tmp_path / "gold.csv", needs=[("sentence",)])
    assert [tuple(row[name] for name in COLUMNS) for _, row in table] == before
    other_home()
    paragraphs = tuple(Paragraph(text, ParagraphKind.TABLE) for text in SENTENCES)
    store(Article("=Title", pmid="1", sections=(Section("-S", SectionKind.BODY, paragraphs),)))
    report = import_gold(tmp_path / "gold.csv")
    assert (report.rows, report.verdicts, report.failures) == (8, 8, [])
    with read() as session:
        assert as_csv(gold_rows(session), COLUMNS) == (tmp_path / "gold.csv").read_bytes()


def test_28_json_lines_and_the_sheet_are_raw(home: Path, tmp_path: Path) -> None:
    fill(SENTENCES)
    with read() as session:
        rows = gold_rows(session)
    assert cells_prefixed(rows) == 23
    assert [json.loads(line)["sentence"] for line in as_jsonl(rows, COLUMNS).decode().split("\n")[:-1]] == SENTENCES
    assert "csv_cells_prefixed" not in export(tmp_path / "gold.jsonl")
    export(tmp_path / "gold.xlsx")
    assert [row["sentence"] for _, row in read_table(tmp_path / "gold.xlsx", needs=[("sentence",)])] == SENTENCES


def test_28_every_other_csv_of_the_product_is_prefixed_too() -> None:
    run = FinishedRun(
        encoder="=cmd", settings={"seed": 1, "row": "=r"}, metrics={"arp": -0.5}, device="cpu", seconds=1.0
    )
    assert experiment_csv([Row("=r", [run])]).split("\r\n")[1].startswith("'=r,1,'=cmd,-0.5,")
    assert csv_text(["title", "cosine"], [["=1+1", -0.5], ["+1", 1]]) == "title,cosine\r\n'=1+1,-0.5\r\n'+1,1\r\n"


HEAD = "pmid,sentence,label\n"
GOOD = "1,The gene is known.,1\n"
WRONG = {
    "29-missing-column": ("pmid,label\n1,1\n", "needs a column sentence"),
    "29-no-identifier": ("sentence,label\nx,1\n", "needs a column pmid or pmcid or doi"),
    "29-duplicate-column": ("pmid,sentence,PMID\n1,x,1\n", "column pmid stands twice"),
    "29-unknown-label": (HEAD + GOOD + "1,x,maybe\n1,y,2\n", r"line 3: label 'maybe'.*line 4: label '2'"),
    "29-more-cells": (HEAD + GOOD + "1,x,1,2\n", "wrong number of cells in line 3"),
    "29-bad-quotes": (HEAD + GOOD + '1,"x" y,1\n', "line 3"),
    "29-open-quote": (HEAD + GOOD + '1,"x,1\n', "line 3"),
    "29-long-field": (HEAD + GOOD + "1," + "x" * 10_000_001 + ",1\n", "line 3: longer than 10,000,000"),
    "29-NUL": (HEAD + GOOD + "1,x\0,1\n", "NUL"),
    "29-not-UTF-8": (HEAD.encode() + b"1,\xff,1\n", "not UTF-8"),
    "29-unknown-verdict": ("pmid,sentence,verdicts\n1,The gene is known.,Anna: likes\n", "line 2: verdict"),
}


@pytest.mark.parametrize(("content", "message"), WRONG.values(), ids=WRONG)
def test_a_gold_file_with_an_error_stores_nothing_and_names_the_line(
    home: Path, tmp_path: Path, content: str | bytes, message: str
) -> None:
    store(paper(pmid="1"))
    path = tmp_path / "gold.csv"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(UnreadableFile, match=message):
        import_gold(path)
    assert contents("verdict", "comment", "reading") == {"verdict": [], "comment": [], "reading": []}


def test_29_only_the_first_twenty_lines_are_named(home: Path, tmp_path: Path) -> None:
    (tmp_path / "gold.csv").write_text(HEAD + "1,x,maybe\n" * 50)
    with pytest.raises(UnreadableFile) as error:
        import_gold(tmp_path / "gold.csv")
    assert str(error.value).count("line ") == 20 and "line 21:" in str(error.value)


def test_29_a_file_of_2_GB_is_refused_unread(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with (tmp_path / "gold.csv").open("wb") as file:
        file.write(HEAD.encode())
        file.truncate(2_000_000_000)

    def opened(*_: object, **__: object) -> None:
        raise AssertionError("the file was opened")

    monkeypatch.setattr(Path, "open", opened)
    with pytest.raises(UnreadableFile, match=r"gold\.csv: larger than"):
        import_gold(tmp_path / "gold.csv")


def test_29_mixed_line_ends_and_columns_of_others_are_no_error(home: Path, tmp_path: Path) -> None:
    store(paper(pmid="1"))
    rows = "Note,PMID,Sentence\r\nx,1,The gene is known.\n\ry,1,The assay was measured.\r"
    (tmp_path / "gold.csv").write_bytes(rows.encode())
    report = import_gold(tmp_path / "gold.csv")
    assert (report.rows, report.verdicts, report.failures) == (2, 2, [])


def test_29_a_sentence_that_no_article_has_is_named_by_its_line_and_hinders_no_other(
    home: Path, tmp_path: Path
) -> None:
    store(paper(pmid="1"))
    (tmp_path / "gold.csv").write_text(HEAD + GOOD + "1,Nothing like it was ever written anywhere.,1\n2,x,1\n")
    report = import_gold(tmp_path / "gold.csv")
    assert [line for line, _ in report.failures] == [3, 4] and report.verdicts == 1
