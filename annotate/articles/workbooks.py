"""Workbooks (XLSX) from people. Each is checked first: openpyxl would believe any size that a file claims."""

import zlib
from collections.abc import Iterator
from pathlib import Path
from xml.parsers import expat
from zipfile import BadZipFile, ZipFile, ZipInfo

from openpyxl import load_workbook

from annotate.articles.parsing.limits import CHUNK_BYTES, MB, XML_DEPTH
from annotate.articles.parsing.zip_directory import check_directory

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
    _check(path)
    sheet = load_workbook(path, read_only=True).worksheets[0]
    empty = (None,) * columns
    for row in sheet.iter_rows(values_only=True, max_col=columns):
        yield [] if row == empty else ["" if cell is None else str(cell) for cell in row]


def _check(path: Path) -> None:
    with path.open("rb") as file:
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
