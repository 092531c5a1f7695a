"""Searching stored articles or sentences, page by page, and the texts that people read of a hit."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

from sqlalchemy.orm import Session
from tantivy import Occur, Order, Query

import db.articles
import db.finding.indexed
from annotate.search.compiled import article_query, sentence_query, within_articles
from annotate.search.index_files import StoredIndex, reading_from
from annotate.search.queries import (
    NAMES,
    And,
    BadQuery,
    Field,
    Node,
    Or,
    Term,
    joined,
    loosened,
    terms,
)
from annotate.search.upkeep import behind
from annotate.search.words import FIELDS, GREEK_BEHIND, MESH, WORDS, begun, in_any_field, stems, symbols_in, whole_words
from model.names import alike_as_asked, words_of

DEEPEST = 10_000  # hits; no person turns that many pages, and each costs memory
TEXTS = frozenset({Field.TEXT, Field.TITLE, Field.ABSTRACT, Field.TITLE_ABSTRACT, Field.MESH})


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
    limit: int = 20,
    offset: int = 0,
) -> Found:
    """One page of hits as `search_strictly`. Where no article or sentence holds all words, those with any of them."""
    strict = search_strictly(session, index, asked, sentences=sentences, limit=limit, offset=offset)
    if strict.count or (looser := loosened(asked)) == asked:
        return strict
    found = search_strictly(session, index, looser, sentences=sentences, limit=limit, offset=offset)
    return replace(found, loosened=bool(found.count))


def search_strictly(
    session: Session,
    index: StoredIndex,
    node: Node,
    *,
    sentences: bool = False,
    limit: int = 20,
    offset: int = 0,
) -> Found:
    """One page of a search's hits, best first; the newest first where it asks for no words.

    Raises BadQuery, DamagedIndex.
    """
    if limit < 1 or offset < 0:
        raise BadQuery("at least one result must be asked for")
    if offset + limit > DEEPEST:
        raise BadQuery(f"only the first {DEEPEST:,} can be looked at: ask for more words")
    part, of_words = (index.sentences if sentences else index.articles), _asks_for_words(node)
    searcher = part.searcher()
    if sentences:
        query = sentence_query(part.schema, node, lambda of: articles_of(index, of))
    else:
        query = article_query(part.schema, node)
    with reading_from(index.folder):
        # An article that was removed may be in the index still.
        gone = within_articles(part.schema, behind(session).gone)
        query = Query.boolean_query([(Occur.Must, query), (Occur.MustNot, gone)])
        newest: dict[str, Any] = {} if of_words else {"order_by_field": "article", "order": Order.Desc}
        result = searcher.search(query, limit, offset=offset, **newest)
        found = result.hits  # made by each look at it
        addresses = [address for _, address in found]
        ids = searcher.fast_field_values("article", addresses)
        positions = searcher.fast_field_values("position", addresses) if sentences else [None] * len(ids)
    hits = [
        Hit(int(article_id or 0), None if position is None else int(position), float(score) if of_words else 0.0)
        for article_id, position, (score, _) in zip(ids, positions, found, strict=True)
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


def _asks_for_words(node: Node) -> bool:
    return any(term.field in TEXTS for term in terms(node))


Span = tuple[int, int]


@lru_cache(maxsize=50_000)
def _stems(word: str) -> tuple[str, ...]:
    return tuple(stems(word))


@lru_cache(maxsize=50_000)
def _whole(word: str) -> str:
    return "".join(whole_words(word))


def spans(text: str, terms: Sequence[Term]) -> list[Span]:
    """Half-open offsets of the words that any term finds, in order; a phrase where its words follow each other.

    Names asked for in their own fields (a gene, a cell) are looked for as phrases, what is no text (keys) not at all.
    """
    placed = [(stem, _whole(word), (start, end)) for word, start, end in words_of(text) for stem in _stems(word)]
    found = {span for term in terms for span in _of_term(term, placed)}
    return sorted(found)


def _of_term(term: Term, placed: list[tuple[str, str, Span]]) -> list[Span]:
    if term.field in NAMES - {Field.GENE, Field.CELL, Field.EDIT, Field.ORGANISM, Field.LABEL, Field.ENTITY}:
        return []
    wanted = _wanted(term.text)
    begins: list[tuple[str, ...]] = [()] * len(wanted)  # how a word may begin, too
    before, last = begun(term.text) if term.prefix else ([], None)
    if last:
        wanted = [*wanted[: len(before)], set().union(*wanted[len(before) :])]
        begins = [()] * len(before) + [(last[1],)]
    found = []
    for at in range(len(placed) - len(wanted) + 1 if wanted else 0):
        window = placed[at : at + len(wanted)]
        if all(
            stem in asked or stem.startswith(begin) or word.startswith(begin)
            for (stem, word, _), asked, begin in zip(window, wanted, begins, strict=True)
        ):
            found += [span for _, _, span in window]
    return found


@lru_cache(maxsize=1_000)
def _wanted(text: str) -> list[set[str]]:
    """Of each word the stems that it finds: its own, and of a symbol those with a Greek letter behind it."""
    symbols = symbols_in(text)
    each = stems(alike_as_asked(text))
    return [{stem, *(stem + letter for letter in GREEK_BEHIND if stem in symbols)} for stem in each]


def pieces(text: str, marked: Sequence[Span]) -> list[tuple[str, bool]]:
    """The text in pieces, each with whether it is marked; put together they are the text."""
    found: list[tuple[str, bool]] = []
    at = 0
    for start, end in marked:
        if start < at:
            continue
        found += [(text[at:start], False), (text[start:end], True)]
        at = end
    return [piece for piece in [*found, (text[at:], False)] if piece[0]]


SENTENCES_SHOWN = 2  # of an article that was found
MOST_LOOKED_AT = 2_000  # sentences of all articles of a page, which have some hundreds each


@dataclass(frozen=True, slots=True)
class ShownSentence:
    """A sentence to be shown."""

    position: int
    text: str
    section: str


@dataclass(frozen=True, slots=True)
class Shown:
    """A hit as people read it: its article, and its sentence or the best ones of the article."""

    article_id: int
    key: str
    title: str
    journal: str | None
    year: int | None
    score: float
    sentences: list[ShownSentence] = field(default_factory=list)


def shown(
    session: Session, index: StoredIndex, asked: Node, hits: Sequence[Hit], most: int = SENTENCES_SHOWN
) -> list[Shown]:
    """The hits with the texts that people read, at most `most` sentences of each; hits in articles that are gone by
    now are left out."""
    wanted = terms(asked)
    best = _best_sentences(index, wanted, {hit.article_id for hit in hits if hit.position is None}, most)
    places = {(hit.article_id, position) for hit in hits for position in _positions(hit, best)}
    texts = db.articles.sentences_at(session, places)
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
                article.journal,
                article.year,
                hit.score,
                [ShownSentence(at, one.text, one.section) for at, one in held if one],
            )
        )
    return found


def _positions(hit: Hit, best: dict[int, list[int]]) -> list[int]:
    return best.get(hit.article_id, []) if hit.position is None else [hit.position]


def _best_sentences(
    index: StoredIndex, wanted: Sequence[Term], article_ids: Collection[int], most: int
) -> dict[int, list[int]]:
    """By article, the positions of the sentences that match most of the question, in the sections that it names: the
    best SENTENCES_SHOWN in reading order, then the others."""
    anywhere = [Term(each.text, phrase=each.phrase, prefix=each.prefix) for each in wanted if each.field in TEXTS]
    places = [each for each in wanted if each.field is Field.SECTION]
    if not (anywhere or places) or not article_ids:
        return {}
    schema = index.sentences.schema
    try:
        query = sentence_query(schema, joined(And, [joined(Or, [*anywhere]), joined(Or, [*places])]), lambda of: [])
    except BadQuery:  # too common
        return {}
    both = Query.boolean_query([(Occur.Must, query), (Occur.Must, within_articles(schema, sorted(article_ids)))])
    ids, positions = index.sentences.numbers("article", "position", query=both, limit=MOST_LOOKED_AT)
    best: dict[int, list[int]] = {}
    for article_id, position in zip(ids, positions, strict=True):
        held = best.setdefault(article_id, [])
        if len(held) < most:
            held.append(position)
    first = SENTENCES_SHOWN
    return {article_id: sorted(held[:first]) + sorted(held[first:]) for article_id, held in best.items()}
