"""Entities recognised in articles, and the labels proposed from it."""

from collections.abc import Collection, Sequence
from typing import Any

from sqlalchemy import delete, func, select
from sqlalchemy.orm import Session

import db.rows
from db.curation import Unread, kept, rows_of_some
from db.tables import DocumentLabel, EntityCandidate, EntityScan, LabelProposal


def unread(version: str) -> Unread:
    """The articles in which entities were never looked for, or with another version, or that grew since."""
    return Unread(EntityScan, version)


def replace_scan(
    session: Session,
    article_id: int,
    version: str,
    sentence_count: int,
    candidates: Sequence[dict[str, Any]],
    proposals: Sequence[dict[str, Any]],
) -> None:
    """Replaces the entities recognised in an article with so many sentences, and the labels proposed from them."""
    for table in (EntityCandidate, LabelProposal, EntityScan):
        session.execute(delete(table).where(table.article_id == article_id))
    session.add(EntityScan(article_id=article_id, version=version, sentence_count=sentence_count))
    for table, rows in ((EntityCandidate, candidates), (LabelProposal, proposals)):
        db.rows.add_all(session, table, [{"article_id": article_id, **row} for row in rows])


def candidates(session: Session, article_id: int) -> Sequence[EntityCandidate]:
    """The mentions of an article, in the order in which they were stored."""
    return session.scalars(
        select(EntityCandidate).where(EntityCandidate.article_id == article_id).order_by(EntityCandidate.id)
    ).all()


def names(session: Session, article_ids: Collection[int]) -> dict[int, set[str]]:
    """By article the names of its mentions; articles without any are left out."""
    columns = select(EntityCandidate.article_id, EntityCandidate.name).distinct()
    found: dict[int, set[str]] = {}
    for article_id, name in rows_of_some(session, columns, EntityCandidate.article_id, article_ids):
        found.setdefault(article_id, set()).add(name)
    return found


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
