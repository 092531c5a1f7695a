"""The files of reference managers, RIS, BibTeX and PubMed's own (nbib): which works they name, and their abstracts."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any

from annotate.articles.document import Article, Section, SectionKind, UnreadableArticle
from annotate.articles.parsing.encoding import decode_text
from annotate.articles.parsing.entry import SEPARATOR, ParsedEntry, show_name
from annotate.articles.parsing.identifiers import as_doi, as_pmcid, as_pmid, as_year
from annotate.articles.parsing.latex import latex_words
from annotate.articles.parsing.limits import MB
from annotate.articles.parsing.plaintext import clean_line, paragraphs_of
from annotate.articles.parsing.seen_files import Opener, open_named
from annotate.articles.parsing.sniff import reference_suffix
from annotate.articles.works import letters_of


@dataclass(frozen=True, slots=True)
class Entry:
    """What a file says of one work; the identifiers are in the form in which articles are stored."""

    title: str
    abstract: str = ""
    pmid: str | None = None
    pmcid: str | None = None
    doi: str | None = None
    journal: str = ""
    year: int | None = None
    error: str = ""  # why the work could not be read; empty where it was

    @property
    def identifier(self) -> str | None:
        """The best one: PMID, PMCID or DOI."""
        return self.pmid or self.pmcid or self.doi

    def article(self, title: str, *, with_title: bool = False) -> Article | None:
        """The entry as an article, under this title where it has none; None without an abstract, or without a title
        either if `with_title` is true."""
        paragraphs = paragraphs_of(self.abstract)
        if not paragraphs and not (with_title and self.title):
            return None
        return Article(
            title=clean_line(self.title) or title,
            pmid=self.pmid,
            pmcid=self.pmcid,
            doi=self.doi,
            journal=clean_line(self.journal) or None,
            year=self.year,
            sections=(Section("Abstract", SectionKind.ABSTRACT, paragraphs),) if paragraphs else (),
        )


MOST_CHARACTERS = 5_000_000
LONGEST_ENTRY = 100_000
_ENTRY_STARTS = re.compile(r"^[ \t]*(?=@\s*\w+\s*[{(])", re.MULTILINE)
_ENTRY = re.compile(r"@\s*(?!(?:string|preamble|comment)\b)[a-z]+\s*[{(][^=]*,[^=]*=", re.IGNORECASE)


def read_bibtex(text: str) -> list[Entry]:
    """The entries with a title or an identifier, in their order. Raises UnreadableArticle. Names of `@string` are left
    out: some lines of them could stand for any length of text."""
    known = [each for each in _bibtex(text) if not each.error]
    if not known:
        raise UnreadableArticle("no entry of BibTeX with a title, a DOI or a PMID was found")
    return known


def _bibtex(text: str) -> list[Entry]:
    """The entries as `read_bibtex` has them, and behind them those whose braces are not closed, with that reason.

    Each is read by itself, from an @ and a word that begin a line to the next: the parser's time grows with the square
    of what it is given at once.
    """
    if len(text) > MOST_CHARACTERS:
        raise UnreadableArticle(f"more than {MOST_CHARACTERS:,} characters: give a part of the file")
    pieces = [piece for piece in _ENTRY_STARTS.split(text) if _ENTRY.match(piece)]
    if len(pieces) > MOST_ENTRIES:
        raise UnreadableArticle(f"{len(pieces):,} entries; at most {MOST_ENTRIES:,} are read")
    closed = [piece for piece in pieces if piece.count("{") == piece.count("}")]
    found = [_entry(each) for each in _parsed(closed)]
    unclosed = [
        Entry(piece.partition(",")[0], error=f"left out: it opens {opened} braces and closes {shut}")
        for piece in pieces
        if (opened := piece.count("{")) != (shut := piece.count("}"))
    ]
    return [each for each in found if each.title or each.identifier] + unclosed


def _parsed(pieces: Sequence[str]) -> list[dict[str, Any]]:
    from bibtexparser.bparser import BibTexParser  # noqa: PLC0415 (few imports need it)

    parser = BibTexParser(common_strings=False, ignore_nonstandard_types=False, interpolate_strings=False)
    parser.expect_multiple_parse = True
    for piece in pieces:
        if len(piece) > LONGEST_ENTRY:
            raise UnreadableArticle(f"the entry {piece[:40]!r} has more than {LONGEST_ENTRY:,} characters")
        try:
            parser.parse(piece, partial=True)
        except RecursionError:
            raise UnreadableArticle(f"the braces of the entry {piece[:40]!r} stand in one another too deep") from None
    return list(parser.bib_database.entries)


def _entry(fields: Mapping[str, Any]) -> Entry:
    # A field may hold names of `@string`, which are left out.
    parts = {k.lower(): [v] if isinstance(v, str) else v.expr for k, v in fields.items()}
    named = {name: "".join(part for part in own if isinstance(part, str)) for name, own in parts.items()}
    return Entry(
        latex_words(named.get("title", "")),
        latex_words(named.get("abstract", "")),
        as_pmid(named.get("pmid", "")),
        as_pmcid(named.get("pmcid", named.get("pmc", ""))),
        as_doi(named.get("doi", "")),
        latex_words(named.get("journal", named.get("journaltitle", ""))),
        as_year(named.get("year", named.get("date", ""))),
    )


MOST_BYTES = 20 * MB
MOST_ENTRIES = 5_000  # each is fetched by one or two requests, three a second
LONGEST_LINE = 100_000
COMPARED, SAME_WORK = 150, 0.8  # letters of two titles, and the share of them that one work's have in common
NAMELESS = "holds no abstract, and names no PMID, PMCID or DOI by which it could be fetched"
_LINE_END = re.compile(r"\r\n?|\n")  # not the separators of Unicode, which may stand within a title
_NBIB_TAG = re.compile(r"([A-Z]{2,4}) *- (.*)")
_RIS_PMCID = ("custom2", "custom6", "custom7", "user_definable2")
_RIS_JOURNAL = ("alternate_title3", "secondary_title", "journal_name", "alternate_title2")
_RIS_PMID = ("accession_number", "custom1", "id")
_NAMED_PMID = re.compile(r"(?:PMID:?\s*([1-9]\d{0,8})\b|\b([1-9]\d{0,8})\s*\[pmid\])", re.IGNORECASE)
_NOTED_PMID = re.compile(r"\s*PMID:?\s*([1-9]\d{0,8})\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class References:
    """The works of such a file: those that can be fetched by their best identifier, and the others. Each is the article
    that the file holds, or the reason why it holds none."""

    by_identifier: dict[str, ParsedEntry]
    others: list[ParsedEntry]


def is_reference_file(path: Path, opener: Opener = open_named) -> bool:
    """Whether a file is one of a reference manager: by its suffix, a .txt by its beginning."""
    if path.suffix.lower() != ".txt":
        return path.suffix.lower() in READERS
    try:
        with opener(path) as file:
            return reference_suffix(file.read(100).decode(errors="replace")) is not None
    except (OSError, UnreadableArticle):  # whoever reads it tells why
        return False


def references_of(path: Path, name: str = "", opener: Opener = open_named, *, fetch: bool = True) -> References:
    """The works that a file names, each identifier once. `name`: what people call the file; `opener` opens it.
    Without `fetch` none is to be fetched: each is what the file holds of it, a title at least.

    A later record with the same identifier and another title is an entry with its reason.
    A bad file is an entry with its reason; nothing is raised.
    """
    shown = show_name(name or path.name)
    try:
        with opener(path) as file:
            content = file.read(MOST_BYTES + 1)
        if len(content) > MOST_BYTES:
            raise UnreadableArticle(f"holds more than {MOST_BYTES // MB} MB, the limit for this kind of file")
        text, _ = decode_text(content)
        if any(len(line) > LONGEST_LINE for line in text.splitlines()):
            raise UnreadableArticle(f"holds a line of more than {LONGEST_LINE:,} characters")
        found = READERS[reference_suffix(text) or path.suffix.lower()](text)
        if not found:
            raise UnreadableArticle("holds no reference of this kind of file")
        if len(found) > MOST_ENTRIES:
            raise UnreadableArticle(f"holds {len(found):,} references; at most {MOST_ENTRIES:,} are read at once")
    except OSError as error:
        return References({}, [ParsedEntry(shown, error=f"cannot be read: {error.strerror}")])
    except UnreadableArticle as error:
        return References({}, [ParsedEntry(shown, error=str(error))])
    references = References({}, [])
    titles: dict[str, str] = {}
    for entry in found:
        source = f"{shown}{SEPARATOR}{show_name(entry.title or entry.identifier or 'a reference')}"
        left_out = entry.error
        if entry.identifier and not _alike(above := titles.setdefault(entry.identifier, entry.title), entry.title):
            left_out = f"left out: another title stands above with the same {entry.identifier}: {show_name(above)}"
        if left_out:
            references.others.append(ParsedEntry(source, error=left_out))
            continue
        article = entry.article(shown, with_title=not fetch)
        reason = None if article else "holds no abstract" if entry.identifier else NAMELESS
        parsed = ParsedEntry(source, article, reason)
        if entry.identifier is None or not fetch:
            references.others.append(parsed)
        elif parsed.article or entry.identifier not in references.by_identifier:
            references.by_identifier[entry.identifier] = parsed
    return references


def _alike(one: str, other: str) -> bool:
    """Whether two titles may be of one work: by letters and digits one begins with the other, or nearly all agree."""
    shorter, longer = sorted((letters_of(one), letters_of(other)), key=len)
    if longer.startswith(shorter):
        return True
    return SequenceMatcher(None, shorter[:COMPARED], longer[:COMPARED], autojunk=False).ratio() >= SAME_WORK


def _ris(text: str) -> list[Entry]:
    import rispy  # noqa: PLC0415 (few imports need it)

    try:
        entries = rispy.loads(f"{text}\nER  - \n")  # the last reference may lack its end
    except (ValueError, OSError, KeyError, IndexError, TypeError, AttributeError, RecursionError) as error:
        raise UnreadableArticle(f"is not RIS: {error}"[:200]) from None
    return [_of_ris(entry) for entry in entries]


def _of_ris(entry: Mapping[str, Any]) -> Entry:
    def field(name: str) -> str:
        value = entry.get(name, "")
        return " ".join(map(str, value)) if isinstance(value, list) else str(value)

    database = f"{field('name_of_database')} {field('database_provider')}".casefold().strip()
    of_pubmed = database == "nlm" or "pubmed" in database or "medline" in database
    pmid = as_pmid(field("accession_number")) if of_pubmed else None
    for name in _RIS_PMID:
        if pmid is None and (found := _NAMED_PMID.search(field(name))):
            pmid = found[1] or found[2]
    pmid = pmid or _noted_pmid([field("note"), *entry.get("notes", [])])
    pmcid = next((as_pmcid(value) for name in _RIS_PMCID if (value := field(name)).upper().startswith("PMC")), None)
    doi = as_doi(field("doi")) or next(filter(None, map(as_doi, field("urls").split())), None)
    return Entry(
        title=_first(field, "title", "primary_title"),
        abstract=_first(field, "abstract", "notes_abstract"),
        pmid=pmid,
        pmcid=pmcid,
        doi=doi,
        journal=_first(field, *_RIS_JOURNAL),
        year=as_year(_first(field, "year", "publication_year", "date")),
    )


def _noted_pmid(lines: Iterable[str]) -> str | None:
    """The one PMID with which a line of the notes begins, as Zotero writes them: others may be of related works."""
    found = {match[1] for line in lines if (match := _NOTED_PMID.match(line))}
    return found.pop() if len(found) == 1 else None


def _first(field: Callable[[str], str], *names: str) -> str:
    """The first of these fields that says anything."""
    return next(filter(None, map(field, names)), "")


def _nbib_entries(text: str) -> Iterator[dict[str, list[str]]]:
    """Each reference: the lines of each tag, those that go on joined. A reference begins with its PMID."""
    fields: dict[str, list[str]] = {}
    last: list[str] = []
    for line in _LINE_END.split(text):
        if found := _NBIB_TAG.match(line):
            if found[1] == "PMID" and fields:
                yield fields
                fields = {}
            last = fields.setdefault(found[1], [])
            last.append(" ".join(found[2].split()))
        elif line.startswith("  ") and last:
            last[-1] += " " + " ".join(line.split())
    if fields:
        yield fields


def _of_nbib(fields: Mapping[str, list[str]]) -> Entry:
    pmid = as_pmid(" ".join(fields.get("PMID", [])))
    pmcid = next((found for value in fields.get("PMC", []) if (found := as_pmcid(value))), None)
    links = [
        value.removesuffix("[doi]").strip()
        for name in ("LID", "AID")
        for value in fields.get(name, [])
        if "[doi]" in value
    ]

    def field(name: str) -> str:
        return " ".join(fields.get(name, []))

    return Entry(
        title=field("TI"),
        abstract=_first(field, "AB", "OAB"),
        pmid=pmid,
        pmcid=pmcid,
        doi=next(filter(None, map(as_doi, links)), None),
        journal=_first(field, "JT", "TA"),
        year=as_year(field("DP")),
    )


# By the ending of a file's name.
READERS: dict[str, Callable[[str], list[Entry]]] = {
    ".ris": _ris,
    ".bib": _bibtex,
    ".nbib": lambda text: [*map(_of_nbib, _nbib_entries(text))],
}
