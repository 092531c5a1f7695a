"""Functions that the team names itself: a name, examples, and the sentences that may have it, too."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from sqlalchemy.orm import Session

import db.articles
import db.roles
import db.rows
from annotate.project.acting import own_name
from annotate.project.home import write
from annotate.project.names import clean_name
from annotate.project.rights import Right
from annotate.roles.alike import Alike, described, vectors_of
from annotate.roles.vector_files import Kind, nearest
from db.tables import FunctionExample, OwnFunction, Sentence
from model.vectors import unit

EXAMPLES = 3
# How much the sentences that were refused push the prototype away.
REFUSED_WEIGHT = 0.3


class NotPossible(ValueError):
    """A function that cannot be made so; the message says why."""


@dataclass(frozen=True, slots=True)
class Example:
    """The last verdict on a sentence: whether it has the function, by whom and when."""

    sentence_id: int
    article_id: int
    position: int
    has_it: bool
    said_by: str
    said_at: str
    text: str


def create(by: str, name: str, sentence_ids: list[int]) -> int:
    """Names a function with the sentences that show it, in the name of the acting person; returns its id.

    Raises NotPossible for fewer than EXAMPLES different sentences, an empty name or one that is taken.
    """
    chosen = dict.fromkeys(sentence_ids, True)
    called = clean_name(name)
    with write(Right.REVIEW) as session:
        if not called:
            raise NotPossible("the role needs a name")
        if any(one.name.casefold() == called.casefold() for one in db.roles.own_functions(session)):
            raise NotPossible(f"there is a role {called!r} already")
        known = [one for one in chosen if db.rows.get(session, Sentence, one)]
        if len(known) < EXAMPLES:
            raise NotPossible(f"{len(known)} sentences; a role is shown by at least {EXAMPLES}")
        made = db.rows.add(session, OwnFunction(name=called, created_by=own_name(by)))
        _add_examples(session, made.id, dict.fromkeys(known, True), by)
        return made.id


def say(by: str, function_id: int, answers: Mapping[int, bool]) -> int:
    """Stores that sentences, by their ids, have the function or not; verdicts that hold already are not stored again.

    Returns how many were stored. Raises LookupError for no such function or sentence.
    """
    with write(Right.REVIEW) as session:
        if db.rows.get(session, OwnFunction, function_id) is None:
            raise LookupError(f"there is no role {function_id}")
        for sentence_id in answers:
            if db.rows.get(session, Sentence, sentence_id) is None:
                raise LookupError(f"there is no sentence {sentence_id}")
        now = {row[0]: row[3] for row in db.roles.examples(session, function_id)}
        new = {sentence: has_it for sentence, has_it in answers.items() if now.get(sentence) != has_it}
        _add_examples(session, function_id, new, by)
        return len(new)


def _add_examples(session: Session, function_id: int, answers: Mapping[int, bool], by: str) -> None:
    own = {"function_id": function_id, "said_by": own_name(by)}
    rows = [own | {"sentence_id": sentence, "has_it": has_it} for sentence, has_it in answers.items()]
    db.rows.add_all(session, FunctionExample, rows)


def examples(session: Session, function_id: int) -> list[Example]:
    """The last verdict on each sentence, in the order of time."""
    rows = db.roles.examples(session, function_id)
    texts = db.articles.sentences_at(session, {(row[1], row[2]) for row in rows})
    return [Example(*row, texts[(row[1], row[2])].text) for row in rows]


def proposed(session: Session, function_id: int, limit: int = 10) -> list[Alike]:
    """The sentences nearest to the mean of the examples without a verdict yet, best first."""
    rows = db.roles.examples(session, function_id)
    places = {(row[1], row[2]): row[3] for row in rows}
    readers = db.roles.readers(session, {row[1] for row in rows})
    if not readers:
        return []
    version = Counter(readers.values()).most_common(1)[0][0]  # vectors of two versions are no measure of each other
    examined = [article_id for article_id, reader in readers.items() if reader == version]
    vectors = {one.article_id: one.function for one in vectors_of(session, examined)}
    sums: dict[bool, np.ndarray | float] = {True: 0.0, False: 0.0}
    counts = {True: 0, False: 0}
    for (article, at), has_it in places.items():
        if article in vectors:
            sums[has_it] = sums[has_it] + vectors[article][at]
            counts[has_it] += 1
    if not counts[True]:
        return []
    prototype = np.asarray(sums[True] / counts[True])
    if counts[False]:
        prototype = prototype - REFUSED_WEIGHT * sums[False] / counts[False]
    (asked,) = unit(prototype[None])
    found = nearest(session, Kind(version, None), asked, limit=limit, but=set(places))
    return described(session, found)
