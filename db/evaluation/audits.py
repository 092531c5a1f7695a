"""What experts say of predictions that the labels call wrong: the current audit verdicts."""

from collections.abc import Sequence

from sqlalchemy import select
from sqlalchemy.orm import Session

import db.rows
from db.tables import Annotator, AuditVerdict, Sentence


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
