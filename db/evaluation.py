"""What a report looks up to be shown, and what experts say of predictions that the labels call wrong."""

from collections.abc import Collection, Sequence

from sqlalchemy import select
from sqlalchemy.orm import Session

import db.rows
from db.articles import sentences_at
from db.tables import Annotator, AuditVerdict, DocumentLabel, Paragraph, Section, Sentence


def texts(session: Session, places: Collection[tuple[int, int]]) -> dict[tuple[int, int], str]:
    """The sentences at some (article id, position); those that are no longer there are left out."""
    return {place: sentence.text for place, sentence in sentences_at(session, places).items()}


def section_paths(session: Session, article_ids: Sequence[int]) -> dict[int, tuple[str, list[str]]]:
    """By paragraph id: the kind of its section and the titles of all sections around it, the outermost first."""
    sections = {
        row[0]: (row[1], row[2], row[3])
        for row in session.execute(
            select(Section.id, Section.parent_id, Section.kind, Section.title).where(
                Section.article_id.in_(article_ids)
            )
        )
    }
    paths: dict[int, tuple[str, list[str]]] = {}
    rows = session.execute(select(Paragraph.id, Paragraph.section_id).where(Paragraph.article_id.in_(article_ids)))
    for paragraph_id, section_id in rows:
        titles_of: list[str] = []
        at: int | None = section_id
        while at is not None:
            at, _, title = sections[at]
            titles_of.append(title)
        paths[paragraph_id] = (sections[section_id][1], titles_of[::-1])
    return paths


def terms(session: Session, kinds: Collection[str]) -> list[tuple[str, str, list[str]]]:
    """(kind, name, synonyms) of all document labels of these kinds."""
    rows = session.execute(
        select(DocumentLabel.kind, DocumentLabel.name, DocumentLabel.synonyms)
        .where(DocumentLabel.kind.in_(kinds))
        .order_by(DocumentLabel.id)
    )
    return [(row[0], row[1], list(row[2])) for row in rows]


def current_audits(session: Session) -> Sequence[tuple[AuditVerdict, str, int]]:
    """(audit verdict, annotator's name, sentence position), oldest first: each annotator's latest on each sentence.

    Withdrawn ones are left out.
    """
    latest = db.rows.latest_ids(AuditVerdict, AuditVerdict.annotator_id, AuditVerdict.sentence_id)
    return session.execute(
        select(AuditVerdict, Annotator.name, Sentence.position)
        .join(Annotator, Annotator.id == AuditVerdict.annotator_id)
        .join(Sentence, Sentence.id == AuditVerdict.sentence_id)
        .where(AuditVerdict.id.in_(latest), AuditVerdict.value != "")
        .order_by(AuditVerdict.id)
    ).all()
