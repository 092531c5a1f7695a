"""Names that articles bear, or may bear: what a question can ask for, and under which other names."""

import json

from sqlalchemy import String, cast, func, or_, select, union_all
from sqlalchemy.orm import Session

from db.base import tuples
from db.tables import DocumentLabel, LabelProposal

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
    """(name, synonyms), each once, of labels or proposed ones with this name or synonym, in any case."""
    quoted = json.dumps(name).lower().replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
    is_synonym = func.lower(cast(table.synonyms, String)).like(f"%{quoted}%", escape="\\")
    query = select(table.name, table.synonyms).where(
        table.kind == kind, or_(table.name == name, func.lower(table.name) == name.lower(), is_synonym)
    )
    order = table.probability.desc() if table is LabelProposal else table.id
    found: dict[tuple[str, ...], tuple[str, list[str]]] = {}
    for first, synonyms in tuples(session.execute(query.order_by(order).limit(ROWS))):
        found.setdefault((first, *synonyms), (first, list(synonyms)))
    return list(found.values())
