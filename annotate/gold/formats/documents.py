"""Labelled articles as one text each, with spans: what every format of annotated documents is made from."""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import wraps
from itertools import groupby
from urllib.parse import quote

from sqlalchemy.orm import Session

import db.articles
import db.entities
from annotate.gold.descriptions import described
from annotate.gold.export_file import zipped
from annotate.gold.label_sets import DISPUTED, LIVE, Basis, Judged, judged
from annotate.gold.rows import GoldRow, rows_of
from db import tables

BETWEEN = "\n"  # two paragraphs
IN_ADDRESS = "/:;()"  # of a DOI, besides letters and digits
# What a label of the gold is called where it is the type of a span: names without spaces, as brat and UIMA want them.
TYPES = {"1": "KeySentence", "0": "NotKey", "unsure": "Unsure", DISPUTED: "Disputed"}


@dataclass(frozen=True, slots=True)
class Passage:
    """The title or a paragraph: it begins at character `start` of its article's text."""

    section: str
    kind: str
    start: int
    text: str


@dataclass(frozen=True, slots=True)
class Mention:
    """A recognised entity at the half-open characters `start` to `end` of the article's text.

    A record of gold's own: the part that recognises entities may be left out.
    """

    start: int
    end: int
    type: str
    identifiers: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Labelled:
    """A labelled sentence at the half-open characters `start` to `end` of the article's text."""

    start: int
    end: int
    row: GoldRow

    @property
    def type(self) -> str:
        """One of TYPES."""
        return TYPES[self.row["label"]]


@dataclass(frozen=True, slots=True)
class GoldDocument:
    """An article with at least one labelled sentence. All offsets count Unicode characters of `text`: its title and its
    paragraphs, with a line break between. `sentences` are the whole article's, labelled or not, in order."""

    key: str
    article: tables.Article
    text: str
    passages: tuple[Passage, ...]
    sentences: tuple[tuple[int, int], ...]
    labelled: tuple[Labelled, ...]
    mentions: tuple[Mention, ...]

    @property
    def spans(self) -> tuple[Labelled | Mention, ...]:
        """All that is annotated: the labelled sentences, then the entities."""
        return (*self.labelled, *self.mentions)

    @property
    def identifiers(self) -> dict[str, str]:
        """The identifiers that the article has, by their field."""
        article = self.article
        named = {"pmid": article.pmid, "pmcid": article.pmcid, "doi": article.doi}
        return {name: value for name, value in named.items() if value}

    @property
    def address(self) -> str:
        """A URI of the article: of PubMed, of PubMed Central, of its DOI, or its key as a URN."""
        article = self.article
        if article.pmid:
            return f"https://pubmed.ncbi.nlm.nih.gov/{article.pmid}/"
        if article.pmcid:
            return f"https://pmc.ncbi.nlm.nih.gov/articles/{article.pmcid}/"
        return f"https://doi.org/{quote(article.doi, safe=IN_ADDRESS)}" if article.doi else self.urn

    @property
    def urn(self) -> str:
        """The document's key as a URI: a DOI may hold characters that a URI may not, such as < and >."""
        return f"urn:keyline:{quote(self.key, safe=IN_ADDRESS)}"


def gold_documents(session: Session, basis: Basis = LIVE) -> Iterator[GoldDocument]:
    """The articles of which the rule labels a sentence, in the order in which they were stored."""
    sentences = [one for one in judged(session, basis) if one.label is not None]
    pairs = zip(sentences, rows_of(session, sentences, basis), strict=True)
    for article_id, of_one in groupby(pairs, key=lambda pair: pair[0].article_id):
        yield _document(session, article_id, of_one)


def _document(session: Session, article_id: int, labelled: Iterable[tuple[Judged, GoldRow]]) -> GoldDocument:
    article = db.articles.articles(session, [article_id])[article_id]
    sections = {section.id: section for section in db.articles.sections(session, article_id)}
    starts: dict[int, int] = {}
    passages = [Passage("", "title", 0, article.title)]
    end = len(article.title) + len(BETWEEN)
    for paragraph in db.articles.paragraphs(session, article_id):
        section = sections[paragraph.section_id]
        starts[paragraph.id] = end
        passages.append(Passage(section.title, section.kind, end, paragraph.text))
        end += len(paragraph.text) + len(BETWEEN)
    spans = {
        sentence.position: (
            starts[sentence.paragraph_id] + sentence.start,
            starts[sentence.paragraph_id] + sentence.end,
        )
        for sentence in db.articles.sentences(session, [article_id])
    }
    mentions = (
        Mention(starts[one.paragraph_id] + one.start, starts[one.paragraph_id] + one.end, one.type, (*one.identifiers,))
        for one in db.entities.candidates(session, article_id)
    )
    return GoldDocument(
        key=article.key,
        article=article,
        text=BETWEEN.join(passage.text for passage in passages),
        passages=tuple(passages),
        sentences=tuple(spans[position] for position in sorted(spans)),
        labelled=tuple(Labelled(*spans[one.position], row) for one, row in labelled),
        mentions=tuple(sorted(mentions, key=lambda one: (one.start, one.end, one.type))),
    )


def packed(
    files_of: Callable[[Iterable[GoldDocument]], Iterable[tuple[str, bytes]]],
) -> Callable[[Iterable[GoldDocument]], bytes]:
    """Makes a function from articles to (name, content) one to a zip that describes its files, and whose bytes depend
    on nothing but the articles."""

    @wraps(files_of)
    def made(documents: Iterable[GoldDocument]) -> bytes:
        rows: list[GoldRow] = []

        def noted() -> Iterator[GoldDocument]:
            for document in documents:
                rows.extend(sentence.row for sentence in document.labelled)
                yield document

        return zipped(described(files_of(noted()), rows))

    return made


def named(documents: Iterable[GoldDocument]) -> Iterator[tuple[str, GoldDocument]]:
    """Each with the name of its files, which no two share on any system: 10.1/a and 10.1_a differ by a mark behind."""
    taken: set[str] = set()
    for document in documents:
        name = re.sub(r"[^\w.-]", "_", document.key)
        while name.casefold() in taken:
            name += "_"
        taken.add(name.casefold())
        yield name, document
