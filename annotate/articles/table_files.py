"""Tables from people (CSV, JSON lines, XLSX), read whole and checked; errors name the lines. Writes CSV too.

A workbook is checked first: openpyxl would believe any size that a file claims.
"""

import csv
import io
import re
import zlib
from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, BinaryIO, TextIO
from xml.parsers import expat
from zipfile import BadZipFile, ZipFile, ZipInfo

from annotate.articles.parsing.limits import CHUNK_BYTES, MB, XML_DEPTH
from annotate.articles.parsing.streams import check_directory
from annotate.project.files.packed_lines import UnreadableFile, json_lines

# openpyxl has no error of its own. These it raised for 1,500 workbooks that were broken at random places.
BROKEN_WORKBOOK = (
    BadZipFile, zlib.error, SyntaxError, LookupError, ValueError, TypeError, RuntimeError, OSError, EOFError,
    expat.ExpatError,
)  # fmt: skip
INFLATED_BYTES = 100 * MB  # 100,000 rows of our own export inflate to about 60 MB
MEMBERS = 1_000
# openpyxl keeps some 100 bytes of every row and text; what a row holds it keeps only until the row is read.
ROWS_OR_TEXTS = 400_000
WITHIN_ONE = 10_000
# For every other element (styles and the like) it keeps an object of about 1 kB.
OTHER_ELEMENTS = 100_000
_TOO_MANY_OTHERS = f"it holds more than {OTHER_ELEMENTS:,} elements besides its rows"
_READ_ROW_BY_ROW = ("worksheet", "sst")


class UnsafeWorkbook(ValueError):
    """A workbook that would cost more memory than any table needs."""


def workbook_rows(path: Path, columns: int) -> Iterator[list[str]]:
    """The rows of the first sheet as text, cut to `columns` columns; one without a value is [].

    A hostile file can claim rows without end, so the caller must stop at a number. Raises one of BROKEN_WORKBOOK.
    """
    with path.open("rb") as file:
        _check(file)
        from openpyxl import load_workbook  # noqa: PLC0415 (few processes read a workbook)

        sheet = load_workbook(file, read_only=True).worksheets[0]
        sheet.reset_dimensions()  # what a sheet says of its own size may be wrong
        empty = (None,) * columns
        for row in sheet.iter_rows(values_only=True, max_col=columns):
            yield [] if row == empty else ["" if cell is None else str(cell) for cell in row]


def _check(file: BinaryIO) -> None:
    check_directory(file)
    with ZipFile(file) as archive:
        members = archive.infolist()
        if len(members) > MEMBERS:
            raise UnsafeWorkbook(f"it holds more than {MEMBERS:,} files")
        # What the archive declares can be relied on: zipfile gives no more bytes of a member than that.
        if sum(member.file_size for member in members) > INFLATED_BYTES:
            raise UnsafeWorkbook(f"it inflates to more than {INFLATED_BYTES // MB} MB")
        others = 0
        for member in members:
            if member.filename.lower().endswith((".xml", ".rels")):
                others += _Counted(archive, member).others
                if others > OTHER_ELEMENTS:
                    raise UnsafeWorkbook(_TOO_MANY_OTHERS)


