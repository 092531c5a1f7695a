"""Tables from people: read exactly, or refused with the file and the line."""

import gc
import json
import os
import re
import zipfile
from pathlib import Path
from zipfile import ZipFile

import pytest
from openpyxl import Workbook

from annotate.articles.table_files import read_table
from annotate.project.files.packed_lines import UnreadableFile

NEEDS = [("pmid", "doi"), ("sentence",)]
TWICE = '{"pmid": 1, "sentence": "x", "Sentence ": "y"}'
# JSON can write NUL and halves of surrogate pairs, and no database stores them.
NO_CHARACTER = [json.dumps({"pmid": "1", "sentence": f"x{half}"}) for half in ("\0", "\ud83d", "\\\udfff")]


def table(folder: Path, content: str | bytes, name: str = "gold.csv"):
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return read_table(path, needs=NEEDS)


def sheet(folder: Path, rows: list[list], name: str = "gold.xlsx") -> Path:
    book = Workbook()
    for row in rows:
        book.active.append(row)
    book.save(folder / name)
    return folder / name


@pytest.mark.parametrize(
    "content",
    [
        "pmid,sentence\n1,One.\n2,Two.\n",
        "\ufeffpmid,sentence\r\n1,One.\r\n2,Two.\r\n",
        " PMID , Sentence\r1,One.\r2,Two.",
        'pmid,sentence\r\n"1","One."\n2,Two.\r\n',
    ],
    ids=["plain", "BOM and CRLF", "old Mac and capitals", "mixed"],
)
def test_a_csv_is_read_alike_whoever_wrote_it(tmp_path, content):
    assert table(tmp_path, content) == [
        (2, {"pmid": "1", "sentence": "One."}),
        (3, {"pmid": "2", "sentence": "Two."}),
    ]


def test_cells_stay_as_they_are_and_lines_are_those_of_the_file(tmp_path):
    rows = table(tmp_path, 'pmid,sentence\n1," a ""b"",\nc "\n\n2,=x\n')
    assert rows == [(3, {"pmid": "1", "sentence": ' a "b",\nc '}), (5, {"pmid": "2", "sentence": "=x"})]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "gold.csv: empty file"),
        ("sentence\nx\n", "needs a column pmid or doi; it has sentence"),
        ("pmid,text\n1,x\n", "needs a column sentence; it has pmid, text"),
        ("pmid,sentence,Sentence\n1,x,y\n", "column sentence stands twice"),
        ("pmid,sentence\n1,x\n2\n3,y,z\n", "wrong number of cells in line 3, 4"),
        ('pmid,sentence\n1,x\n2,"y" z\n', "gold.csv, line 3"),
        ('pmid,sentence\n1,"x\n', "gold.csv, line 2"),
        ("pmid,sentence\n1,x\0y\n", "NUL"),
        (b"pmid,sentence\n1,\xff\xfe\n", r"not UTF-8 \(byte 16\)"),
        ("pmid,sentence\n1," + "x" * 10_000_001, "gold.csv, line 2: longer than 10,000,000"),
    ],
    ids=lambda value: "" if isinstance(value, bytes | str) and len(value) > 50 else None,
)
def test_a_csv_that_cannot_be_used_is_refused_by_file_and_line(tmp_path, content, message):
    with pytest.raises(UnreadableFile, match=message):
        table(tmp_path, content)


def test_only_the_first_twenty_wrong_lines_are_listed(tmp_path):
    with pytest.raises(UnreadableFile) as error:
        table(tmp_path, "pmid,sentence\n" + "1\n" * 50)
    assert str(error.value).endswith("in line " + ", ".join(str(line) for line in range(2, 22)))


def test_a_file_that_is_missing_or_too_large_is_refused(tmp_path, monkeypatch):
    with pytest.raises(UnreadableFile, match="no such file"):
        read_table(tmp_path / "none.csv", needs=NEEDS)
    monkeypatch.setattr("annotate.articles.table_files.MAX_BYTES", 10)
    with pytest.raises(UnreadableFile, match=r"gold\.csv: larger than"):
        table(tmp_path, "pmid,sentence\n1,x\n")


