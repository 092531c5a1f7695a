"""Tables that would cost much memory or time: refused by name and reason. The ids begin with the line of the bar."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from annotate.articles.table_files import read_table
from annotate.project.files.packed_lines import UnreadableFile
from tests.measure.fuzz import SHEET, WORKBOOK
from tests.support.hostile import written_once, zipped
from tests.support.paths import ROOT

# How long it takes, `tests/measure/refusals.py` measures: here is only what no machine should need.
pytestmark = [
    pytest.mark.timeout(120),
    pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs Linux"),
]
PEAK_MB = 512
HEAD = b"pmid,sentence,label\n"
GOLD = WORKBOOK[SHEET]
UNSIZED = GOLD.replace(b'<dimension ref="A1:C3"/>', b"")


def workbook(sheet: bytes, **parts: bytes) -> bytes:
    """A workbook with this sheet, and other parts by the name of their file."""
    return zipped(WORKBOOK | {SHEET: sheet} | {f"xl/{name}.xml": part for name, part in parts.items()})


def placed_at(row: bytes) -> bytes:
    """A workbook whose last row is this one."""
    return workbook(UNSIZED.replace(b'<row r="3"', b'<row r="' + row + b'"'))


def within(place: bytes, more: bytes) -> bytes:
    """A workbook with more before this place of its sheet."""
    return workbook(GOLD.replace(place, more + place, 1))


MILLION = 1_000_000
TOO_MUCH: dict[str, tuple[str, Callable[[], bytes], str]] = {
    "29-rows": ("gold.csv", lambda: HEAD + b"1,x,1\n" * MILLION, "line 250003: more than 250,000 rows"),
    "29-cells": ("gold.csv", lambda: HEAD + (b"ab," * 90 + b"ab\n") * 60_000, "5,000,000 cells"),
    "29-empty-cells": ("gold.csv", lambda: HEAD + (b"," * 9_000_000 + b"\n") * 2, "line 2: more than"),
    "29-empty-lines": ("gold.csv", lambda: HEAD + b"\n" * 2 * MILLION, "more than"),
    "29-line-that-never-ends": ("gold.csv", lambda: HEAD + "1,🧬".encode() * 4 * MILLION, "line 2: longer"),
    "29-quote-that-never-ends": ("gold.csv", lambda: HEAD + b'"' + b"x\n" * 6 * MILLION, "larger than field limit"),
    "29-columns": ("gold.csv", lambda: HEAD[:-1] + b",a" * 98 + b"\n1,x,1\n", "more than 100 columns"),
    "29-objects-of-other-keys": (
        "gold.jsonl",
        lambda: b"".join(b'{"k%d": 1}\n' % number for number in range(20_000)),
        "line 101: more than 100 columns",
    ),
    "29-objects": ("gold.jsonl", lambda: b'{"pmid": 1, "sentence": "x"}\n' * 300_000, "more than"),
    "29-row-3,000,000": ("gold.xlsx", lambda: placed_at(b"3000000"), "line 1100001: more than"),
    "29-row-of-400-digits": ("gold.xlsx", lambda: placed_at(b"9" * 400), "line 1100001: more than"),
    "29-rows-of-a-sheet": ("gold.xlsx", lambda: within(b"</sheetData>", b"<row/>" * MILLION), "400,000 rows"),
    "29-cells-of-a-row": ("gold.xlsx", lambda: within(b"</row></sheetData>", b"<c/>" * MILLION), "10,000 elements"),
    "29-elements-of-no-row": ("gold.xlsx", lambda: within(b"<sheetData>", b"<x/>" * MILLION), "400,000 rows"),
    "29-styles": (
        "gold.xlsx",
        lambda: workbook(GOLD, styles=b"<styleSheet>" + b"<xf/>" * MILLION + b"</styleSheet>"),
        "100,000 elements",
    ),
    "19-bomb-in-a-workbook": ("gold.xlsx", lambda: within(b"The gene", b" " * 110 * MILLION), "more than 100 MB"),
    "19-entries-of-a-workbook": (
        "gold.xlsx",
        lambda: zipped(WORKBOOK | {f"{number}.xml": b"<a/>" for number in range(1_001)}),
        "1,000 files",
    ),
    "01-entities-of-a-workbook": (
        "gold.xlsx",
        lambda: workbook(b'<!DOCTYPE a [<!ENTITY a "lol">]>' + GOLD.replace(b"The gene", b"&a;")),
        "DOCTYPE",
    ),
}
READER = """
import json, sys
from pathlib import Path
from annotate.articles.table_files import read_table
from annotate.project.files.packed_lines import UnreadableFile
from tests.support.hostile import peak_mb
told = {}
for path in map(Path, sys.argv[1:]):
    try:
        read_table(path, needs=[("sentence",)])
    except UnreadableFile as error:
        told[str(path)] = str(error)
print(json.dumps([told, peak_mb()]))
"""


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What a process that read all of them, one after another, was told of each case, and its peak of memory."""
    written = written_once(tmp_path_factory.mktemp("tables"), TOO_MUCH)
    paths = {case: str(written(case)) for case in TOO_MUCH}
    done = subprocess.run(
        [sys.executable, "-c", READER, *paths.values()],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=True,
    )
    told, peak = json.loads(done.stdout)
    return {"told": {case: told.get(path, "nothing") for case, path in paths.items()}, "peak_mb": peak}


@pytest.mark.parametrize("case", TOO_MUCH)
def test_a_table_of_too_much_is_refused_by_name_and_reason(found: dict[str, Any], case: str) -> None:
    name, _, reason = TOO_MUCH[case]
    assert found["told"][case].startswith(name) and reason in found["told"][case]


def test_all_of_them_after_one_another_cost_little_memory(found: dict[str, Any]) -> None:
    assert found["peak_mb"] <= PEAK_MB


def test_a_workbook_that_says_to_be_wider_and_longer_than_it_is_is_read_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "gold.xlsx"
    path.write_bytes(workbook(GOLD.replace(b"A1:C3", b"A1:XFD1048576")))
    rows = read_table(path, needs=[("sentence",)])
    assert [(line, set(row)) for line, row in rows] == [(line, {"pmid", "sentence", "label"}) for line in (2, 3)]


def test_a_cell_beyond_the_last_column_of_a_workbook_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "gold.xlsx"
    path.write_bytes(workbook(UNSIZED.replace(b'"C3"', b'"F3"')))
    with pytest.raises(UnreadableFile, match=r"gold\.xlsx: wrong number of cells in line 3"):
        read_table(path, needs=[("sentence",)])