class _Counted:
    """Counts the elements of one part without keeping them; `others` are the elements of a part that is kept whole."""

    def __init__(self, archive: ZipFile, member: ZipInfo) -> None:
        self.others = self._kept = self._within = self._depth = 0
        self._row_by_row = False
        parser = expat.ParserCreate()
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.StartDoctypeDeclHandler = self._doctype
        with archive.open(member) as part:
            while piece := part.read(CHUNK_BYTES):
                parser.Parse(piece)
        parser.Parse(b"", True)

    def _start(self, name: str, _: dict[str, str]) -> None:
        self._depth += 1
        if self._depth == 1:
            self._row_by_row = name.rpartition(":")[2] in _READ_ROW_BY_ROW
        if not self._row_by_row:
            self.others += 1
        elif self._depth <= 3:  # worksheet, sheetData, row
            self._kept, self._within = self._kept + 1, 0
        else:
            self._within += 1
        if self.others > OTHER_ELEMENTS:
            raise UnsafeWorkbook(_TOO_MANY_OTHERS)
        if self._kept > ROWS_OR_TEXTS:
            raise UnsafeWorkbook(f"it holds more than {ROWS_OR_TEXTS:,} rows or texts")
        if self._within > WITHIN_ONE or self._depth > XML_DEPTH:
            raise UnsafeWorkbook(f"it holds a row of more than {WITHIN_ONE:,} elements")

    def _end(self, _: str) -> None:
        self._depth -= 1

    def _doctype(self, *_: object) -> None:
        raise UnsafeWorkbook("it declares a DOCTYPE")


# An export of 200,000 sentences has about 100 MB of CSV; a larger file would need too much memory.
MAX_BYTES = 150_000_000
MAX_ROWS = 250_000
MAX_COLUMNS = 100
MAX_CELLS = 5_000_000
MAX_LINES = 1_100_000  # empty ones too; a spreadsheet has 1,048,576 at most
MAX_CHARACTERS = 10_000_000  # of one line
REPORTED_LINES = 20
# What a spreadsheet may take for a formula (OWASP ASVS 5.0, 1.2.10), also in full width and behind spaces or
# separators. Apostrophes before it count, so that a text that has one itself survives too.
_FORMULA = re.compile(r"'*(?:[\t\r\n\0]|[\s;,]*[=+\-@＝＋－＠﹦﹢﹣﹫])")


def safe_cell(value: Any) -> Any:
    """A text that a spreadsheet might take for a formula with an apostrophe before it; anything else as it is."""
    return f"'{value}" if isinstance(value, str) and _FORMULA.match(value) else value


def exact_cell(text: str) -> str:
    """Undoes `safe_cell`: the text without the apostrophe that it added."""
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
    """(line number, row) of a CSV, JSON lines or XLSX file; column names in lower case, values as they are.

    A CSV's cells lose the apostrophe of `safe_cell`.

    `needs` lists groups of columns; the file must have at least one of each group. Raises UnreadableFile for a missing
    or doubled column, broken quotes, rows of another width, NUL bytes or text that is not UTF-8. The same holds for a
    file larger than any table needs.
    """
    if not path.is_file():
        raise UnreadableFile(f"{path}: {'is a folder' if path.is_dir() else 'no such file'}")
    if path.stat().st_size > MAX_BYTES:
        raise UnreadableFile(f"{path.name}: larger than {MAX_BYTES // 1_000_000} MB")
    read = {".jsonl": _read_jsonl, ".xlsx": _read_xlsx}.get(path.suffix.lower(), _read_csv)
    header, rows = read(path)
    _check_header(path.name, header, needs)
    wrong = [str(line) for line, row in rows if len(row) != len(header)]
    if wrong:
        raise UnreadableFile(f"{path.name}: wrong number of cells in line {', '.join(wrong[:REPORTED_LINES])}")
    return [(line, dict(zip(header, row, strict=True))) for line, row in rows]


Cells = list[tuple[int, list[str]]]


def _lines(path: Path, file: TextIO) -> Iterator[str]:
    number = 0
    try:
        while line := file.readline(MAX_CHARACTERS):
            number += 1
            if len(line) == MAX_CHARACTERS:
                raise UnreadableFile(f"{path.name}, line {number}: longer than {MAX_CHARACTERS:,} characters")
            if "\0" in line:
                raise UnreadableFile(f"{path.name}, line {number}: holds a NUL character")
            yield line
    except UnicodeDecodeError:
        raise UnreadableFile(f"{path.name}: not UTF-8 (byte {_undecodable(path)})") from None