def test_json_lines_may_leave_keys_out_and_hold_numbers(tmp_path):
    lines = [{"PMID": 1, "sentence": "α\u2028x"}, {"sentence": "\U0001f9ec \\u0000", "pmid": None, "label": True}]
    text = "\n\n".join(json.dumps(line, ensure_ascii=number) for number, line in enumerate(lines))
    assert table(tmp_path, text, "gold.jsonl") == [
        (1, {"pmid": "1", "sentence": "α\u2028x", "label": ""}),
        (3, {"pmid": "", "sentence": "\U0001f9ec \\u0000", "label": "True"}),
    ]


@pytest.mark.parametrize("line", ["[1]", "{", "7", "nonsense", "[" * 100_000, '{"a": ' * 100_000, TWICE, *NO_CHARACTER])
def test_a_line_that_is_no_json_object_is_named(tmp_path, line):
    with pytest.raises(UnreadableFile, match=r"gold\.jsonl, line 2: "):
        table(tmp_path, '{"pmid": 1, "sentence": "x"}\n' + line, "gold.jsonl")


def test_a_workbook_is_read_as_text(tmp_path):
    path = sheet(tmp_path, [["PMID", "Sentence", "Label"], [33, "One.", 1], [None, None, None], ["2", "'=x", None]])
    assert read_table(path, needs=NEEDS) == [
        (2, {"pmid": "33", "sentence": "One.", "label": "1"}),
        (4, {"pmid": "2", "sentence": "'=x", "label": ""}),
    ]


def test_a_workbook_that_tells_a_wrong_size_is_read_whole(tmp_path):
    path = sheet(tmp_path, [["pmid", "sentence"], [1, "One."], [2, "Two."]])
    with ZipFile(path) as whole:
        members = {name: whole.read(name) for name in whole.namelist()}
    with ZipFile(path, "w") as changed:
        for name, content in members.items():
            changed.writestr(name, re.sub(rb'<dimension ref="[^"]*"', b'<dimension ref="A1"', content))
    assert [row["sentence"] for _, row in read_table(path, needs=NEEDS)] == ["One.", "Two."]


def test_columns_at_the_end_with_neither_name_nor_value_are_left_out(tmp_path):
    assert table(tmp_path, "pmid,sentence,,\n1,One.,,\n") == [(2, {"pmid": "1", "sentence": "One."})]
    with pytest.raises(UnreadableFile, match="wrong number of cells in line 2"):
        table(tmp_path, "pmid,sentence,,\n1,One.,,x\n")


def test_a_workbook_is_closed_once_it_is_read(tmp_path):
    path = sheet(tmp_path, [["pmid", "sentence"], [1, "x"]])
    gc.collect()
    gc.disable()  # what is left open would go with the next collection of garbage
    try:
        read_table(path, needs=NEEDS)
        held = {os.path.realpath(handle) for handle in Path("/dev/fd").iterdir()}
    finally:
        gc.enable()
    assert str(path) not in held


def test_a_workbook_that_is_none_is_refused(tmp_path):
    good = sheet(tmp_path, [["pmid", "sentence"], [1, "x"]]).read_bytes()
    (tmp_path / "text.xlsx").write_text("pmid,sentence\n")
    (tmp_path / "cut.xlsx").write_bytes(good[: len(good) // 2])
    (tmp_path / "empty.xlsx").write_bytes(b"")
    with zipfile.ZipFile(tmp_path / "other.xlsx", "w") as archive:
        archive.writestr("readme.txt", "no workbook")
    for broken in ("xl/workbook.xml", "xl/worksheets/sheet1.xml", "[Content_Types].xml"):
        with (
            zipfile.ZipFile(tmp_path / "gold.xlsx") as source,
            zipfile.ZipFile(tmp_path / f"broken {Path(broken).stem}.xlsx", "w") as target,
        ):
            for name in source.namelist():
                target.writestr(name, b"<broken" if name == broken else source.read(name))
    for name in sorted(path.name for path in tmp_path.glob("*.xlsx") if path.name != "gold.xlsx"):
        with pytest.raises(UnreadableFile, match=f"^{Path(name).stem}".replace("[", r"\[").replace("]", r"\]")):
            read_table(tmp_path / name, needs=NEEDS)
