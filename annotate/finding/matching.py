"""What of a question stands in the stored articles, letter by letter: which match all of it, which some, and where."""

from collections.abc import Collection
from contextlib import suppress
from dataclasses import dataclass

from sqlalchemy.orm import Session

import db.finding.found_articles
from annotate.finding.question import Question
from annotate.search.entries import field_names
from annotate.search.index_files import DamagedIndex, stored_index
from annotate.search.queries import And, BadQuery, Everything, Node, Or, Term, joined, parted, terms
from annotate.search.reading import read_query
from annotate.search.search import DEEPEST, Hit, ShownSentence, articles_of, search_strictly, shown
from annotate.search.words import QUESTION_WORDS


@dataclass(frozen=True, slots=True)
class Matched:
    """Keys of articles, best first: those that match all of a question, and those that match any word or name of it."""

    whole: tuple[str, ...] = ()
    some: tuple[str, ...] = ()


def understood(session: Session, question: Question) -> Question:
    """Returns the question. Raises BadQuery where its text cannot be read or looked for, ValueError where its years are
    no range."""
    rest = parted(read_query(question.text, field_names(session)))[1]
    with suppress(DamagedIndex):  # which the page tells
        if rest and (index := stored_index()):
            search_strictly(session, index, And((Everything(), *rest)), limit=1)  # what is too common is left out
    first, last = question.filters.years
    if first is not None and last is not None and first > last:
        raise ValueError(f"no year is from {first} and up to {last}")
    return question


def _read(session: Session, question: Question) -> tuple[list[Term], list[Node]]:
    """The plain words of a question without ones that say nothing, such as "which", and all else that is typed."""
    plain, rest = parted(read_query(question.text, field_names(session)))
    return [each for each in plain if each.text.casefold() not in QUESTION_WORDS] or plain, rest


def _named(question: Question) -> list[Node]:
    facets = (facet for facets in question.facets.values() for facet in facets)
    return [joined(Or, [Term(name, phrase=True) for name in facet.names]) for facet in facets]


def demanded(session: Session, question: Question) -> frozenset[str] | None:
    """The keys of the articles that hold all but plain words and facets, which rank; None where nothing else is typed,
    or where it cannot be looked for."""
    try:
        rest = parted(read_query(question.text, field_names(session)))[1]
        index = stored_index()
        if not rest or index is None:
            return None
        ids = articles_of(index, joined(And, rest))
    except (BadQuery, DamagedIndex):  # which `understood` and the page tell
        return None
    return frozenset(db.finding.found_articles.keys_by_id(session, ids).values())


def matched(session: Session, question: Question, allowed: Collection[str] | None) -> Matched:
    """What matches among the allowed keys, None for all. Nothing without an index, or where it cannot be understood."""
    try:
        plain, rest = _read(session, question)
        wanted = [*plain, *_named(question)]
        every, either = joined(And, [*wanted, *rest]), joined(And, [joined(Or, wanted), *rest])
        index = stored_index()
        if index is None:
            return Matched()
        some_hits = search_strictly(session, index, either, limit=DEEPEST).hits
        whole_hits = search_strictly(session, index, every, limit=DEEPEST).hits if every != either else some_hits
    except (BadQuery, DamagedIndex):  # which `understood` and the page tell
        return Matched()
    keys = db.finding.found_articles.keys_by_id(session, [hit.article_id for hit in some_hits])
    found = ([keys[hit.article_id] for hit in hits if hit.article_id in keys] for hits in (whole_hits, some_hits))
    return Matched(*(tuple(key for key in own if allowed is None or key in allowed) for own in found))


def matching_sentences(
    session: Session, question: Question, article_ids: Collection[int], most: int
) -> tuple[dict[int, list[ShownSentence]], list[Term]]:
    """By article, at most `most` of its sentences that match most of the question, the best first; and the terms of
    the text, which are to be marked apart from the names of facets."""
    try:
        plain, rest = _read(session, question)
        node = joined(And, [*plain, *rest])
        index = stored_index()
        hits = [Hit(number, None, 0.0) for number in article_ids]
        found = shown(session, index, joined(And, [node, *_named(question)]), hits, most) if index else []
    except (BadQuery, DamagedIndex):  # which `understood` and the page tell
        return {}, []
    return {each.article_id: each.sentences for each in found}, terms(node)
