"""What sentences do, as the rankings may take it into account: switched on for the project, known where it was read."""

import hashlib
from collections.abc import Collection, Sequence

import numpy as np
from sqlalchemy.orm import Session

import db.review.verdicts
import db.roles
import db.rows
from annotate.project.rights import Right
from annotate.project.stored_settings import StoredSettings, settings_now
from db.tables import Job
from db.values import JobState
from model.checked_settings import checked
from model.sentence_roles import roles_from

LATELY = 5  # jobs: those that read nothing, or were stopped, stand between
MOST_NAMED = 5_000  # articles: a pass over all costs little more than one over so many


@checked
class RankingSettings(StoredSettings):
    """`roles`: the learned ranking and the head that learns at once see what each sentence does (docs/roles.md)."""

    NAME = "ranking"
    RIGHT = Right.EVALUATE

    roles: bool = True


def roles_of(session: Session, article_ids: Collection[int]) -> dict[int, np.ndarray]:
    """Probabilities of the roles by article, shape (n, 5), where they were read; none where they are switched off."""
    if not settings_now(session, RankingSettings).roles:
        return {}
    stored = db.roles.roles_of_articles(session, article_ids)
    return {article_id: roles_from(sentences, roles) for article_id, _, sentences, roles in stored}


def role_marks(session: Session, article_ids: Collection[int]) -> dict[int, str]:
    """By article the version that read the roles which a ranking sees; articles without such are left out."""
    if not settings_now(session, RankingSettings).roles:
        return {}
    return db.roles.readers(session, article_ids)


def roles_mark(session: Session, article_ids: Collection[int]) -> str:
    """The marks of the roles of several articles as twelve digits; "" where a ranking sees no roles in any of them."""
    marks = sorted(role_marks(session, article_ids).items())
    return hashlib.sha256(str(marks).encode()).hexdigest()[:12] if marks else ""


def last_reading(session: Session) -> int | None:
    """The last job that told what sentences do, as a ranking sees it; None where it sees none, or none ended lately."""
    if not settings_now(session, RankingSettings).roles:
        return None
    return next((job.id for job in _readings(session)), None)


def read_after(session: Session, reading: int | None) -> list[int] | None:
    """The articles that were read by the jobs that ended after this one; None for all: where a ranking learns from one
    of them, it is another one now."""
    jobs = _readings(session)
    if reading is not None and reading not in {job.id for job in jobs}:  # so may be others that ended after it
        return None
    starts = [job.started_at or job.created_at for job in jobs if job.id > (reading or 0)]
    return to_propose(session, db.roles.read_since(session, min(starts))) if starts else []


def read_with(session: Session, job_id: int) -> list[int]:
    """The articles that were read by this job, also before it was killed and began again. Jobs right before it that
    were stopped or failed count as well: no job proposed their articles again."""
    starts = []
    for job in db.rows.latest(session, Job, kind="functions", limit=LATELY):
        if job.id < job_id and job.state == JobState.DONE:
            break
        starts += [job.started_at] if job.started_at else []
    return db.roles.read_since(session, min(starts)) if starts else []


def to_propose(session: Session, read_ids: Sequence[int]) -> list[int] | None:
    """Which articles are to be proposed again once the roles of these were read: only these; None for all where
    they are more than MOST_NAMED, or somebody judged one of them, since the ranking that learns from it changes."""
    too_many = len(read_ids) > MOST_NAMED
    return None if too_many or db.review.verdicts.verdict_counts(session, read_ids) else list(read_ids)


def _readings(session: Session) -> list[Job]:
    jobs = db.rows.latest(session, Job, kind="functions", limit=LATELY)
    return [job for job in jobs if job.state == JobState.DONE and job.result.get("articles_read")]
