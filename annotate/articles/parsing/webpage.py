"""Articles saved as web pages: the main text by its headings, the facts from citation_* meta tags."""

import re
import warnings

from bs4 import BeautifulSoup, ParserRejectedMarkup, Tag, UnusualUsageWarning
from bs4.element import NavigableString
from lxml.etree import HTMLPullParser

from annotate.articles.document import Article, ParagraphKind, UnreadableArticle
from annotate.articles.parsing.identifiers import as_doi, as_pmcid, as_pmid, as_year
from annotate.articles.parsing.inline import STYLES
from annotate.articles.parsing.limits import CHUNK_BYTES, HTML_TAGS, XML_DEPTH
from annotate.articles.parsing.outline import Outline, with_its_abstract
from annotate.articles.parsing.plaintext import clean_line
from annotate.articles.parsing.text_builder import TextBuilder, table_row

# Beautiful Soup warns of unusual markup. That helps the author of a page; who only reads it cannot act on it
warnings.filterwarnings("ignore", category=UnusualUsageWarning)
_DROPPED = frozenset(
    """script style nav header footer aside form noscript template button select svg iframe object head
    annotation annotation-xml""".split()
)
_KINDS = {
    "li": ParagraphKind.LIST_ITEM,
    "dt": ParagraphKind.LIST_ITEM,
    "dd": ParagraphKind.LIST_ITEM,
    "figcaption": ParagraphKind.CAPTION,
    "caption": ParagraphKind.CAPTION,
}
_INLINE = frozenset(
    """a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd label mark math mi mn mo mrow msub
    msup mtext mfrac msubsup semantics msqrt mroot mover munder munderover mmultiscripts mstyle mpadded mspace
    mphantom menclose mtable mtr mtd img picture q s samp small span strike strong sub sup time tt u var wbr""".split()
)
_HEADING = re.compile(r"h[1-6]")
_WEB_STYLES = STYLES | {"em": "italic"}


def read_web_page(text: str, file_name: str, warning: str | None = None) -> Article:
    """Returns the article of a web page. UnreadableArticle if it has no text or nests too deep.

    The title is citation_title, else <title>, else the first <h1>, else the file name.
    """
    if text.count("<") > HTML_TAGS:
        raise UnreadableArticle(f"holds more than {HTML_TAGS:,} HTML tags")
    _refuse_depth(text)
    try:
        page = BeautifulSoup(text, "lxml")
    except (ParserRejectedMarkup, RecursionError, AssertionError) as error:
        raise UnreadableArticle("is HTML too broken to be read") from error
    first_heading = page.find("h1")
    shown_title = _plain(first_heading) if isinstance(first_heading, Tag) else ""
    title = _meta(page, "citation_title") or _plain(page.title) or shown_title or file_name
    walker = _Walker({title, shown_title} - {""})
    walker.read(_main(page))
    sections = walker.outline.sections()
    if not sections:
        raise UnreadableArticle("is a web page without any text")
    link = page.find(["a", "link"], rel="license")
    return with_its_abstract(
        Article(
            title=title,
            pmid=as_pmid(_meta(page, "citation_pmid")),
            pmcid=as_pmcid(_meta(page, "citation_pmcid", "citation_pmc")),
            doi=as_doi(_meta(page, "citation_doi", "dc.identifier")),
            journal=_meta(page, "citation_journal_title") or None,
            year=as_year(_meta(page, "citation_publication_date", "citation_date", "citation_online_date")),
            licence=(str(link.get("href") or "") or None) if isinstance(link, Tag) else None,
            sections=sections,
            warnings=(warning,) if warning else (),
        )
    )


class _Walker:
    """Turns the elements of the main part into headings and paragraphs; text outside them is kept too."""

    def __init__(self, titles: set[str]) -> None:
        self.outline = Outline()
        self._titles = titles  # an <h1> that repeats the title opens no section
        self._run = TextBuilder()
        self._kind = ParagraphKind.PARAGRAPH

    def read(self, element: Tag) -> None:
        """Reads everything in the element."""
        self._walk(element)
        self._flush()

    def _walk(self, element: Tag) -> None:
        for inner in element.children:
            if isinstance(inner, Tag):
                self._visit(inner)
            elif type(inner) is NavigableString:  # its subclasses are comments, scripts, declarations
                self._run.add(str(inner))

    def _visit(self, element: Tag) -> None:
        name = element.name.lower()
        if name in _DROPPED and not (name == "header" and element.find_parent("section")):
            return
        if name == "br":
            self._run.add(" ")
        elif _HEADING.fullmatch(name):
            self._flush()
            title = _plain(element)
            if title and not (name == "h1" and title in self._titles):
                self.outline.heading(int(name[1]), title)
        elif name == "tr":
            self._flush()
            cells = element.find_all(["td", "th"], recursive=False)
            self.outline.add(table_row([_flat(cell) for cell in cells]))
        elif name in _INLINE:
            with self._run.styled(_WEB_STYLES.get(name, "")):
                self._walk(element)
        else:
            self._block(element, _KINDS.get(name, self._kind))

    def _block(self, element: Tag, kind: ParagraphKind) -> None:
        self._flush()
        outer, self._kind = self._kind, kind
        self._walk(element)
        self._flush()
        self._kind = outer

    def _flush(self) -> None:
        self.outline.add(self._run.paragraph(self._kind))
        self._run = TextBuilder()


def _write_flat(element: Tag, run: TextBuilder) -> None:
    for inner in element.children:
        if not isinstance(inner, Tag):
            run.add(str(inner) if type(inner) is NavigableString else None)
        elif inner.name not in _DROPPED:
            gap = None if inner.name in _INLINE else " "
            with run.styled(_WEB_STYLES.get(inner.name, "")):
                run.add(gap)
                _write_flat(inner, run)
                run.add(gap)


def _flat(element: Tag | None) -> TextBuilder:
    run = TextBuilder()
    if element is not None:
        _write_flat(element, run)
    return run


def _plain(element: Tag | None) -> str:
    return _flat(element).text


def _main(page: BeautifulSoup) -> Tag:
    articles = page.find_all("article")
    longest = max(articles, key=lambda found: len(found.get_text()), default=None)
    main = page.find("main")
    candidates = [found for found in (main, longest, page.body) if isinstance(found, Tag)]
    return next((found for found in candidates if found.get_text(strip=True)), page)


def _meta(page: BeautifulSoup, *names: str) -> str:
    for name in names:
        tag = page.find("meta", attrs={"name": re.compile(rf"^{re.escape(name)}$", re.IGNORECASE)})
        if isinstance(tag, Tag) and (content := str(tag.get("content") or "").strip()):
            return clean_line(content)
    return ""


def _refuse_depth(text: str) -> None:
    """Before Beautiful Soup builds its tree, which takes many times as long as this parser, on which it rests."""
    parser, depth = HTMLPullParser(events=("start", "end"), encoding="utf-8"), 0
    for begin in range(0, len(text), CHUNK_BYTES):
        parser.feed(text[begin : begin + CHUNK_BYTES].encode())
        for event, _ in parser.read_events():
            depth += 1 if event == "start" else -1
            if depth > XML_DEPTH:
                raise UnreadableArticle(f"nests elements deeper than {XML_DEPTH} levels")
