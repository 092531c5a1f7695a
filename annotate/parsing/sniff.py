"""Telling the format of a file from what it holds; the suffix only decides between kinds of plain text."""

import re
from enum import StrEnum

from annotate.document import UnreadableArticle
from annotate.parsing.archive import ZIP_MAGICS
from annotate.parsing.encoding import ENTITY_DECLARED, xml_codec


class Format(StrEnum):
    """The formats that articles are read from."""

    JATS = "JATS XML"
    MEDLINE = "MEDLINE XML"
    HTML = "HTML"
    MARKDOWN = "Markdown"
    CSV = "CSV"
    TEXT = "plain text"
    ZIP = "zip"


_JATS_ROOTS = frozenset({"article", "pmc-articleset", "OAI-PMH", "articles"})
_MEDLINE_ROOTS = frozenset({"PubmedArticleSet", "PubmedArticle", "MedlineCitationSet"})
_HTML_START = re.compile(r"<(!doctype\s+html|html|head|body|div|meta|title|h1|p|article\s+class)\b", re.IGNORECASE)
_NAME = re.compile(r"<(?:[\w.-]+:)?([\w.-]+)")
_MAGICS = (
    (b"%PDF", "a PDF"),
    (b"\xd0\xcf\x11\xe0", "an old Office document (doc, xls or ppt)"),
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
_SUFFIX_FORMATS = {".csv": Format.CSV, ".md": Format.MARKDOWN, ".html": Format.HTML, ".htm": Format.HTML}


def sniff(head: bytes, suffix: str) -> Format:
    """Returns the format of a file from its first bytes (gzip taken off) and lower-case suffix.

    UnreadableArticle for empty files, for other kinds of file whatever their name, and for a file
    named .xml or .nxml that is not XML of a known kind.
    """
    if not head.strip(b" \t\r\n\xef\xbb\xbf"):
        raise UnreadableArticle("is empty")
    if head.startswith(ZIP_MAGICS):
        return Format.ZIP
    _refuse_other_kinds(head)
    is_xml_name = suffix in (".xml", ".nxml")
    text = _head_text(head, is_xml_name)
    root = _root_name(text)
    if root in _JATS_ROOTS and not (root == "article" and suffix in (".html", ".htm")):
        return Format.JATS
    if root in _MEDLINE_ROOTS:
        return Format.MEDLINE
    is_html = _HTML_START.match(_after_prolog(text, keep_doctype=True)) is not None
    if is_xml_name or (text.startswith("<?xml") and not is_html):
        if "<!ENTITY" in text:
            raise UnreadableArticle(ENTITY_DECLARED)
        raise UnreadableArticle(_not_an_article(root, is_html))
    return Format.HTML if is_html and suffix != ".md" else _SUFFIX_FORMATS.get(suffix, Format.TEXT)


def _not_an_article(root: str, is_html: bool) -> str:
    if is_html:
        return "holds an HTML page, not XML; save it as .html to read it as a web page"
    if root:
        return f"is XML, but its root <{root[:60]}> is neither a JATS article nor a set of PubMed citations"
    return "is not XML: no root element was found at its start"


def _refuse_other_kinds(head: bytes) -> None:
    for magic, kind in _MAGICS:
        if head.startswith(magic):
            raise UnreadableArticle(f"is {kind}, not an article in a known format")
    if head[257:262] == b"ustar":
        raise UnreadableArticle("is a tar archive; pack the files as a zip")


def _head_text(head: bytes, is_xml_name: bool) -> str:
    if is_xml_name or head.lstrip()[:1] == b"<" or head[:2] in (b"\xff\xfe", b"\xfe\xff", b"<\0", b"\0<"):
        codec = xml_codec(head)
    else:
        codec = "utf-8"
    return head.decode(codec, errors="replace").lstrip("\ufeff \t\r\n")


def _root_name(text: str) -> str:
    found = _NAME.match(_after_prolog(text))
    return found[1] if found else ""


def _after_prolog(text: str, keep_doctype: bool = False) -> str:
    """Returns what follows the declaration, instructions, comments and (unless kept) the DOCTYPE."""
    at = 0
    while True:
        while text[at : at + 1].isspace():
            at += 1
        if text.startswith("<?", at):
            end = text.find("?>", at) + 1
        elif text.startswith("<!--", at):
            end = text.find("-->", at + 4) + 2
        elif text[at : at + 9].upper() == "<!DOCTYPE" and not keep_doctype:
            end = _doctype_end(text, at)
        else:
            return text[at : at + 500]
        if end <= at:
            return ""
        at = end + 1


def _doctype_end(text: str, at: int) -> int:
    close, subset = text.find(">", at), text.find("[", at)
    if 0 <= subset < close:
        return text.find(">", text.find("]", subset)) if "]" in text[subset:] else -1
    return close
