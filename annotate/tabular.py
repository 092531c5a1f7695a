"""CSV files from people: read whole, checked, with errors that name the lines."""

import csv
import io
from collections.abc import Collection
from pathlib import Path

MAX_BYTES = 200_000_000
REPORTED_LINES = 20


class BadTable(ValueError):
    """A table that cannot be used; the message names the file and the lines."""


def read_table(path: Path, *, needs: Collection[Collection[str]]) -> list[tuple[int, dict[str, str]]]:
    """(line number, row) of a CSV file with a header; names in lower case, values as they are.

    `needs` lists groups of columns of which one each must be there. Raises BadTable for a missing column, a
    doubled one, broken quotes, rows of another width, NUL bytes or text that is not UTF-8.
    """
    if path.stat().st_size > MAX_BYTES:
        raise BadTable(f"{path.name}: larger than {MAX_BYTES // 1_000_000} MB")
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise BadTable(f"{path.name}: not UTF-8 (byte {error.start})") from None
    if "\0" in text:
        raise BadTable(f"{path.name}: holds a NUL character")
    csv.field_size_limit(10_000_000)
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    try:
        header = [name.strip().lower() for name in next(reader, [])]
        _check_header(path.name, header, needs)
        rows = [(reader.line_num, row) for row in reader if any(cell.strip() for cell in row)]
    except csv.Error as error:
        raise BadTable(f"{path.name}, line {reader.line_num}: {error}") from None
    wrong = [str(line) for line, row in rows if len(row) != len(header)]
    if wrong:
        raise BadTable(f"{path.name}: wrong number of cells in line {', '.join(wrong[:REPORTED_LINES])}")
    return [(line, dict(zip(header, row, strict=True))) for line, row in rows]


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
