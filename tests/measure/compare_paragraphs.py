"""Counts what a JATS file holds and the parser does not return: python -m tests.measure.compare_paragraphs PATH...

Reads the XML with plain itertext, sharing no code with the parser, and compares without white space and
control characters. A text with an element other than plain inline markup inside is compared in pieces around
it (the element's own paragraphs count for themselves). Left out, on purpose: formulas (MathML and TeX are
rendered, not copied), titles of keyword groups and of reference lists, signs that point at a title's footnotes.
"""

import re
import sys
import zipfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from lxml import etree

from annotate.articles.document import Article, Section
from annotate.articles.parsing import from_bytes

COPIED = frozenset(
    """award-id bold email ext-link funding-source inline-supplementary-material institution italic milestone-end
    milestone-start monospace named-content overline related-article related-object roman sc
    strike styled-content sub sup target underline uri xref""".split()
)
TEXTS = ("p", "title", "td", "th")
TITLES_ELSEWHERE = frozenset({"kwd-group", "ref-list"})
_STRIPPED = re.compile(r"[\s\x00-\x1f\x7f-\x9f]")
_EXACTLY_ONCE_FROM = 40  # characters; a shorter text may occur inside another by chance


@dataclass(frozen=True)
class Comparison:
    """What one file holds, and what of it the parser left out or returned too often."""

    name: str
    texts: int = 0
    missing: tuple[str, ...] = ()
    repeated: tuple[str, ...] = ()
    error: str = ""

    @property
    def missing_characters(self) -> int:
        """Characters of the missing texts, white space not counted."""
        return sum(map(len, self.missing))


def compare(name: str, content: bytes) -> Comparison:
    """Returns how the parser's reading of a JATS file compares with the file."""
    entries = list(from_bytes(name, content))
    errors = [entry.error for entry in entries if entry.error]
    if errors or not entries:
        return Comparison(name, error="; ".join(errors) or "nothing returned")
    root = etree.fromstring(content, etree.XMLParser(resolve_entities=False, no_network=True))
    expected = [piece for text in texts_of(root) for piece in pieces_of(text)]
    returned = [bare(text) for entry in entries for text in texts_returned(entry.article)]
    joined = "\n".join(returned)
    missing = tuple(piece for piece in expected if piece not in joined)
    held = bare("".join(root.itertext(etree.Element)))
    long = {piece for piece in expected if len(piece) >= _EXACTLY_ONCE_FROM}
    repeated = tuple(piece for piece in long if joined.count(piece) > held.count(piece))
    return Comparison(name, len(list(texts_of(root))), missing, repeated)


def texts_of(root: etree._Element) -> Iterator[etree._Element]:
    """Yields each paragraph, title and table cell of the XML, whatever holds it."""
    for element in root.iter(etree.Element):
        tag = local(element)
        parent = element.getparent()
        if tag in TEXTS and not (tag == "title" and parent is not None and local(parent) in TITLES_ELSEWHERE):
            yield element


def pieces_of(element: etree._Element) -> list[str]:
    """Returns the element's text, bare, cut wherever something else than inline markup stands."""
    pieces = [""]

    def gather(inner: etree._Element) -> None:
        pieces[-1] += inner.text or ""
        for child in inner:
            tag = local(child)
            if tag in COPIED:
                gather(child)
            elif tag:  # comments and instructions are passed over without a cut
                pieces.append("")
            pieces[-1] += child.tail or ""

    gather(element)
    return [piece for piece in map(bare, pieces) if piece]


def texts_returned(article: Article | None) -> Iterator[str]:
    """Yields every text of a parsed article: its section titles, paragraphs and licence."""
    if article is None:
        return
    yield article.licence or ""
    for section in article.sections:
        yield from _section_texts(section)


def bare(text: str) -> str:
    """Returns the text without white space and control characters."""
    return _STRIPPED.sub("", text)


def local(element: etree._Element) -> str:
    """Returns the element's name without its namespace."""
    return etree.QName(element).localname if isinstance(element.tag, str) else ""


def xml_files(paths: list[Path]) -> Iterator[tuple[str, bytes]]:
    """Yields name and bytes of each XML file named, in a folder named, or in a zip named."""
    for path in paths:
        if path.is_dir():
            yield from xml_files(sorted(file for file in path.rglob("*") if file.suffix in (".xml", ".nxml")))
        elif path.suffix == ".zip":
            with zipfile.ZipFile(path) as archive:
                for member in archive.namelist():
                    if member.endswith((".xml", ".nxml")):
                        yield f"{path.name}:{member}", archive.read(member)
        else:
            yield path.name, path.read_bytes()


def _section_texts(section: Section) -> Iterator[str]:
    yield section.title
    for block in section.blocks:
        if isinstance(block, Section):
            yield from _section_texts(block)
        else:
            yield block.text


def main(arguments: list[str]) -> int:
    """Prints one line per file with losses and the totals; returns 1 if anything was lost."""
    totals: Counter[str] = Counter()
    for name, content in xml_files([Path(argument) for argument in arguments]):
        found = compare(name, content)
        totals.update(files=1, texts=found.texts, missing=len(found.missing), repeated=len(found.repeated))
        totals.update(missing_characters=found.missing_characters, refused=bool(found.error))
        if found.missing or found.repeated or found.error:
            print(f"{name}: {found.texts} texts, {len(found.missing)} missing {found.error}")
            for piece in (*found.missing[:5], *(f"twice: {text}" for text in found.repeated[:5])):
                print("    " + piece[:160])
    print(", ".join(f"{count} {label.replace('_', ' ')}" for label, count in totals.items()))
    return int(bool(totals["missing"] or totals["repeated"] or totals["refused"]))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
