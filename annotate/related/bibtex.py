"""A BibTeX file: what its entries are called and known by."""

import re
from dataclasses import dataclass

from bibtexparser.bparser import BibTexParser

from annotate.articles.parsing.identifiers import as_doi, as_pmcid, as_pmid

MOST_CHARACTERS = 5_000_000
MOST_ENTRIES = 5_000
_MARKUP = re.compile(r"\\[a-zA-Z]+\s*|[{}\\$~]")


class BadBibTeX(ValueError):
    """A file that holds no entries that can be read; the message says why."""


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry of a BibTeX file, as far as it says."""

    title: str
    abstract: str = ""
    pmid: str | None = None
    pmcid: str | None = None
    doi: str | None = None


def read_bibtex(text: str) -> list[Entry]:
    """The entries with a title or an identifier, in their order. Raises BadBibTeX."""
    if len(text) > MOST_CHARACTERS:
        raise BadBibTeX(f"more than {MOST_CHARACTERS:,} characters: give a part of the file")
    parser = BibTexParser(common_strings=True, ignore_nonstandard_types=False)
    found = [_entry(each) for each in parser.parse(text, partial=True).entries]
    known = [each for each in found if each.title or each.pmid or each.pmcid or each.doi]
    if not known:
        raise BadBibTeX("no entry of BibTeX with a title, a DOI or a PMID was found")
    if len(known) > MOST_ENTRIES:
        raise BadBibTeX(f"{len(known):,} entries; at most {MOST_ENTRIES:,} are a profile")
    return known


def _entry(fields: dict[str, str]) -> Entry:
    named = {name.lower(): value for name, value in fields.items()}
    return Entry(
        _plain(named.get("title", "")),
        _plain(named.get("abstract", "")),
        as_pmid(named.get("pmid", "")),
        as_pmcid(named.get("pmcid", named.get("pmc", ""))),
        as_doi(named.get("doi", "")),
    )


def _plain(text: str) -> str:
    return " ".join(_MARKUP.sub("", text).split())
