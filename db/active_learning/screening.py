"""Whether articles hold a key sentence: one row an article, replaced by each fit; fits are only added."""

from collections.abc import Collection

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from db.base import tuples
from db.curation import kept, last_removal, without
from db.tables import Article, TriageFit, TriageScore


def outdated(session: Session, rules: str, *, after: int = 0, limit: int) -> list[tuple[int, str, int]]:
    """(id, title, sentences) of the next articles by id whose present sentences have no cue score by these rules."""
    found = (
        without(select(Article.id, Article.title, Article.sentence_count), TriageScore, TriageScore.version == rules)
        .where(Article.id > after)
        .order_by(Article.id)
        .limit(limit)
    )
    return tuples(session.execute(found))


def scores(session: Session, article_ids: Collection[int] | None = None) -> list[tuple[int, int, float, float | None]]:
    """(article id, sentences, cue score, probability or None) of some articles, or all, by id."""
    found = select(
        TriageScore.article_id, TriageScore.sentence_count, TriageScore.cue, TriageScore.probability
    ).order_by(TriageScore.article_id)
    found = found.where(kept(TriageScore.article_id))
    if article_ids is not None:
        found = found.where(TriageScore.article_id.in_(article_ids))
    return tuples(session.execute(found))


def mark(session: Session) -> tuple[int, int, int]:
    """(the last fit, how many articles have a score, the last removal of an article): changes whenever
    scores do, but for articles that grew."""
    fit = select(func.coalesce(func.max(TriageFit.id), 0)).scalar_subquery()
    number = select(func.count()).select_from(TriageScore).scalar_subquery()
    last_fit, scored = session.execute(select(fit, number)).one()
    return last_fit, scored, last_removal(session)


def places(session: Session, article_ids: Collection[int]) -> dict[int, int]:
    """The place of some articles among all by their cues, 1 for the likeliest; equal ones share one. Empty where the
    cues tell no article from another."""
    place = func.rank().over(order_by=TriageScore.cue.desc()).label("place")
    differ = (func.min(TriageScore.cue).over() < func.max(TriageScore.cue).over()).label("differ")
    ranked = select(TriageScore.article_id, place, differ).where(kept(TriageScore.article_id)).subquery()
    found = select(ranked.c.article_id, ranked.c.place).where(ranked.c.article_id.in_(article_ids), ranked.c.differ)
    return dict(tuples(session.execute(found)))
