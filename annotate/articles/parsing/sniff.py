"""What the first bytes of a file show of its format; its name only decides between kinds of plain text."""

import re
from dataclasses import dataclass

from annotate.articles.document import UnreadableArticle
from annotate.articles.parsing.encoding import ENTITY_DECLARED, xml_codec

_JATS_ROOTS = frozenset({"article", "pmc-articleset", "OAI-PMH", "articles"})
_HTML_START = re.compile(r"<(!doctype\s+html|html|head|body|div|meta|title|h1|p|article\s+class)\b", re.IGNORECASE)
# The declaration, instructions and comments.
_PROLOG = re.compile(r"(?:\s+|<\?.*?\?>|<!--.*?-->)*", re.DOTALL)
_DOCTYPE = re.compile(rf"<!DOCTYPE[^>\[]*(?:\[[^\]]*\][^>]*)?>{_PROLOG.pattern}", re.DOTALL | re.IGNORECASE)
_NAME = re.compile(r"<(?:[\w.-]+:)?([\w.-]+)")
_MAGICS = (
    (b"\xd0\xcf\x11\xe0", "an Office document that is old (doc, xls, ppt) or has a password"),
    (b"{\\rtf", "an RTF document"),
    (b"\x89PNG", "an image"),
    (b"\xff\xd8\xff", "an image"),
    (b"GIF8", "an image"),
    (b"7z\xbc\xaf", "a 7-Zip archive"),
    (b"BZh", "a bzip2 file"),
    (b"\xfd7zXZ", "an xz file"),
    (b"Rar!", "a RAR archive"),
    (b"SQLite format 3", "a database"),
    (b"\x7fELF", "a program"),
    (b"MZ\x90", "a program"),
)
_XML_SUFFIXES = (".xml", ".nxml")
_REFERENCES = {".nbib": re.compile(r"\s*PMID- ?\d"), ".ris": re.compile(r"\s*TY  - ")}
_HTML_SUFFIXES = (".html", ".htm")


@dataclass(frozen=True, slots=True)
class Beginning:
    """The first characters of a file that may hold an article, and what they show."""

    text: str
    suffix: str  # of the file's name, in lower case: ".xml"
    root: str  # the name of the first XML element, "" where there is none
    starts_as_html: bool

    @property
    def named_as_xml(self) -> bool:
        """Whether the file's name says that it is XML."""
        return self.suffix in _XML_SUFFIXES


def look_at(head: bytes, suffix: str) -> Beginning:
    """Returns what the first bytes show. UnreadableArticle for an empty file and for a kind that holds no article."""
    if not head.strip(b" \t\r\n\xef\xbb\xbf"):
        raise UnreadableArticle("is empty")
    for magic, kind in _MAGICS:
        if head.startswith(magic):
            raise UnreadableArticle(f"is {kind}, not an article in a known format")
    if head[257:262] == b"ustar":
        raise UnreadableArticle("is a tar archive; pack the files as a zip")
    marked = head.lstrip()[:1] == b"<" or head[:2] in (b"\xff\xfe", b"\xfe\xff", b"<\0", b"\0<")
    codec = xml_codec(head) if marked or suffix in _XML_SUFFIXES else "utf-8"
    text = head.decode(codec, errors="replace").lstrip("\ufeff \t\r\n")
    content = text[_PROLOG.match(text).end() :]  # type: ignore[union-attr]  # (it matches nothing at all, too)
    doctype = _DOCTYPE.match(content)
    root = _NAME.match(content if doctype is None else content[doctype.end() :])
    return Beginning(text, suffix, root[1] if root else "", _HTML_START.match(content) is not None)


def is_jats(beginning: Beginning) -> bool:
    """Whether the root is an article of JATS, or a set of them; `<article>` in a file named .html is a web page's."""
    return beginning.root in _JATS_ROOTS and not (beginning.root == "article" and beginning.suffix in _HTML_SUFFIXES)


def is_web_page(beginning: Beginning) -> bool:
    """Whether the file starts as HTML and is not named as XML or Markdown, which may start with HTML."""
    return beginning.starts_as_html and not beginning.named_as_xml and beginning.suffix != ".md"


def refuse_unknown_xml(beginning: Beginning) -> None:
    """Raises UnreadableArticle for XML, or a file named as XML: a format that reads it would have recognised it."""
    is_xml = beginning.text.startswith("<?xml") and not beginning.starts_as_html
    if not (beginning.named_as_xml or is_xml):
        return
    if "<!ENTITY" in beginning.text:
        raise UnreadableArticle(ENTITY_DECLARED)
    if beginning.starts_as_html:
        raise UnreadableArticle("holds an HTML page, not XML; save it as .html to read it as a web page")
    if root := beginning.root[:60]:
        raise UnreadableArticle(
            f"is XML, but its root <{root}> is no JATS article, set of PubMed citations or BioC collection"
        )
    raise UnreadableArticle("is not XML: no root element was found at its start")


def reference_suffix(text: str) -> str | None:
    """The suffix of the files that begin as this text: PubMed saves nbib, and other programs RIS, as .txt too."""
    return next((suffix for suffix, start in _REFERENCES.items() if start.match(text.removeprefix("\ufeff"))), None)