def _undecodable(path: Path) -> int:
    """The place of the first byte that is not UTF-8. A decoder that reads ahead does not say where it is."""
    place = 0
    with path.open("rb") as file:
        for line in file:
            try:
                line.decode()
            except UnicodeDecodeError as error:
                return place + error.start
            place += len(line)
    return place


def _counted(path: Path, rows: Iterable[tuple[int, list[str]]]) -> Cells:
    """The rows that are not empty. Raises UnreadableFile once there are too many rows, cells or lines."""
    found: Cells = []
    cells = 0
    for line, row in rows:
        cells += len(row)
        if line > MAX_LINES or len(found) > MAX_ROWS or cells > MAX_CELLS:
            raise UnreadableFile(f"{path.name}, line {line}: more than {MAX_ROWS:,} rows or {MAX_CELLS:,} cells")
        if any(cell.strip() for cell in row):
            found.append((line, row))
    return found


def _read_csv(path: Path) -> tuple[list[str], Cells]:
    csv.field_size_limit(MAX_CHARACTERS)
    with path.open(encoding="utf-8-sig", newline="") as file:
        reader = csv.reader(_lines(path, file), strict=True)
        try:
            header = [name.strip().lower() for name in next(reader, [])]
            rows = _counted(path, ((reader.line_num, row) for row in reader))
        except csv.Error as error:
            raise UnreadableFile(f"{path.name}, line {reader.line_num}: {error}") from None
    for _, row in rows:
        row[:] = map(exact_cell, row)
    return _without_empty_columns(header, rows)


def _read_jsonl(path: Path) -> tuple[list[str], Cells]:
    objects: list[tuple[int, dict[str, str]]] = []
    header: dict[str, None] = {}
    for line, row in json_lines(path, _cells, longest_line=MAX_CHARACTERS):
        objects.append((line, row))
        header |= dict.fromkeys(row)
        if len(header) > MAX_COLUMNS or len(objects) > MAX_ROWS:
            raise UnreadableFile(f"{path.name}, line {line}: more than {MAX_COLUMNS} columns or {MAX_ROWS:,} rows")
    return list(header), [(line, [row.get(name, "") for name in header]) for line, row in objects]


def _cells(cells: dict[str, Any]) -> dict[str, str]:
    found = {name.strip().lower(): "" if cell is None else str(cell) for name, cell in cells.items()}
    if len(found) < len(cells):
        raise ValueError("a column stands twice")
    return found


def _read_xlsx(path: Path) -> tuple[list[str], Cells]:
    try:
        rows = _counted(path, enumerate(workbook_rows(path, MAX_COLUMNS + 1), start=1))
    except UnreadableFile:
        raise
    except BROKEN_WORKBOOK as error:
        raise UnreadableFile(f"{path.name}: not a readable XLSX file ({error})") from None
    if not rows or rows[0][0] != 1:
        return [], []
    header = [name.strip().lower() for name in rows[0][1]]
    return _without_empty_columns(header, rows[1:])


def _without_empty_columns(header: list[str], rows: Cells) -> tuple[list[str], Cells]:
    """The table without the columns at its end that have neither a name nor a value: many a sheet claims to be wider
    than it is. A value beyond the last name stays, so that it is refused."""
    width = max((number for number, name in enumerate(header, start=1) if name), default=0)
    return header[:width], [(line, row if any(row[width:]) else row[:width]) for line, row in rows]


def _check_header(name: str, header: list[str], needs: Collection[Collection[str]]) -> None:
    if not header:
        raise UnreadableFile(f"{name}: empty file")
    if len(header) > MAX_COLUMNS:
        raise UnreadableFile(f"{name}: more than {MAX_COLUMNS} columns")
    doubled = sorted({column for column in header if header.count(column) > 1})
    if doubled:
        raise UnreadableFile(f"{name}: column {', '.join(doubled)} stands twice")
    for group in needs:
        if not set(group) & set(header):
            raise UnreadableFile(f"{name}: needs a column {' or '.join(group)}; it has {', '.join(header)}")
