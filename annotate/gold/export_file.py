"""The gold as a file: CSV, XLSX or JSON lines, with a manifest next to it, written whole or not at all."""

import io
import json
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from annotate.articles.table_files import csv_text, safe_cell
from annotate.gold.descriptions import as_json, described
from annotate.gold.file_rows import MANIFEST_SUFFIX
from annotate.gold.label_sets import LIVE, Basis
from annotate.gold.rows import GoldRow, gold_columns, gold_rows, manifest
from annotate.project.acting import demand
from annotate.project.files.characters import NOT_IN_XML
from annotate.project.home import read, write
from annotate.project.notes import Noted, after_writing, note
from annotate.project.rights import Right
from annotate.project.whole_files import write_whole
from annotate.project.words import count_of
from annotate.topics.project_topic import topic_now
from db.base import utc_now

# Excel holds no longer text in one cell; such a sentence is cut there and only there, CSV and JSONL hold it whole.
XLSX_CELL = 32_767
# The time at which every workbook says that it was made, so that equal rows make equal bytes.
NO_TIME = datetime(1980, 1, 1)
WIDTHS = {"title": 40, "sentence": 80, "comment": 40}  # in characters; of the other columns 14
# Numbers that we wrote: a cosine below zero is no formula, and programs that read the file want a number.
NUMBERS: dict[str, Callable[[str], float]] = {"rank": int, "cosine": float}


def as_csv(rows: Sequence[GoldRow], columns: Sequence[str]) -> bytes:
    """RFC 4180, UTF-8; a text that a spreadsheet might take for a formula has an apostrophe before it."""
    return csv_text(columns, (_cells(row, columns) for row in rows)).encode()


def cells_prefixed(rows: Sequence[GoldRow]) -> int:
    """How many cells of the CSV have such an apostrophe: import takes it off, other readers may want to know."""
    return sum(safe_cell(cell) != cell for row in rows for cell in _cells(row, tuple(row)))


def _cells(row: GoldRow, columns: Sequence[str]) -> list[Any]:
    return [NUMBERS[name](row[name]) if name in NUMBERS and row[name] else row[name] for name in columns]


def as_jsonl(rows: Sequence[GoldRow], columns: Sequence[str]) -> bytes:
    """One JSON object a line, UTF-8."""
    return json_lines({name: row[name] for name in columns} for row in rows)


def json_lines(objects: Iterable[dict[str, Any]]) -> bytes:
    """Objects as JSON, one a line, UTF-8."""
    return "".join(json.dumps(each, ensure_ascii=False) + "\n" for each in objects).encode()


def zipped(files: Iterable[tuple[str, bytes]]) -> bytes:
    """A zip of (name, content) whose bytes depend on nothing but these: its entries bear no time."""
    made = io.BytesIO()
    with ZipFile(made, "w", ZIP_DEFLATED) as archive:
        for name, content in files:
            archive.writestr(ZipInfo(name), content, ZIP_DEFLATED)
    return made.getvalue()


def as_xlsx(rows: Sequence[GoldRow], columns: Sequence[str]) -> bytes:
    """One sheet whose cells are all text: a sentence that begins with = is no formula. Equal rows make equal bytes.

    Its head stays in sight and filters the rows.
    """
    # Few processes write a workbook.
    from openpyxl import Workbook  # noqa: PLC0415 (as above)
    from openpyxl.cell import WriteOnlyCell  # noqa: PLC0415 (as above)
    from openpyxl.utils import get_column_letter  # noqa: PLC0415 (as above)
    from openpyxl.writer.excel import ExcelWriter  # noqa: PLC0415 (as above)

    book = Workbook(write_only=True)
    book.properties.created = book.properties.modified = NO_TIME
    sheet = book.create_sheet("gold")

    def text_cell(value: Any) -> Any:
        cell = WriteOnlyCell(sheet, value=NOT_IN_XML.sub("", str(value))[:XLSX_CELL])
        cell.data_type = "s"
        cell.number_format = "@"
        return cell

    sheet.freeze_panes = "A2"
    for number, name in enumerate(columns, 1):
        sheet.column_dimensions[get_column_letter(number)].width = WIDTHS.get(name, 14)
    sheet.auto_filter.ref = f"A1:{get_column_letter(len(columns))}{len(rows) + 1}"
    sheet.append([text_cell(name) for name in columns])
    for row in rows:
        sheet.append([text_cell(row[name]) for name in columns])
    file = io.BytesIO()
    ExcelWriter(book, ZipFile(file, "w")).save()
    with ZipFile(file) as dated:
        return zipped((name, dated.read(name)) for name in dated.namelist())


