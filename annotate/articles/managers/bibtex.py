"""A BibTeX file: its titles and abstracts, and the identifiers of its entries."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from bibtexparser.bibdatabase import BibDataStringExpression
from bibtexparser.bparser import BibTexParser

from annotate.articles.managers.entry import Entry
from annotate.articles.parsing.identifiers import as_doi, as_pmcid, as_pmid, as_year
from annotate.articles.parsing.latex import latex_words

MOST_CHARACTERS = 5_000_000
MOST_ENTRIES = 5_000
LONGEST_ENTRY = 100_000
_BEGUN = re.compile(r"^[ \t]*(?=@)", re.MULTILINE)
_ENTRY = re.compile(r"@\s*(?!(?:string|preamble|comment)\b)[a-z]+\s*[{(][^=]*,[^=]*=", re.IGNORECASE)


class BadBibTeX(ValueError):
    """A file that holds no entries that can be read; the message says why."""


def read_bibtex(text: str) -> list[Entry]:
    """The entries with a title or an identifier, in their order. Raises BadBibTeX.

    Each is read by itself, from an @ that begins a line to the next: the parser's time grows with the square of what it
    is given at once. One whose braces are not closed is left out. So are names of `@string`: some lines of them could
    stand for any length of text.
    """
    if len(text) > MOST_CHARACTERS:
        raise BadBibTeX(f"more than {MOST_CHARACTERS:,} characters: give a part of the file")
    pieces = [piece for piece in _BEGUN.split(text) if _ENTRY.match(piece) and piece.count("{") == piece.count("}")]
    if len(pieces) > MOST_ENTRIES:
        raise BadBibTeX(f"{len(pieces):,} entries; at most {MOST_ENTRIES:,} are read")
    found = [_entry(each) for each in _parsed(pieces)]
    known = [each for each in found if each.title or each.pmid or each.pmcid or each.doi]
    if not known:
        raise BadBibTeX("no entry of BibTeX with a title, a DOI or a PMID was found")
    return known


def _parsed(pieces: Sequence[str]) -> list[dict[str, Any]]:
    parser = BibTexParser(common_strings=False, ignore_nonstandard_types=False, interpolate_strings=False)
    parser.expect_multiple_parse = True
    for piece in pieces:
        if len(piece) > LONGEST_ENTRY:
            raise BadBibTeX(f"the entry {piece[:40]!r} has more than {LONGEST_ENTRY:,} characters")
        try:
            parser.parse(piece, partial=True)
        except RecursionError:
            raise BadBibTeX(f"the braces of the entry {piece[:40]!r} stand in one another too deep") from None
    return list(parser.bib_database.entries)


def _entry(fields: Mapping[str, Any]) -> Entry:
    named = {name.lower(): _text(value) for name, value in fields.items()}
    return Entry(
        latex_words(named.get("title", "")),
        latex_words(named.get("abstract", "")),
        as_pmid(named.get("pmid", "")),
        as_pmcid(named.get("pmcid", named.get("pmc", ""))),
        as_doi(named.get("doi", "")),
        latex_words(named.get("journal", named.get("journaltitle", ""))),
        as_year(named.get("year", named.get("date", ""))),
    )


def _text(value: Any) -> str:
    """The text written out in a field, without names of `@string`."""
    parts = value.expr if isinstance(value, BibDataStringExpression) else [value]
    return "".join(part for part in parts if isinstance(part, str))
