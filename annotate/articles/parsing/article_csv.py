"""A CSV of articles, one in each row. If any row is wrong, no article of the file is taken."""

import csv
import io
from collections.abc import Iterator

from annotate.articles.document import Article, Section, SectionKind, UnreadableArticle
from annotate.articles.parsing.encoding import decode_text
from annotate.articles.parsing.entry import SEPARATOR, ParsedEntry, Wanted
from annotate.articles.parsing.identifiers import as_doi, as_pmcid, as_pmid, as_year
from annotate.articles.parsing.limits import ERRORS_SHOWN, TEXT_BYTES, TEXT_LINES
from annotate.articles.parsing.plaintext import clean_line, paragraphs_of
from annotate.articles.parsing.streams import Source

COLUMNS = ("title", "abstract", "text", "body", "pmid", "pmcid", "doi", "journal", "year", "licence")
_OTHER_NAMES = {"license": "licence"}
_LABEL_COLUMNS = frozenset({"label", "labels", "sentence", "sentence_id", "verdict"})
_CHECKED = {"pmid": as_pmid, "pmcid": as_pmcid, "doi": as_doi, "year": as_year}
Row = tuple[int, dict[str, str]]


def read(source: Source, wanted: Wanted) -> Iterator[ParsedEntry]:
    """Yields the wanted articles of a CSV. UnreadableArticle, before any article, if a row or the header is wrong."""
    text, warning = decode_text(source.read(TEXT_BYTES))
    for line, article in _articles(text, warning):
        if wanted.takes(article):
            yield ParsedEntry(f"{source.name}{SEPARATOR}line {line}", article)


def _articles(text: str, warning: str | None) -> Iterator[tuple[int, Article]]:
    """Yields (line number, article) for each row, once every row has been checked.

    UnreadableArticle if columns are missing or doubled, or if any row is wrong; the message names
    the lines, the first 20.
    """
    rows = list(_rows(text))
    problems = [f"line {line}: {problem}" for line, row in rows for problem in _problems(row)]
    if problems:
        more = len(problems) - ERRORS_SHOWN
        tail = f"; and {more} more" if more > 0 else ""
        raise UnreadableArticle("has wrong rows: " + "; ".join(problems[:ERRORS_SHOWN]) + tail)
    if not rows:
        raise UnreadableArticle("is a CSV without rows")
    for line, row in rows:
        yield line, _article(line, row, warning)


def _rows(text: str) -> Iterator[Row]:
    if text.count("\n") + text.count("\r") > 2 * TEXT_LINES:
        raise UnreadableArticle(f"holds more than {TEXT_LINES:,} lines")
    first = next((line for line in text.splitlines() if line.strip()), "")
    csv.field_size_limit(max(csv.field_size_limit(), TEXT_BYTES))
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=max(",;\t", key=first.count), strict=True)
    columns: list[str] | None = None
    start = 1
    try:
        for cells in reader:
            if columns is None and cells:
                columns = _columns(cells)
            elif cells and columns is not None:
                row = {name: cell.strip() for name, cell in zip(columns, cells, strict=False)}
                if len(cells) != len(columns):
                    row["*"] = f"has {len(cells)} cells, the header has {len(columns)}"
                yield start, row
            start = reader.line_num + 1
    except csv.Error as error:
        raise UnreadableArticle(f"is not valid CSV: line {reader.line_num}: {error}") from error


def _columns(cells: list[str]) -> list[str]:
    names = [cell.strip().lower() for cell in cells]
    names = [_OTHER_NAMES.get(name, name) for name in names]
    known = [name for name in names if name in COLUMNS]
    shown = ", ".join(name[:40] for name in names[:12])
    if doubled := {name for name in known if known.count(name) > 1}:
        raise UnreadableArticle(f"has the column {', '.join(sorted(doubled))} twice")
    if not {"abstract", "text", "body"} & set(known):
        raise UnreadableArticle(
            f"has the columns {shown}; a CSV of articles needs abstract or text (it may have {', '.join(COLUMNS)})"
        )
    if labels := _LABEL_COLUMNS & set(names):
        raise UnreadableArticle(f"has the column {', '.join(sorted(labels))}: a CSV of labels, not of articles")
    return names


def _problems(row: dict[str, str]) -> Iterator[str]:
    if "*" in row:
        yield row["*"]
        return
    if not any(row.get(name) for name in ("title", "abstract", "text", "body")):
        yield "no title, no abstract and no text"
    for name, read in _CHECKED.items():
        if row.get(name) and read(row[name]) is None:
            yield f"{name} {row[name][:40]!r} is not valid"


def _article(line: int, row: dict[str, str], warning: str | None) -> Article:
    return Article(
        title=clean_line(row.get("title", "")) or f"Row {line}",
        pmid=as_pmid(row.get("pmid")),
        pmcid=as_pmcid(row.get("pmcid")),
        doi=as_doi(row.get("doi")),
        journal=clean_line(row.get("journal", "")) or None,
        year=as_year(row.get("year")),
        licence=clean_line(row.get("licence", "")) or None,
        sections=tuple(_sections(row)),
        warnings=(warning,) if warning else (),
    )


def _sections(row: dict[str, str]) -> Iterator[Section]:
    parts = (
        ("abstract", "Abstract", SectionKind.ABSTRACT),
        ("text", "", SectionKind.BODY),
        ("body", "", SectionKind.BODY),
    )
    for column, title, kind in parts:
        if paragraphs := paragraphs_of(row.get(column, "")):
            yield Section(title, kind, paragraphs)
