"""Works: records of one and the same article, such as a preprint and its publication, which share a split. A record
without identifiers, such as a Word file, is the stored article of its work.

Two records are the same work if their titles are the same letters and digits, and the first of their texts are, too.
"""

import hashlib
import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import dropwhile, islice
from typing import Any, NamedTuple

from sqlalchemy.orm import Session

import db.articles
from annotate.articles.document import Article
from annotate.project.memory import Latest
from db import tables

_WORD = re.compile(r"[^\W_]+")
# Letters and digits at the beginning of a text, some twelve words; shorter texts are like many others.
BEGINNING = 60
# Paragraphs that are read, since the first may be a heading, and characters of each.
PARAGRAPHS, CHARACTERS = 5, 400
# Titles of fewer words, or of fewer that say what the article is about, are shared by works that are not the same.
TITLE_WORDS, OWN_WORDS = 4, 2
# Of an article: the marks of its title and of its text.
Marks = tuple[str, str]
GENERAL = frozenset(
    """a about abstract abstracts acknowledgement acknowledgements an and annual answer article author authors book by
    case comment commentary comments concern conference congress contents correction correspondence corrigendum dear
    editor editorial editors erratum expression for foreword from in index introduction invited is issue journal letter
    letters meeting news note notice obituary of on our paper perspective preface proceedings publication published
    publisher re recent regarding reply report response retracted retraction review s special study summary supplement
    table that the their this to us we with""".split()
)
# What may stand before the first words of an abstract in one record and not in another.
HEADINGS = frozenset(
    """abstract aim aims background context importance introduction motivation objective objectives purpose rationale
    significance summary""".split()
)


def title_mark(title: str) -> str:
    """The letters and digits of a title, in one case; "" where the title is too short or too general to tell."""
    words = _words(title)
    own = [word for word in words if word not in GENERAL]
    return "".join(words) if len(words) >= TITLE_WORDS and len(own) >= OWN_WORDS else ""


def letters_of(title: str) -> str:
    """The letters and digits of a title, in one case: its mark, if it has one."""
    return "".join(_words(title))


def title_key(title: str) -> str:
    """The key under which a title is stored: a hash of its letters and digits, in one case, however few they are."""
    return hashlib.sha256(letters_of(title).encode()).hexdigest()[:16]


def text_mark(paragraphs: Iterable[str], letters: int = BEGINNING) -> str:
    """The first letters and digits of a text, in one case, without a heading; "" where there are too few to tell."""
    mark = ""
    for text in islice(paragraphs, PARAGRAPHS):
        words = _words(text[:CHARACTERS])
        mark += "".join(words if mark else dropwhile(HEADINGS.__contains__, words))
        if len(mark) >= letters:
            return mark[:letters]
    return ""


def marks_of(article: Article) -> Marks:
    """The marks of a parsed article: one of its title, one of its text."""
    return title_mark(article.title), text_mark(paragraph.text for _, _, paragraph in article.paragraphs())


class Work(NamedTuple):
    """The first stored article of a work."""

    article_id: int
    split: str


class KnownWorks:
    """The stored articles by work, for one import: texts are read where a title comes again, each once."""

    def __init__(self) -> None:
        self._known: set[int] = set()
        self._unread: dict[str, list[tuple[int, str]]] = defaultdict(list)  # ids and splits by the letters of titles
        self._works: dict[Marks, Work] = {}

    def learn(self, session: Session, titles: Iterable[str]) -> None:
        """Takes in the articles with these titles that were stored since the last call, by this process or another."""
        keys = {title_key(title) for title in titles if title_mark(title)}
        for article_id, title, split in db.articles.with_title_keys(session, keys):
            if article_id not in self._known:
                self._unread[letters_of(title)].append((article_id, split))
                self._known.add(article_id)

    def find(self, session: Session, marks: Marks) -> Work | None:
        """The first stored article that is the same work; None where there is none."""
        title, text = marks
        if not (title and text):
            return None
        unread = self._unread.pop(title, [])
        beginnings = _beginnings(session, [article_id for article_id, _ in unread])
        for article_id, split in unread:
            self._works.setdefault((title, beginnings[article_id]), Work(article_id, split))
        return self._works.get((title, text))

    def add(self, article_id: int, marks: Marks, split: str) -> None:
        """Takes in an article that is about to be stored, under the next id."""
        title, text = marks
        if title and text:
            self._works.setdefault((title, text), Work(article_id, split))
        self._known.add(article_id)


def without_taken_identifiers(article: Article, others: Iterable[tables.Article]) -> Article:
    """The article without a PMCID or DOI that belongs to another one, said in a warning."""
    for other in others:
        for name in ("pmcid", "doi"):
            taken = getattr(article, name)
            if taken and taken == getattr(other, name):
                warning = f"{taken} belongs to PMID {other.pmid} already and is left out here"
                without: dict[str, Any] = {name: None, "warnings": (*article.warnings, warning)}
                article = replace(article, **without)
    return article


_divided: Latest[list[tuple[int, ...]]] = Latest()


def divided_works(session: Session) -> list[tuple[int, ...]]:
    """The works whose records lie in several splits, each as the ids of its articles; for sessions that only read.

    Told by title and beginning: records stored before splits were given by work are such. Two that only a later record
    links by its identifiers are warned about at its import and not listed here. Remembered until articles come in,
    since a split never changes.
    """
    return _divided.at(db.articles.text_mark(session), lambda: _find_divided(session))


def _find_divided(session: Session) -> list[tuple[int, ...]]:
    titled: dict[str, dict[int, str]] = defaultdict(dict)
    for article_id, title, split in db.articles.divided_titles(session):
        if mark := title_mark(title):
            titled[mark][article_id] = split
    several = {title: splits for title, splits in titled.items() if len(set(splits.values())) > 1}
    beginnings = _beginnings(session, [article_id for splits in several.values() for article_id in splits])
    works: dict[tuple[str, str], dict[int, str]] = defaultdict(dict)
    for title, splits in several.items():
        for article_id, split in splits.items():
            if beginnings[article_id]:
                works[title, beginnings[article_id]][article_id] = split
    return sorted(tuple(splits) for splits in works.values() if len(set(splits.values())) > 1)


def work_marks(session: Session, article_ids: Sequence[int]) -> dict[int, str]:
    """By article its title and beginning in one: equal for records of one work, "" where either is too short."""
    titles, beginnings = db.articles.titles(session, article_ids), _beginnings(session, article_ids)
    marks = {number: (title_mark(titles[number]), beginnings[number]) for number in article_ids}
    return {number: " ".join(pair) if all(pair) else "" for number, pair in marks.items()}


def _beginnings(session: Session, article_ids: Sequence[int]) -> dict[int, str]:
    """The text marks of stored articles by id."""
    texts = db.articles.beginnings(session, article_ids, PARAGRAPHS) if article_ids else {}
    return {article_id: text_mark(texts.get(article_id, ())) for article_id in article_ids}


def _words(text: str) -> list[str]:
    return _WORD.findall(unicodedata.normalize("NFKC", text).casefold())
