"""Tables from people (CSV, JSON lines, XLSX): read whole, checked, with errors that name the lines; and CSV back."""

import csv
import io
import json
import re
import zlib
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

from openpyxl import load_workbook

MAX_BYTES = 200_000_000
REPORTED_LINES = 20
# What openpyxl lets through when 1,500 workbooks were broken at random places: it has no error of its own.
BROKEN_WORKBOOK = (
    BadZipFile, zlib.error, SyntaxError, LookupError, ValueError, TypeError, RuntimeError, OSError, EOFError,
)  # fmt: skip
# What a spreadsheet may take for a formula (OWASP ASVS 5.0, 1.2.10), also in full width and behind spaces or
# separators. Apostrophes before it count, so that a text that has one itself survives too.
_FORMULA = re.compile(r"'*(?:[\t\r\n\0]|[\s;,]*[=+\-@＝＋－＠﹦﹢﹣﹫])")


class BadTable(ValueError):
    """A table that cannot be used; the message names the file and the lines."""


def safe_cell(value: Any) -> Any:
    """A text that a spreadsheet might take for a formula with an apostrophe before it; anything else as it is."""
    return f"'{value}" if isinstance(value, str) and _FORMULA.match(value) else value


def exact_cell(text: str) -> str:
    """The text that `safe_cell` was given."""
    return text[1:] if text.startswith("'") and _FORMULA.match(text) else text


def csv_text(header: Sequence[str], rows: Iterable[Iterable[Any]]) -> str:
    """RFC 4180 (comma, CRLF, quotes where needed) with every text a `safe_cell`; `read_table` gives it back exactly."""
    file = io.StringIO(newline="")
    writer = csv.writer(file, lineterminator="\r\n")
    writer.writerow(header)
    writer.writerows(map(safe_cell, row) for row in rows)
    return file.getvalue()


Row = tuple[int, dict[str, str]]


def read_table(path: Path, *, needs: Collection[Collection[str]]) -> list[Row]:
    """(line number, row) of a CSV, JSON lines or XLSX file; names in lower case, values as they are.

    A CSV's cells lose the apostrophe of `safe_cell`.

    `needs` lists groups of columns of which one each must be there. Raises BadTable for a missing column, a
    doubled one, broken quotes, rows of another width, NUL bytes or text that is not UTF-8.
    """
    if not path.is_file():
        raise BadTable(f"{path}: no such file")
    if path.stat().st_size > MAX_BYTES:
        raise BadTable(f"{path.name}: larger than {MAX_BYTES // 1_000_000} MB")
    read = {".jsonl": _read_jsonl, ".xlsx": _read_xlsx}.get(path.suffix.lower(), _read_csv)
    header, rows = read(path)
    _check_header(path.name, header, needs)
    wrong = [str(line) for line, row in rows if len(row) != len(header)]
    if wrong:
        raise BadTable(f"{path.name}: wrong number of cells in line {', '.join(wrong[:REPORTED_LINES])}")
    return [(line, dict(zip(header, row, strict=True))) for line, row in rows]


Cells = list[tuple[int, list[str]]]


def _decoded(path: Path) -> str:
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise BadTable(f"{path.name}: not UTF-8 (byte {error.start})") from None
    if "\0" in text:
        raise BadTable(f"{path.name}: holds a NUL character")
    return text


def _read_csv(path: Path) -> tuple[list[str], Cells]:
    csv.field_size_limit(10_000_000)
    reader = csv.reader(io.StringIO(_decoded(path), newline=""), strict=True)
    try:
        header = [name.strip().lower() for name in next(reader, [])]
        rows = [(reader.line_num, row) for row in reader if any(cell.strip() for cell in row)]
    except csv.Error as error:
        raise BadTable(f"{path.name}, line {reader.line_num}: {error}") from None
    return header, [(line, list(map(exact_cell, row))) for line, row in rows]


def _read_jsonl(path: Path) -> tuple[list[str], Cells]:
    objects = []
    for line, text in enumerate(_decoded(path).split("\n"), start=1):
        if text.strip():
            try:
                value = json.loads(text)
            except (ValueError, RecursionError):
                value = None
            if not isinstance(value, dict):
                raise BadTable(f"{path.name}, line {line}: not a JSON object")
            objects.append((line, {str(name).lower(): value[name] for name in value}))
    header = list(dict.fromkeys(name for _, row in objects for name in row))
    texts = [(line, ["" if row.get(name) is None else str(row[name]) for name in header]) for line, row in objects]
    return header, texts


def _read_xlsx(path: Path) -> tuple[list[str], Cells]:
    try:
        sheet = load_workbook(path, read_only=True).worksheets[0]
        rows = [["" if cell is None else str(cell) for cell in row] for row in sheet.iter_rows(values_only=True)]
    except BROKEN_WORKBOOK as error:
        raise BadTable(f"{path.name}: not a readable XLSX file ({error})") from None
    header = [name.strip().lower() for name in rows[0]] if rows else []
    return header, [(line, row) for line, row in enumerate(rows[1:], start=2) if any(row)]


def _check_header(name: str, header: list[str], needs: Collection[Collection[str]]) -> None:
    if not header:
        raise BadTable(f"{name}: empty file")
    doubled = sorted({column for column in header if header.count(column) > 1})
    if doubled:
        raise BadTable(f"{name}: column {', '.join(doubled)} stands twice")
    for group in needs:
        if not set(group) & set(header):
            raise BadTable(f"{name}: needs a column {' or '.join(group)}; it has {', '.join(header)}")


def normal_identifiers(row: dict[str, str]) -> dict[str, str]:
    """The pmid, pmcid and doi of a row, in their stored form; empty where absent."""
    pmcid = row.get("pmcid", "").strip().upper()
    return {
        "pmid": row.get("pmid", "").strip().removesuffix(".0"),
        "pmcid": f"PMC{pmcid}" if pmcid.isdigit() else pmcid,
        "doi": row.get("doi", "").strip().lower().removeprefix("https://doi.org/"),
    }
