"""Searching stored articles or sentences, in order, page by page, with the words that were found."""

from dataclasses import dataclass

from sqlalchemy.orm import Session
from tantivy import Occur, Order, Query, Schema

import db.curation.tags
import db.finding.indexed
import db.review.verdicts
from annotate.search.compiled import article_query, sentence_query, within_articles
from annotate.search.index_files import StoredIndex, reading_from
from annotate.search.queries import (
    And,
    BadQuery,
    Field,
    Node,
    Term,
    Years,
    joined,
    loosened,
    terms,
)
from annotate.search.upkeep import behind
from annotate.search.words import FIELDS, MESH, WORDS, in_any_field

DEEPEST = 10_000  # hits; no person turns that many pages, and each costs memory
TEXTS = frozenset({Field.TEXT, Field.TITLE, Field.ABSTRACT, Field.TITLE_ABSTRACT, Field.MESH})


@dataclass(frozen=True, slots=True)
class Narrowing:
    """What an article or a sentence must be, apart from its text. Empty: anything.

    `judged_by` and `not_judged_by` name an annotator who judged any of the article's sentences, or none; `tag` is one
    that somebody put on the article.
    """

    years: tuple[int | None, int | None] = (None, None)
    journal: str = ""
    section: str = ""
    label: str = ""
    entity: str = ""
    judged_by: str = ""
    not_judged_by: str = ""
    tag: str = ""


@dataclass(frozen=True, slots=True)
class Hit:
    """An article, or a sentence by its position, and its BM25 score; 0 where nothing but names and years was asked."""

    article_id: int
    position: int | None
    score: float


@dataclass(frozen=True, slots=True)
class Found:
    """The number of hits in all, and one page of them. `loosened`: nothing holds all words, these hold some."""

    count: int
    hits: list[Hit]
    loosened: bool = False


def search(
    session: Session,
    index: StoredIndex,
    asked: Node,
    *,
    sentences: bool = False,
    narrowing: Narrowing = Narrowing(),
    limit: int = 20,
    offset: int = 0,
) -> Found:
    """One page of a search's hits, best first; the newest first where it asks for no words.

    Where no article or sentence holds all words, those with any of them. Raises BadQuery, DamagedIndex.
    """
    if limit < 1 or offset < 0:
        raise BadQuery("at least one result must be asked for")
    if offset + limit > DEEPEST:
        raise BadQuery(f"only the first {DEEPEST:,} can be looked at: ask for more words")
    looser = loosened(asked)
    for node in (asked, looser) if looser != asked else (asked,):
        found = _page(session, index, joined(And, [node, *_filters(narrowing)]), sentences, narrowing, limit, offset)
        if found.count:
            return Found(found.count, found.hits, loosened=node is not asked)
    return Found(0, [])


def _page(
    session: Session, index: StoredIndex, node: Node, sentences: bool, narrowing: Narrowing, limit: int, offset: int
) -> Found:
    part = index.sentences if sentences else index.articles
    searcher = part.searcher()
    if sentences:
        query = sentence_query(part.schema, node, lambda of: articles_of(index, of))
    else:
        query = article_query(part.schema, node)
    with reading_from(index.folder):
        query = _narrowed(session, part.schema, query, narrowing)
        if _asks_for_words(node):
            result = searcher.search(query, limit, offset=offset)
        else:
            result = searcher.search(query, limit, offset=offset, order_by_field="article", order=Order.Desc)
        addresses = [address for _, address in result.hits]
        ids = searcher.fast_field_values("article", addresses)
        positions = searcher.fast_field_values("position", addresses) if sentences else [None] * len(ids)
    scores = [float(score) if _asks_for_words(node) else 0.0 for score, _ in result.hits]
    hits = [
        Hit(int(article_id or 0), None if position is None else int(position), score)
        for article_id, position, score in zip(ids, positions, scores, strict=True)
    ]
    count: int = result.count  # type: ignore[attr-defined]  # (its types forget it)
    return Found(count, hits)


def articles_of(index: StoredIndex, node: Node) -> list[int]:
    """All articles that answer, by id, in no order. Raises BadQuery, DamagedIndex."""
    return index.articles.numbers("article", query=article_query(index.articles.schema, node))[0]


def by_words(index: StoredIndex, words: str, limit: int) -> list[tuple[int, float]]:
    """(article, BM25 score) of articles whose title, abstract or MeSH terms, which weigh half, hold any of the words,
    best first; ties by article.

    Any text may be asked for. Raises DamagedIndex.
    """
    weights = {"lead": FIELDS[WORDS], MESH: FIELDS[MESH]}
    query = in_any_field(index.articles.schema, words, weights)
    if query is None or limit < 1:
        return []
    searcher = index.articles.searcher()
    with reading_from(index.folder):
        hits = searcher.search(query, limit, count=False).hits
        ids = searcher.fast_field_values("article", [address for _, address in hits])
    scored = [(int(number or 0), float(score)) for number, (score, _) in zip(ids, hits, strict=True)]
    return sorted(scored, key=lambda hit: (-hit[1], hit[0]))


def _filters(narrowing: Narrowing) -> list[Node]:
    found: list[Node] = []
    if narrowing.years != (None, None):
        found.append(Years(*narrowing.years))
    for where in (Field.JOURNAL, Field.SECTION, Field.LABEL, Field.ENTITY):
        if value := getattr(narrowing, where):
            found.append(Term(value, where, phrase=True))
    return found


def _narrowed(session: Session, schema: Schema, query: Query, narrowing: Narrowing) -> Query:
    """The query within what the database alone knows; never an article that was removed and is in the index still."""
    parts = [(Occur.Must, query), (Occur.MustNot, within_articles(schema, behind(session).gone))]
    if narrowing.tag:
        tagged = sorted(db.curation.tags.tagged_ids(session, narrowing.tag))
        parts.append((Occur.Must, within_articles(schema, tagged)))
    for name, occur in ((narrowing.judged_by, Occur.Must), (narrowing.not_judged_by, Occur.MustNot)):
        if name:
            annotator_id = db.review.verdicts.find_annotator(session, name)
            ids = db.finding.indexed.judged_articles(session, annotator_id) if annotator_id else set()
            parts.append((occur, within_articles(schema, sorted(ids))))
    return Query.boolean_query(parts)


def _asks_for_words(node: Node) -> bool:
    return any(term.field in TEXTS for term in terms(node))
