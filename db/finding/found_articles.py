"""Articles as Find shows them, what filters let through, and the names that articles bear and questions can ask for."""

import json
import unicodedata
from collections.abc import Collection, Sequence

from sqlalchemy import String, cast, func, or_, select, union_all
from sqlalchemy.orm import Session

import db.rows
from db.base import tuples
from db.curation import kept, rows_of_some, tagged
from db.tables import Article, DocumentLabel, LabelProposal, Paragraph, Proposal, ProposalSet, Sentence


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


ROWS = 200  # labels of one name that are read: articles by the thousand repeat the same synonyms


def common_names(session: Session, kind: str, proposed_as: str, *, limit: int) -> list[str]:
    """The names of a kind by how many articles bear them as a document label, or as the first proposed as a kind."""
    labels = select(DocumentLabel.name.label("name"), DocumentLabel.article_id.label("article_id")).where(
        DocumentLabel.kind == kind
    )
    proposed = select(LabelProposal.name, LabelProposal.article_id).where(
        LabelProposal.kind == proposed_as, LabelProposal.rank == 1
    )
    every = union_all(labels, proposed).subquery()
    number = func.count(func.distinct(every.c.article_id))
    query = select(every.c.name).group_by(every.c.name).order_by(number.desc(), every.c.name).limit(limit)
    return list(session.scalars(query))


def named(
    session: Session, table: type[DocumentLabel | LabelProposal], kind: str, name: str
) -> list[tuple[str, list[str]]]:
    """(name, synonyms), each once, of labels or proposed ones with this name or synonym, in any case.

    A letter with a mark is the same as one character and as two.
    """
    wanted = []
    for form in dict.fromkeys([name, unicodedata.normalize("NFC", name), unicodedata.normalize("NFD", name)]):
        quoted = json.dumps(form).lower().replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
        is_synonym = func.lower(cast(table.synonyms, String)).like(f"%{quoted}%", escape="\\")
        wanted += [table.name == form, func.lower(table.name) == form.lower(), is_synonym]
    query = select(table.name, table.synonyms).where(table.kind == kind, or_(*wanted))
    order = table.probability.desc() if table is LabelProposal else table.id
    found: dict[tuple[str, ...], tuple[str, list[str]]] = {}
    for first, synonyms in tuples(session.execute(query.order_by(order).limit(ROWS))):
        found.setdefault((first, *synonyms), (first, list(synonyms)))
    return list(found.values())
