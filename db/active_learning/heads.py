"""Learned rankings and light heads, and which labels came after one: rows are only added."""

from sqlalchemy import select
from sqlalchemy.orm import Session

from db.curation.removals import changed_since
from db.tables import Head, Ranker, Reading, Verdict


def latest_ranker(session: Session, version_id: int, *, until: str | None = None) -> Ranker | None:
    """The newest ranker of a version, or the one that was newest at a time (ISO 8601 in UTC)."""
    query = select(Ranker).where(Ranker.version_id == version_id)
    if until is not None:
        query = query.where(Ranker.created_at <= until)
    return session.scalars(query.order_by(Ranker.id.desc()).limit(1)).first()


def latest_base(session: Session, version_id: int) -> Head | None:
    """The newest head of a version on which later heads build: its counts say "base"."""
    return session.scalar(
        select(Head)
        .where(Head.version_id == version_id, Head.counts["base"].as_boolean())
        .order_by(Head.id.desc())
        .limit(1)
    )


def touched(session: Session, until_verdict: int, until_reading: int, until_removal: int) -> set[int]:
    """The articles that somebody judged, read, removed or took back after these rows."""
    verdicts = session.scalars(select(Verdict.article_id).where(Verdict.id > until_verdict))
    readings = session.scalars(select(Reading.article_id).where(Reading.id > until_reading))
    return {*verdicts, *readings, *changed_since(session, until_removal)}


def judged_until(session: Session, until_verdict: int) -> set[int]:
    """The articles with a verdict up to this one."""
    return set(session.scalars(select(Verdict.article_id).where(Verdict.id <= until_verdict).distinct()))
