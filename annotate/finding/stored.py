"""The project's own articles as a library."""

import threading
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

import db.articles
import db.finding.found_articles
from annotate.finding.encoding import Encoder
from annotate.finding.library import Document, NotRanked, Ranking
from annotate.finding.question import Filters, Question
from annotate.finding.vectors import CHUNK, stored_vectors, texts_of
from annotate.project.home import database_address, read
from annotate.search.word_index import WordIndex, Words


class StoredLibrary:
    """All articles of the project, with the vectors that were computed of them by now."""

    def __init__(self, encoder: Encoder | None = None) -> None:
        self._encoder = encoder or Encoder()

    def documents(self, keys: Collection[str]) -> Mapping[str, Document]:
        """By key; those that are not stored are left out."""
        with read() as session:
            articles = db.finding.found_articles.by_keys(session, keys)
            texts = texts_of(session, {article.id: article.title for article in articles})
        found = {
            article.key: Document(
                article.key,
                article.title,
                texts[article.id][1],
                year=article.year,
                journal=article.journal or "",
                article_id=article.id,
            )
            for article in articles
        }
        return {key: found[key] for key in keys if key in found}

    def by_words(self, question: Question, limit: int) -> Ranking:
        """(key, BM25 score), best first."""
        return _words().search(question.expanded, limit)

    def vectors(self) -> tuple[Sequence[str], np.ndarray]:
        """(keys, unit vectors, float32[keys, dimension]) of the articles that have one. NotRanked where none has."""
        found = stored_vectors(self._encoder.version)
        if not found.keys:
            raise NotRanked("no article has been compared by meaning yet; the next proposing does it")
        return found

    def encode(self, text: str) -> np.ndarray:
        """The unit vector of a question, float32[dimension]. Raises NotRanked."""
        return self._encoder.question(text)

    def passing(self, filters: Filters) -> frozenset[str] | None:
        """The keys of what the filters let through; None for all."""
        if filters == Filters():
            return None
        with read() as session:
            return frozenset(db.finding.found_articles.keys_of(session, *filters.years, filters.journals))


_kept: dict[str, tuple[tuple[int, int], WordIndex]] = {}
_indexing = threading.Lock()


def _words() -> WordIndex:
    """The words of all titles and abstracts, in memory; made anew when text has come in."""
    with _indexing:
        with read() as session:
            mark = db.articles.text_mark(session)
        where = str(database_address())
        if where not in _kept or _kept[where][0] != mark:
            _kept.clear()
            index = WordIndex()
            index.add(_all_words())
            _kept[where] = (mark, index)
        return _kept[where][1]


def _all_words() -> Iterator[Words]:
    last = 0
    while True:
        with read() as session:
            found = db.finding.found_articles.after(session, last, CHUNK)
            texts = texts_of(session, {number: title for number, _, title in found})
        if not found:
            return
        yield from (Words(key, title, texts[number][1]) for number, key, title in found)
        last = found[-1][0]


@dataclass(frozen=True, slots=True)
class KeySentence:
    """The sentence of an article that its proposals rank first, and its position."""

    position: int
    text: str


def key_sentences(article_ids: Collection[int]) -> dict[int, KeySentence]:
    """Of these articles, those with proposals; by article."""
    with read() as session:
        found = db.finding.found_articles.first_proposals(session, article_ids)
    return {number: KeySentence(position, text) for number, position, text in found}
