"""Questions that people asked, and their verdicts on found articles. Of relevance rows are only added."""

import hashlib
import json
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.orm import Session

import db.rows
from db.base import tuples
from db.curation import kept, rows_of_some
from db.tables import Annotator, Article, Relevance, StoredQuestion

_ASKED = select(StoredQuestion, Annotator.name).join(Annotator, Annotator.id == StoredQuestion.annotator_id)


def question_sha256(question: dict[str, Any]) -> str:
    """The hash by which the same question of a person is known again."""
    return hashlib.sha256(json.dumps(question, sort_keys=True).encode()).hexdigest()


def add_question(session: Session, **values: Any) -> int:
    """The id of a question of an annotator; stored where they never asked it."""
    db.rows.add_new(session, StoredQuestion, [values])
    same = (StoredQuestion.annotator_id == values["annotator_id"], StoredQuestion.sha256 == values["sha256"])
    return session.scalars(select(StoredQuestion.id).where(*same)).one()


def question(session: Session, question_id: int) -> tuple[StoredQuestion, str] | None:
    """(question, who asked it) with this id."""
    return session.execute(_ASKED.where(StoredQuestion.id == question_id)).tuples().one_or_none()


def saved_questions(session: Session, annotator: str) -> list[tuple[StoredQuestion, str]]:
    """(question, who asked it) of this annotator's saved searches, and of shared ones, by name."""
    visible = (Annotator.name == annotator) | StoredQuestion.shared
    query = _ASKED.where(StoredQuestion.saved, visible)
    return tuples(session.execute(query.order_by(func.lower(StoredQuestion.name), StoredQuestion.id)))


UNSURE = -1  # a grade: it may be relevant


@dataclass(frozen=True, slots=True)
class Judgement:
    """A present judgement of an article: its grade, of how many it was drawn where by lot, and the id of its row."""

    key: str
    grade: int
    waiting: int | None
    id: int

    @property
    def kept(self) -> bool:
        """Whether the article stays in the review: relevant, or unsure."""
        return self.grade != 0


def current_relevance(session: Session, question_id: int, annotator: str) -> list[Judgement]:
    """This annotator's present verdicts on articles for a question, in the order in which they first judged each."""
    last = (
        select(func.max(Relevance.id).label("last"), func.min(Relevance.id).label("first"))
        .join(Annotator, Annotator.id == Relevance.annotator_id)
        .where(Relevance.question_id == question_id, Annotator.name == annotator)
        .group_by(Relevance.article_key)
        .subquery()
    )
    query = select(Relevance.article_key, Relevance.grade, Relevance.waiting, Relevance.id)
    query = query.join(last, last.c.last == Relevance.id).where(Relevance.grade.is_not(None))
    rows = tuples(session.execute(query.order_by(last.c.first)))
    return [Judgement(key, grade, waiting, number) for key, grade, waiting, number in rows if grade is not None]


def verdicts(session: Session) -> list[tuple[int, dict[str, Any], str, int | None]]:
    """(annotator id, question, article key, grade), oldest first: the last of each person on each stored question.

    A grade is UNSURE where it may be relevant, and None where it was taken back.
    """
    latest = db.rows.latest_ids(Relevance, Relevance.question_id, Relevance.annotator_id, Relevance.article_key)
    query = (
        select(Relevance.annotator_id, StoredQuestion.question, Relevance.article_key, Relevance.grade)
        .join(StoredQuestion, StoredQuestion.id == Relevance.question_id)
        .where(Relevance.id.in_(latest))
        .order_by(Relevance.id)
    )
    return tuples(session.execute(query))


def keys_of_pmids(session: Session, pmids: Collection[str]) -> dict[str, str]:
    """Keys of stored articles by PMID."""
    rows = rows_of_some(session, select(Article.pmid, Article.key), Article.pmid, pmids)
    return {pmid: key for pmid, key in rows if pmid}


def facts(session: Session, keys: Collection[str]) -> dict[str, tuple[int, bool]]:
    """(id, whether it has its full text) of the articles of the project with these keys."""
    query = select(Article.key, Article.id, Article.full_text).where(kept(Article.id))
    return {key: (number, full) for key, number, full in rows_of_some(session, query, Article.key, keys)}


def journals(session: Session, *, limit: int) -> list[str]:
    """The journals of the articles of the project, the ones with most articles first."""
    number = func.count()
    query = select(Article.journal).where(Article.journal.is_not(None), Article.journal != "", kept(Article.id))
    query = query.group_by(Article.journal).order_by(number.desc(), Article.journal).limit(limit)
    return [name for name in session.scalars(query) if name]
