"""An article from the pages of a PDF: title, sections, paragraphs; the reference list is left out."""

import hashlib
import re
from collections.abc import Sequence

from annotate.articles.document import FROM_PDF, Article, Paragraph, ParagraphKind, SectionKind, UnreadableArticle
from annotate.articles.parsing.entry import bare_name
from annotate.articles.parsing.identifiers import as_doi
from annotate.articles.parsing.limits import PDF_BYTES
from annotate.articles.parsing.outline import Outline, bare, is_main, is_references, kind_of, level_of, without_number
from annotate.articles.parsing.pdf.blocks import LARGER, Block, Role, blocks_of, ends_sentence, roles_of, usual_height
from annotate.articles.parsing.pdf.bounded import Page, read_pages
from annotate.articles.parsing.pdf.columns import runs_of, usual_gap, without_margins
from annotate.articles.parsing.pdf.hyphens import Words, tidy
from annotate.articles.parsing.streams import Source
from annotate.articles.parsing.text_builder import text_paragraph

FEWEST_LETTERS = 200  # on all pages: fewer are the stamp on a scan
MOST_UNKNOWN = 0.2  # of all letters: more, and the fonts do not tell what they show
_DOI = re.compile(r"10\.\d{4,9}/[^\s\"<>]+")
_RUN_IN = re.compile(r"(abstract|summary)\s*(?:[:.—–-]\s*|\s(?=[A-Z]))", re.IGNORECASE)
_ABBREVIATION = re.compile(r"\b(?:al|figs?|e\.g|i\.e|vs|dr|spp?|ca|approx|no|refs?|eqs?)\.$", re.IGNORECASE)
_UNKNOWN = re.compile("[\ufffd\ue000-\uf8ff\x00-\x1f\x7f-\x9f]")
_ABSTRACT_WORDS = 40
Blocks = list[tuple[Block, Role]]


def read(source: Source) -> Article:
    """Returns the article of a PDF. UnreadableArticle for one without text, encrypted, damaged or beyond the limits."""
    content = source.read(PDF_BYTES)
    return article_of(*read_pages(content), source.name, hashlib.sha256(content).hexdigest())


def article_of(pages: Sequence[Page], stated: str, name: str, sha256: str) -> Article:
    """The article on these pages. `stated`: the title that the file states, which may be anything."""
    text = "".join(line.text for page in pages for line in page.lines)
    if len(text) < FEWEST_LETTERS and not any(ends_sentence(line.text) for page in pages for line in page.lines):
        raise UnreadableArticle("is a PDF without text, as a scan is: let a program recognise its letters (OCR) first")
    if len(_UNKNOWN.findall(text)) > MOST_UNKNOWN * len(text):
        raise UnreadableArticle("is a PDF whose fonts do not tell which letters they show: recognise them (OCR) first")
    cleared = without_margins(pages)
    lines = [line for page in cleared for line in page.lines]
    if not lines:
        raise UnreadableArticle("is a PDF without text")
    usual = usual_height(lines)
    gap = usual_gap(page.lines for page in cleared)
    runs = ((at, run) for at, page in enumerate(cleared) for run in runs_of(page.lines, gap))
    found = [block for number, (at, run) in enumerate(runs, 1) for block in blocks_of(run, at, number)]
    blocks = list(zip(found, roles_of(found, usual), strict=True))
    title, blocks = _title(blocks, stated, usual)
    writer = _Writer(Words(tidy(line.text) for line in lines), blocks)
    writer.write(_without_front(blocks))
    sections = writer.outline.sections()
    if not sections:
        raise UnreadableArticle("is a PDF without paragraphs of text")
    warning = f"{FROM_PDF} of {len(pages):,} pages (SHA-256 {sha256}): columns, hyphens and headings are guessed"
    return Article(title or bare_name(name), doi=_doi(pages[0]), sections=sections, warnings=(warning,))


def _doi(page: Page) -> str | None:
    """The DOI of the first page, where it names exactly one."""
    found = set()
    for match in (match for line in page.lines for match in _DOI.finditer(line.text)):
        # A line may end within a DOI, and many articles share its beginning.
        is_cut = match.end() == len(match.string.rstrip()) and match[0].endswith((".", "-", "/", "_", "("))
        if not is_cut:
            found.add(match[0].rstrip(".,;)]").lower())
    return as_doi(found.pop()) if len(found) == 1 else None


def _title(blocks: Blocks, stated: str, usual: float) -> tuple[str, Blocks]:
    """The title, and the blocks without those that it was taken from: the largest print of the first page."""
    first = [block for block, _ in blocks if block.page == 0]
    larger = [b for b in first if b.height > LARGER * usual and len(b.text.split()) > 2 and not is_main(b.text)]
    height = max((block.height for block in larger), default=0.0)
    parts = [block for block in first if abs(block.height - height) < 0.5] if larger else []
    printed = tidy(" ".join(block.text for block in parts))
    letters = _letters(" ".join(block.text for block in first))
    known = len(stated.split()) > 2 and _letters(stated) in letters
    if not parts and known:
        parts = [block for block in first if _letters(block.text) and _letters(block.text) in _letters(stated)]
    rest = [one for one in blocks if one[0].page or one[0] not in parts]
    return " ".join((stated if known else printed).split()), rest


