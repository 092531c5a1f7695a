"""Entities recognised in articles, and the labels proposed from it."""

from collections.abc import Collection, Sequence
from typing import Any

from sqlalchemy import String, cast, delete, func, insert, literal, or_, select
from sqlalchemy.orm import Session

from db.base import AnySelect
from db.curation.removals import kept
from db.tables import Article, DocumentLabel, EntityCandidate, EntityScan, LabelProposal


def articles_to_scan(
    session: Session,
    version: str,
    article_ids: Collection[int] | None = None,
    *,
    limit: int,
    before: int | None = None,
) -> list[int]:
    """Articles with text in which entities were never looked for, or with another version, the newest first.

    `before`: only those with lower ids.
    """
    query = _to_scan(select(Article.id), version, article_ids)
    if before is not None:
        query = query.where(Article.id < before)
    return list(session.scalars(query.order_by(Article.id.desc()).limit(limit)))


def count_to_scan(session: Session, version: str, article_ids: Collection[int] | None = None) -> int:
    """The number of articles with text whose entities were never looked for, or with another version."""
    return session.scalar(_to_scan(select(func.count(Article.id)), version, article_ids)) or 0


def _to_scan(selected: AnySelect, version: str, article_ids: Collection[int] | None) -> AnySelect:
    query = selected.outerjoin(EntityScan, EntityScan.article_id == Article.id).where(
        kept(Article.id),
        Article.sentence_count > 0,
        or_(
            EntityScan.article_id.is_(None),
            # An article that grew, as by its full text, was not seen whole.
            EntityScan.version != literal(f"{version}/").concat(cast(Article.sentence_count, String)),
        ),
    )
    return query if article_ids is None else query.where(Article.id.in_(article_ids))


def replace_scan(
    session: Session,
    article_id: int,
    version: str,
    candidates: Sequence[dict[str, Any]],
    proposals: Sequence[dict[str, Any]],
) -> None:
    """Replaces the entities recognised in an article, and the labels proposed from them, with these."""
    for table in (EntityCandidate, LabelProposal, EntityScan):
        session.execute(delete(table).where(table.article_id == article_id))
    session.execute(insert(EntityScan), [{"article_id": article_id, "version": version}])
    if candidates:
        session.execute(insert(EntityCandidate), [{"article_id": article_id, **row} for row in candidates])
    if proposals:
        session.execute(insert(LabelProposal), [{"article_id": article_id, **row} for row in proposals])


def candidates(session: Session, article_id: int) -> Sequence[EntityCandidate]:
    """The mentions of an article, in the order in which they were stored."""
    return session.scalars(
        select(EntityCandidate).where(EntityCandidate.article_id == article_id).order_by(EntityCandidate.id)
    ).all()


def proposals_mark(session: Session) -> tuple[int, int]:
    """The last row of labels and of proposals, which moves with nearly every change of either."""
    last_label = session.scalar(select(func.max(DocumentLabel.id))) or 0
    return last_label, session.scalar(select(func.max(LabelProposal.id))) or 0


def proposals_of_labelled(session: Session, most: int) -> Sequence[LabelProposal]:
    """The proposals for the articles that were labelled last, of at most `most` articles."""
    labelled = (
        select(DocumentLabel.article_id)
        .where(kept(DocumentLabel.article_id))
        .group_by(DocumentLabel.article_id)
        .order_by(func.max(DocumentLabel.id).desc())
        .limit(most)
    )
    query = select(LabelProposal).where(LabelProposal.article_id.in_(labelled.scalar_subquery()))
    return session.scalars(query.order_by(LabelProposal.id)).all()


def label_proposals(session: Session, article_id: int) -> Sequence[LabelProposal]:
    """The labels proposed for an article, by kind and rank."""
    return session.scalars(
        select(LabelProposal)
        .where(LabelProposal.article_id == article_id)
        .order_by(LabelProposal.kind, LabelProposal.rank)
    ).all()
