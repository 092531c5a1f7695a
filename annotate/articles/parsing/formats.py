"""The formats that articles are read from. A new one is a function that reads it, and its line in FORMATS.

Readers have one of three shapes. `read(source, wanted)` yields an entry for every wanted article of a file.
`read(source)` returns the one article of a file, and `read(text, file_name, warning)` that of a text file:
`one_article` and `one_text` give them the first shape.
A kind of file that is refused by its first bytes today (RTF, say) also leaves the list of refusals in `sniff.py`.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from annotate.articles.document import Article
from annotate.articles.parsing import article_csv, bioc, docx, jats, medline, tei
from annotate.articles.parsing.encoding import decode_html, decode_text
from annotate.articles.parsing.entry import ParsedEntry, Wanted, bare_name
from annotate.articles.parsing.limits import TEXT_BYTES
from annotate.articles.parsing.markdown import read_markdown
from annotate.articles.parsing.pdf import article as pdf
from annotate.articles.parsing.plaintext import read_plain_text
from annotate.articles.parsing.sniff import Beginning, is_jats, is_web_page, look_at, refuse_unknown_xml
from annotate.articles.parsing.streams import Source

Read = Callable[[Source, Wanted], Iterator[ParsedEntry]]


@dataclass(frozen=True, slots=True)
class Format:
    """How files of one format are read and told from others.

    `recognises` is asked about the beginning of every file, with any name. A format without it is told by the
    suffix of the file's name only, as Markdown is.
    """

    read: Read
    suffixes: tuple[str, ...]
    recognises: Callable[[Beginning], bool] | None = None


def read_web_page(text: str, file_name: str, warning: str | None) -> Article:
    """A saved web page. Raises UnreadableArticle."""
    from annotate.articles.parsing import webpage  # noqa: PLC0415 (its parser takes long to import, and few need it)

    return webpage.read_web_page(text, file_name, warning)


def one_article(read: Callable[[Source], Article]) -> Read:
    """Turns `read(source)` into `read(source, wanted)`."""

    def read_wanted(source: Source, wanted: Wanted) -> Iterator[ParsedEntry]:
        article = read(source)
        if wanted.takes(article):
            yield ParsedEntry(source.name, article)

    return read_wanted


def one_text(
    read: Callable[[str, str, str | None], Article],
    decode: Callable[[bytes], tuple[str, str | None]] = decode_text,
) -> Read:
    """Turns `read(text, file_name, warning)` into `read(source, wanted)`; the warning tells of a guessed encoding."""

    def read_source(source: Source) -> Article:
        text, warning = decode(source.read(TEXT_BYTES))
        return read(text, bare_name(source.name), warning)

    return one_article(read_source)


def rooted(*names: str) -> Callable[[Beginning], bool]:
    """What recognises XML by the name of its root."""
    return lambda beginning: beginning.root in names


# By the name that people are shown. The first format that recognises a file reads it; then its suffix decides.
FORMATS: dict[str, Format] = {
    "JATS XML": Format(jats.read, (".xml", ".nxml"), is_jats),
    "MEDLINE XML": Format(medline.read, (".xml",), rooted("PubmedArticleSet", "PubmedArticle", "MedlineCitationSet")),
    "BioC XML": Format(bioc.read_xml, (".xml",), rooted("collection")),
    "BioC JSON": Format(bioc.read_json, (".json",), bioc.is_bioc_json),
    "PubTator": Format(bioc.read_pubtator, (".pubtator",), bioc.is_pubtator),
    "TEI (GROBID)": Format(one_article(tei.read), (".xml", ".tei"), rooted("TEI")),
    "PDF": Format(one_article(pdf.read), (".pdf",), lambda beginning: beginning.text.startswith("%PDF-")),
    "Word": Format(one_article(docx.read), (".docx",)),
    "HTML": Format(one_text(read_web_page, decode_html), (".html", ".htm"), is_web_page),
    "text": Format(one_text(read_plain_text), (".txt",)),
    "Markdown": Format(one_text(read_markdown), (".md",)),
    "CSV": Format(article_csv.read, (".csv",)),
}
PACKED_SUFFIXES = (".gz", ".zip")
# Read behind the others of a folder or archive: where an article is there as XML, too, that is better.
LATER_SUFFIXES = (".pdf", ".docx")
ZIPPED_SUFFIXES = (".docx",)  # of formats that are zips themselves
# Files that name articles, which are fetched: `annotate/articles/importing/reference_files.py` reads them.
REFERENCE_SUFFIXES = (".ris", ".bib", ".nbib")
KNOWN_SUFFIXES = (*dict.fromkeys(suffix for known in FORMATS.values() for suffix in known.suffixes), *PACKED_SUFFIXES)


def format_of(head: bytes, suffix: str) -> Format:
    """Returns the format of a file from its first bytes (gzip taken off) and the lower-case suffix of its name.

    Text of no known suffix is read as plain text. UnreadableArticle for empty files, for other kinds of file
    under any name, and for XML, or a file named as XML, that no format recognises.
    """
    beginning = look_at(head, suffix)
    for known in FORMATS.values():
        if known.recognises is not None and known.recognises(beginning):
            return known
    refuse_unknown_xml(beginning)
    return next((known for known in FORMATS.values() if suffix in known.suffixes), FORMATS["text"])


def find_files(paths: Sequence[Path]) -> list[Path]:
    """Returns the files named, and from the folders named all files of a known kind, sorted; PDFs last, each file once.

    A file named outright is kept with any suffix. FileNotFoundError if a path does not exist.
    """
    found = dict.fromkeys(file for path in paths for file in _expand(path))
    return sorted(found, key=lambda file: file.suffix.lower() in LATER_SUFFIXES)


def inner_suffix(name: str) -> str:
    """Returns the lower-case suffix of a name, looking behind `.gz`: `.xml` for `a.xml.gz`."""
    path = PurePosixPath(name.lower())
    return PurePosixPath(path.stem).suffix if path.suffix == ".gz" else path.suffix


def _expand(path: Path) -> Iterator[Path]:
    if path.is_dir():
        for file in sorted(path.rglob("*")):
            hidden = any(part.startswith(".") for part in file.relative_to(path).parts)
            if file.suffix.lower() in (*KNOWN_SUFFIXES, *REFERENCE_SUFFIXES) and not hidden and file.is_file():
                yield file
    elif path.exists():
        yield path
    else:
        raise FileNotFoundError(f"no such file or folder: {path}")
