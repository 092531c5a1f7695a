"""The texts that people read of a hit: its article, and the matching sentences with their words marked."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from sqlalchemy.orm import Session
from tantivy import Occur, Query

import db.finding.indexed
from annotate.search.compiled import sentence_query, within_articles
from annotate.search.index_files import StoredIndex
from annotate.search.queries import NAMES, BadQuery, Field, Node, Or, Term, joined, terms
from annotate.search.search import TEXTS, Hit
from annotate.search.words import GREEK_BEHIND, stems, symbols_in, whole_words
from model.names import alike_as_asked, words_of

Span = tuple[int, int]


@lru_cache(maxsize=50_000)
def _stems(word: str) -> tuple[str, ...]:
    return tuple(stems(word))


def spans(text: str, terms: Sequence[Term]) -> list[Span]:
    """Half-open offsets of the words that any term finds, in order; a phrase where its words follow each other.

    Names asked for in their own fields (a gene, a cell) are looked for as phrases, what is no text (keys) not at all.
    """
    placed = [(stem, (start, end)) for word, start, end in words_of(text) for stem in _stems(word)]
    found = {span for term in terms for span in _of_term(text, term, placed)}
    return sorted(found)


def _of_term(text: str, term: Term, placed: list[tuple[str, Span]]) -> list[Span]:
    if term.field in NAMES - {Field.GENE, Field.CELL, Field.EDIT, Field.ORGANISM, Field.LABEL, Field.ENTITY}:
        return []
    symbols = symbols_in(term.text)
    # Of each word the stems that it finds: its own, and of a symbol those with a Greek letter behind it.
    wanted = [
        {stem, *(stem + letter for letter in GREEK_BEHIND if stem in symbols)}
        for stem in stems(alike_as_asked(term.text))
    ]
    found = []
    for at in range(len(placed) - len(wanted) + 1 if wanted else 0):
        window = placed[at : at + len(wanted)]
        if all(stem in asked for (stem, _), asked in zip(window, wanted, strict=True)):
            found += [span for _, span in window]
    begun = whole_words(term.text)
    if term.prefix and len(begun) == 1:
        found += [(a, b) for word, a, b in words_of(text) if "".join(whole_words(word)).startswith(begun[0])]
    return found


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
        query = sentence_query(schema, joined(Or, [*told]), lambda of: [])
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
