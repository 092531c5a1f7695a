"""The texts that people read of a hit: its article, and the matching sentences with their words marked."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from sqlalchemy.orm import Session
from tantivy import Occur, Query

import db.finding.indexed
from annotate.search.compiled import sentence_query, within_articles
from annotate.search.highlights import Span, spans
from annotate.search.queries import BadQuery, Node, Term, any_of, terms
from annotate.search.search import TEXTS, Hit
from annotate.search.stored_index import StoredIndex

SENTENCES_SHOWN = 2  # of an article that was found
MOST_LOOKED_AT = 2_000  # sentences of all articles of a page, which have some hundreds each


@dataclass(frozen=True, slots=True)
class ShownSentence:
    """A sentence to be shown, and where in it the words stand that were searched for."""

    position: int
    text: str
    section: str
    marked: list[Span]


@dataclass(frozen=True, slots=True)
class Shown:
    """A hit as people read it: its article, and its sentence or the best ones of the article."""

    article_id: int
    key: str
    title: str
    title_marked: list[Span]
    journal: str | None
    year: int | None
    score: float
    sentences: list[ShownSentence] = field(default_factory=list)


def shown(session: Session, index: StoredIndex, asked: Node, hits: Sequence[Hit]) -> list[Shown]:
    """The hits with the texts that people read; hits in articles that are gone by now are left out."""
    wanted = terms(asked)
    best = _best_sentences(index, wanted, {hit.article_id for hit in hits if hit.position is None})
    places = {(hit.article_id, position) for hit in hits for position in _positions(hit, best)}
    texts = db.finding.indexed.some_sentences(session, places)
    articles = {each.id: each for each in db.finding.indexed.articles(session, {hit.article_id for hit in hits})}
    found = []
    for hit in hits:
        article = articles.get(hit.article_id)
        if article is None:
            continue
        held = [(position, texts.get((hit.article_id, position))) for position in _positions(hit, best)]
        found.append(
            Shown(
                article.id,
                article.key,
                article.title,
                spans(article.title, wanted),
                article.journal,
                article.year,
                hit.score,
                [ShownSentence(at, *each, spans(each[0], wanted)) for at, each in held if each is not None],
            )
        )
    return found


def _positions(hit: Hit, best: dict[int, list[int]]) -> list[int]:
    return best.get(hit.article_id, []) if hit.position is None else [hit.position]


def _best_sentences(index: StoredIndex, wanted: Sequence[Term], article_ids: Collection[int]) -> dict[int, list[int]]:
    """By article, the positions of the sentences that match most of the question, in reading order."""
    told = [Term(each.text, phrase=each.phrase, prefix=each.prefix) for each in wanted if each.field in TEXTS]
    if not told or not article_ids:
        return {}
    schema = index.sentences.schema
    try:
        query = sentence_query(schema, any_of([*told]), lambda of: [])
    except BadQuery:  # too common
        return {}
    both = Query.boolean_query([(Occur.Must, query), (Occur.Must, within_articles(schema, sorted(article_ids)))])
    ids, positions = index.sentences.numbers("article", "position", query=both, limit=MOST_LOOKED_AT)
    best: dict[int, list[int]] = {}
    for article_id, position in zip(ids, positions, strict=True):
        held = best.setdefault(article_id, [])
        if len(held) < SENTENCES_SHOWN:
            held.append(position)
    return {article_id: sorted(held) for article_id, held in best.items()}