def _letters(text: str) -> str:
    return "".join(letter for letter in tidy(text).casefold() if letter.isalnum())


def _without_front(blocks: Blocks) -> Blocks:
    """What follows authors and addresses: from the abstract on, or from the first heading that is known."""
    early = [number for number, (block, _) in enumerate(blocks) if block.page < 2]
    for number in early:
        text = blocks[number][0].text
        if kind_of(bare(text)) is SectionKind.ABSTRACT or bare(text) == "summary" or _RUN_IN.match(text):
            return blocks[number:]
    first = next((n for n in early if blocks[n][1] is Role.HEADING and is_main(blocks[n][0].text)), None)
    if first is None:
        return blocks
    long = [(block, role) for block, role in blocks[:first] if len(block.text.split()) >= _ABSTRACT_WORDS]
    return [one for one in long if one[1] is Role.TEXT] + blocks[first:]


class _Writer:
    """Puts blocks together to sections. A paragraph waits until it is known whether the next block continues it."""

    def __init__(self, words: Words, blocks: Blocks) -> None:
        self.outline = Outline()
        self._words = words
        self._main_styles = {_style(block) for block, role in blocks if role is Role.HEADING and is_main(block.text)}
        self._open: list[Block] = []
        self._aside: list[Paragraph | None] = []  # captions and notes that stand within the open paragraph
        self._in_references = False
        self._in_abstract = False

    def write(self, blocks: Blocks) -> None:
        """Takes all blocks in their order."""
        names = [bare(block.text) if role is Role.HEADING else "" for block, role in blocks]
        intro = max((n for n, name in enumerate(names) if name in ("introduction", "background")), default=0)
        unnamed = any(names) and "abstract" not in names[:3]
        if unnamed and blocks[0][1] is Role.TEXT and not _RUN_IN.match(blocks[0][0].text):
            self._in_abstract = True
            self.outline.heading(1, "Abstract")
        for number, (block, role) in enumerate(blocks):
            if role is Role.HEADING:
                self._heading(block, within=number < intro)
            elif role is Role.TEXT and not self._in_references:
                self._text(block)
            elif role in (Role.CAPTION, Role.NOTE):
                kind = ParagraphKind.CAPTION if role is Role.CAPTION else ParagraphKind.NOTE
                if not (self._in_references and role is Role.NOTE):
                    self._aside.append(text_paragraph(self._joined([block]), kind))
        self._flush()

    def _heading(self, block: Block, *, within: bool) -> None:
        self._flush()
        text = self._joined([block])
        if is_main(text):
            self._in_references = is_references(text)
        if self._in_references:
            return
        name = bare(text)
        inner = self._in_abstract and within and name not in ("introduction", "author summary")
        main = is_main(text) or _style(block) in self._main_styles
        level = 2 if inner else level_of(text) or (1 if main else 2)
        self._in_abstract = inner or kind_of(name) is SectionKind.ABSTRACT or name == "summary"
        self.outline.heading(level, "Abstract" if name == "summary" and block.page == 0 else without_number(text))

    def _text(self, block: Block) -> None:
        if not self._open and (found := _RUN_IN.match(block.text)) and block.page < 2 and not self._in_abstract:
            self._flush()
            self._in_abstract = True
            self.outline.heading(1, found[1].capitalize())
        if self._open and not self._goes_on(block):
            self._flush()
        self._open.append(block)

    def _goes_on(self, block: Block) -> bool:
        """Whether a block continues the open paragraph: behind the end of a column, a figure, a note."""
        last = self._open[-1]
        if abs(block.height / last.height - 1) > LARGER - 1:
            return False
        if block.text[:1].islower():
            return True
        cut = not last.ends or _ABBREVIATION.search(last.text) is not None
        return cut and (block.run != last.run or bool(self._aside))

    def _flush(self) -> None:
        text = self._joined(self._open)
        if self._in_abstract:
            text = _RUN_IN.sub("", text, count=1) if _RUN_IN.match(text) else text
        self.outline.add(text_paragraph(text))
        for paragraph in self._aside:
            self.outline.add(paragraph)
        self._open, self._aside = [], []

    def _joined(self, blocks: Sequence[Block]) -> str:
        return self._words.joined([tidy(line.text) for block in blocks for line in block.lines])


def _style(block: Block) -> tuple[float, bool, bool]:
    return round(block.height, 1), block.bold, block.text.isupper()
