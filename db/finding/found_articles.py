"""Articles as Find shows them: by key, and what filters let through."""

from collections.abc import Collection, Sequence

from sqlalchemy import func, or_, select
from sqlalchemy.orm import Session

import db.rows
from db.base import tuples
from db.curation.removals import kept, rows_of_some
from db.curation.tags import tagged
from db.tables import Article, Paragraph, Proposal, ProposalSet, Sentence


def by_keys(session: Session, keys: Collection[str]) -> list[Article]:
    """The articles of the project with these keys, in no order."""
    return [row for (row,) in rows_of_some(session, select(Article).where(kept(Article.id)), Article.key, keys)]


def keys_of(
    session: Session,
    first: int | None,
    last: int | None,
    journals: Sequence[str],
    *,
    tags: Sequence[str] = (),
    without_tags: Sequence[str] = (),
) -> list[str]:
    """The keys of articles of these years, both included, journals and tags, without others; None: any."""
    found = select(Article.key).where(kept(Article.id))
    if first is not None:
        found = found.where(Article.year >= first)
    if last is not None:
        found = found.where(Article.year <= last)
    if journals:
        found = found.where(Article.journal.in_(journals))
    if tags:
        found = found.where(or_(*(Article.id.in_(tagged(tag)) for tag in tags)))
    for tag in without_tags:
        found = found.where(Article.id.not_in(tagged(tag)))
    return list(session.scalars(found))


def keys_by_id(session: Session, article_ids: Sequence[int]) -> dict[int, str]:
    """The keys, by id, of the given articles that are in the project."""
    query = select(Article.id, Article.key).where(kept(Article.id))
    return dict(rows_of_some(session, query, Article.id, article_ids))


def first_proposals(session: Session, article_ids: Collection[int]) -> dict[int, str]:
    """The sentence that the latest proposals of each of some articles rank first, by article."""
    latest = db.rows.latest_ids(ProposalSet, ProposalSet.article_id).where(ProposalSet.article_id.in_(article_ids))
    found = (
        select(
            Sentence.article_id,
            func.substr(Paragraph.text, Sentence.start + 1, Sentence.end - Sentence.start),
        )
        .join(Proposal, Proposal.sentence_id == Sentence.id)
        .join(Paragraph, Paragraph.id == Sentence.paragraph_id)
        .where(Proposal.set_id.in_(latest), Proposal.rank == 1)
    )
    return dict(tuples(session.execute(found)))
