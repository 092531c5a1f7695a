"""The gold as a file: CSV, XLSX or JSON lines, with a manifest beside it, written whole or not at all."""

import csv
import io
import json
import os
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from openpyxl import Workbook
from openpyxl.cell import WriteOnlyCell
from openpyxl.cell.cell import ILLEGAL_CHARACTERS_RE

from annotate.gold import COLUMNS, GoldRow, gold_rows, manifest
from annotate.gold_import import MANIFEST_SUFFIX
from annotate.home import read
from db.base import utc_now

# Excel holds no longer text in one cell; such a sentence is cut there and only there, CSV and JSONL hold it whole.
XLSX_CELL = 32_767


def as_csv(rows: Sequence[GoldRow]) -> bytes:
    """RFC 4180: comma, CRLF, quotes where needed, UTF-8; every text exact."""
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\r\n")
    writer.writerow(COLUMNS)
    writer.writerows([asdict(row)[name] for name in COLUMNS] for row in rows)
    return text.getvalue().encode()


def as_jsonl(rows: Sequence[GoldRow]) -> bytes:
    """One JSON object a line, UTF-8."""
    return "".join(json.dumps(asdict(row), ensure_ascii=False) + "\n" for row in rows).encode()


def as_xlsx(rows: Sequence[GoldRow]) -> bytes:
    """One sheet whose cells are all text: a sentence that begins with = is no formula."""
    book = Workbook(write_only=True)
    sheet = book.create_sheet("gold")

    def text_cell(value: Any) -> WriteOnlyCell:
        cell = WriteOnlyCell(sheet, value=ILLEGAL_CHARACTERS_RE.sub("", str(value))[:XLSX_CELL])
        cell.data_type = "s"
        cell.number_format = "@"
        return cell

    sheet.append([text_cell(name) for name in COLUMNS])
    for row in rows:
        sheet.append([text_cell(value) for value in asdict(row).values()])
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


FORMATS: dict[str, Callable[[Sequence[GoldRow]], bytes]] = {".csv": as_csv, ".xlsx": as_xlsx, ".jsonl": as_jsonl}


def export(path: Path) -> dict[str, Any]:
    """Writes the gold to `path` (by its ending) and the manifest to PATH.manifest.json; returns the manifest.

    Raises ValueError for an unknown ending. An interrupted export leaves an earlier file as it was.
    """
    if path.suffix.lower() not in FORMATS:
        raise ValueError(f"{path.name}: the ending must be one of {', '.join(FORMATS)}")
    with read() as session:
        rows = gold_rows(session)
        summary = {**manifest(session, rows), "file": path.name, "exported_at": utc_now()}
    path.parent.mkdir(parents=True, exist_ok=True)
    _replace(path, FORMATS[path.suffix.lower()](rows))
    _replace(path.with_name(path.name + MANIFEST_SUFFIX), json.dumps(summary, indent=2, ensure_ascii=False).encode())
    return summary


def _replace(path: Path, content: bytes) -> None:
    partial = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with partial.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)