def as_zip(rows: Sequence[GoldRow], columns: Sequence[str]) -> bytes:
    """A zip of the CSV and the JSON lines, with what they say of themselves to other programs."""
    files = [("gold.csv", as_csv(rows, columns)), ("gold.jsonl", as_jsonl(rows, columns))]
    return zipped(described(files, rows))


Format = Callable[[Sequence[GoldRow], Sequence[str]], bytes]  # from the rows, and the columns that the file has
# These are read, too.
FORMATS: dict[str, Format] = {".csv": as_csv, ".xlsx": as_xlsx, ".jsonl": as_jsonl}
WRITTEN = {**FORMATS, ".zip": as_zip}


def check_ending(path: Path) -> str:
    """The file's ending, in lower case. Raises ValueError for one that no format has."""
    if path.suffix.lower() not in WRITTEN:
        raise ValueError(f"{path.name}: the ending must be one of {', '.join(WRITTEN)}")
    return path.suffix.lower()


def export(path: Path) -> dict[str, Any]:
    """Writes the gold to `path` (by its ending) and the manifest to PATH.manifest.json; returns the manifest.

    Raises ValueError for an unknown ending. An interrupted export leaves an earlier file as it was.
    """
    ending = check_ending(path)
    with read() as session:
        rows, columns = gold_rows(session), gold_columns(topic_now(session))
        summary = {**manifest(session, rows), "file": path.name, "exported_at": utc_now()}
    if ending in (".csv", ".zip"):
        summary["csv_cells_prefixed"] = cells_prefixed(rows)
    write_files(path, WRITTEN[ending](rows, columns), summary)
    return summary


def write_files(path: Path, content: bytes, summary: dict[str, Any]) -> None:
    """Writes a file and its manifest next to it, each whole or not at all, and notes it in the history.

    Where the history cannot take the note, `summary` tells it afterwards. Raises Forbidden, and writes nothing, where
    the acting person may not export.
    """
    with read() as session:
        demand(session, Right.GOLD)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, content)
    write_whole(path.with_name(path.name + MANIFEST_SUFFIX), as_json(summary))
    with after_writing(summary):
        note_export(path.name, summary)


def note_export(file_name: str, summary: dict[str, Any]) -> None:
    """Notes that the acting person took out the gold, a snapshot of it or the gold of chosen articles."""
    what = f"the snapshot {summary['snapshot']}" if "snapshot" in summary else "the gold"
    if "articles_chosen" in summary:
        what = f"the gold of {count_of(summary['articles_chosen'], 'chosen article')}"
    rows = f": {count_of(summary['rows'], 'row')}" if "rows" in summary else ""
    details = {
        name: summary[name] for name in ("rows", "label_set_sha256", "snapshot", "articles_chosen") if name in summary
    }
    with write(Right.GOLD) as session:
        note(session, Noted.EXPORT, f"exported {what} as {file_name}{rows}", **details)


def download(ending: str, basis: Basis) -> bytes:
    """The live gold as a file of this format, as it was when the basis's last rows were stored."""
    with read() as session:
        return WRITTEN[ending](gold_rows(session, basis), gold_columns(topic_now(session)))


def download_manifest(basis: Basis = LIVE) -> bytes:
    """The manifest of such a file."""
    with read() as session:
        rows = gold_rows(session, basis)
        return as_json(manifest(session, rows, basis) | {"csv_cells_prefixed": cells_prefixed(rows)})
