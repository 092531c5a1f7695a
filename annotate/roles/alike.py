"""Sentences like one sentence, by what they do and by what they say, and two articles aligned by function."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from sqlalchemy.orm import Session

import db.articles
import db.registry
import db.roles
from annotate.embeddings.stored_vectors import embeddings_of
from annotate.roles.vector_files import Kind, Near, nearest
from model.roles.shares import places_of
from model.sentence_roles import NAMES, ROLES, roles_from
from model.vectors import unit

BATCH_ARTICLES = 100  # read at once: some 30 MB of full texts
# Of two sentences that are as near by function, the one at the same place of its article is taken. A whole article away
# costs this much of a cosine.
PLACE_COST = 0.1
LEAST_ALIKE = 0.6  # of a cosine by function, below which a sentence has no counterpart


class NotRead(LookupError):
    """The roles of this article's sentences were not read yet."""


@dataclass(frozen=True, slots=True)
class Alike:
    """A sentence that is like the one asked about: 1 is the same, by function and by meaning together."""

    article_id: int
    position: int
    sentence_id: int
    likeness: float
    role: str
    title: str
    text: str


@dataclass(frozen=True, slots=True)
class Vectors:
    """Of an article's sentences: probabilities of the roles, (n, 5), and unit vectors of their function, (n, d)."""

    article_id: int
    roles: np.ndarray
    function: np.ndarray


def alike(
    session: Session, article_id: int, position: int, by_function: float, *, library: bool, limit: int = 20
) -> list[Alike]:
    """The sentences nearest to one, best first: of its article, or of the whole library.

    by_function: from 0, only by meaning, to 1, only by function. Vectors of another version of the model are no
    measure: what that read is left out. Raises NotRead, and LookupError where there is no such sentence.
    """
    asked = next(vectors_of(session, [article_id]), None)
    if asked is None:
        raise NotRead(f"the roles of the sentences of article {article_id} were not read yet")
    if not 0 <= position < len(asked.function):
        raise LookupError(f"article {article_id} has no sentence {position}")
    kind = Kind(db.roles.readers(session, [article_id])[article_id], None)
    wanted = by_function * asked.function[position]
    promoted = db.registry.encoder_in_use(session) if by_function < 1 else None
    embedded = embeddings_of(session, promoted.id, [article_id]).get(article_id) if promoted else None
    if embedded is not None and len(embedded) == len(asked.function):
        kind = Kind(kind.version, promoted)
        wanted = np.concatenate([wanted, (1 - by_function) * unit(embedded[position])])
    within = None if library else [article_id]
    return described(session, nearest(session, kind, wanted, within, limit=limit, but={(article_id, position)}))


def vectors_of(session: Session, article_ids: Collection[int] | None = None) -> Iterator[Vectors]:
    """The vectors of these articles, or of all, whose roles were read: in batches, by id."""
    wanted = db.roles.read_ids(session, article_ids)
    for start in range(0, len(wanted), BATCH_ARTICLES):
        for article_id, count, roles, vectors in db.roles.of_articles(session, wanted[start : start + BATCH_ARTICLES]):
            function = unit(np.frombuffer(vectors, dtype=np.float16).reshape(count, -1))
            yield Vectors(article_id, roles_from(count, roles), function)


def described(session: Session, found: Sequence[Near]) -> list[Alike]:
    """The near sentences with the texts that people read: title, role and sentence."""
    sentences = db.articles.sentences_at(session, {(article, at) for _, article, at, _ in found})
    titles = db.articles.titles(session, {article for _, article, _, _ in found})
    made = []
    for likeness, article, at, role in found:
        sentence = sentences[(article, at)]
        made.append(Alike(article, at, sentence.id, likeness, NAMES[ROLES[role]], titles[article], sentence.text))
    return made


def aligned(session: Session, one: int, other: int) -> tuple[list[int], list[int]]:
    """For each sentence of two articles the position of its nearest of the other by function, -1 where none is near.

    Raises NotRead unless the roles of both were read, by one model: the vectors of two are no measure.
    """
    found = {vectors.article_id: vectors for vectors in vectors_of(session, [one, other])}
    if missing := {one, other} - set(found):
        raise NotRead(f"the roles of the sentences of article {min(missing)} were not read yet")
    if len(set(db.roles.readers(session, [one, other]).values())) > 1:
        raise NotRead("the roles of the two articles were read by different models; read them again")
    a, b = found[one], found[other]
    cosines = a.function @ b.function.T
    cosines[~a.roles.any(axis=1)] = -1
    cosines[:, ~b.roles.any(axis=1)] = -1
    places = np.abs(places_of(len(a.function))[:, None] - places_of(len(b.function))[None, :])
    return _best(cosines, places), _best(cosines.T, places.T)


def _best(cosines: np.ndarray, places: np.ndarray) -> list[int]:
    best = (cosines - PLACE_COST * places).argmax(axis=1)
    near = cosines[np.arange(len(cosines)), best] >= LEAST_ALIKE
    return [int(at) for at in np.where(near, best, -1)]
