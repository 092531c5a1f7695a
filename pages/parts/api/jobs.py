"""Routes of jobs: started, followed and cancelled."""

from collections.abc import Sequence
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Body
from pydantic import BaseModel, Field

import db.jobs
import db.rows
from annotate.articles.europepmc import parse_identifiers
from annotate.articles.parsing import compile_pattern
from annotate.jobs.asked_once import start_once
from annotate.jobs.kinds import KINDS, title_of
from annotate.jobs.lifecycle import cancel as cancel_job
from annotate.jobs.lifecycle import may_cancel, reap
from annotate.project.acting import allowed, current_actor, demand
from annotate.project.home import read
from annotate.project.rights import Right
from annotate.retraining.setting_values import payload_of, setting_of
from db.tables import Job
from db.values import Split
from model.proposing.ranking import Ranking
from model.training.settings import TrainingSettings
from pages.parts.api.cursors import cursor_of, place_of
from pages.parts.api.shapes import Cursor, EventId, JobShape, Limit, Listed, NotThere, Number

router = APIRouter(tags=["Jobs"])
LIST = "jobs"
Names = Annotated[list[str], Field(min_length=1, max_length=20)]
MOST_ARTICLES = 5_000  # that one request names


class _Asked(BaseModel):
    id: EventId


class Simple(_Asked):
    """Work that needs no more words."""

    kind: Literal["entities", "functions", "index", "related", "backup"]

    def payload(self) -> dict[str, Any]:
        """Nothing."""
        return {}


class Fetch(_Asked):
    """Articles of Europe PMC by PMID, PMCID or DOI, those alone whose text matches a pattern where one is given."""

    kind: Literal["import"]
    identifiers: Annotated[list[str], Field(min_length=1, max_length=MOST_ARTICLES)]
    match: str | None = None
    propose: bool = True

    def payload(self) -> dict[str, Any]:
        """Raises ValueError for an invalid identifier or pattern."""
        good, bad = parse_identifiers(" ".join(self.identifiers))
        if bad:
            raise ValueError(f"neither PMID, PMCID nor DOI: {', '.join(bad[:10])}")
        return filters(self.match, propose=self.propose) | {"identifiers": good}


class Propose(_Asked):
    """New proposals, of these articles or of all."""

    kind: Literal["propose"]
    article_ids: Annotated[list[Number], Field(max_length=MOST_ARTICLES)] | None = None

    def payload(self) -> dict[str, Any]:
        """The articles, where some are named."""
        return {} if self.article_ids is None else {"article_ids": self.article_ids}


class Evaluate(_Asked):
    """Versions measured with rankings on a part of the articles."""

    kind: Literal["evaluate"]
    versions: Names
    rankings: list[Ranking] = [Ranking.COSINE, Ranking.HYBRID]
    split: Split = Split.TEST

    def payload(self) -> dict[str, Any]:
        """As the page has it."""
        return {"versions": self.versions, "rankings": list(map(str, self.rankings)), "split": str(self.split)}


class Report(_Asked):
    """The report of a version."""

    kind: Literal["report"]
    version: str
    ranking: Ranking = Ranking.COSINE
    split: Split = Split.TEST

    def payload(self) -> dict[str, Any]:
        """As the page has it."""
        return {"version": self.version, "ranking": str(self.ranking), "split": str(self.split)}


class Train(_Asked):
    """A new version from a parent, by default the proposing one; `settings` as on the command line."""

    kind: Literal["train"]
    parent: str | None = None
    settings: dict[str, Any] = {}

    def payload(self) -> dict[str, Any]:
        """Raises ValueError for a setting that is none."""
        given = {name: setting_of(name, value) for name, value in self.settings.items()}
        try:
            return payload_of(TrainingSettings(**given), self.parent)
        except TypeError as error:
            raise ValueError(f"the settings: {error}") from None


AnyJob = Annotated[Simple | Fetch | Propose | Evaluate | Report | Train, Body(discriminator="kind")]


def filters(match: str | None, *, propose: bool) -> dict[str, Any]:
    """The options of an import apart from its articles. Raises ValueError for an invalid pattern."""
    compile_pattern(match or "")
    return {"match": match or None, "pmids": None, "propose": propose, "recognise": True}


def job_shape(job: Job) -> JobShape:
    """A job as the caller may see it."""
    return job_shapes([job])[0]


def job_shapes(jobs: Sequence[Job]) -> list[JobShape]:
    """The jobs as the caller may see them."""
    with read() as session:
        tells_all = allowed(session, Right.GOLD)
    name = current_actor().name
    return [_shape(job, with_result=tells_all or job.asked_by == name) for job in jobs]


def _shape(job: Job, *, with_result: bool) -> JobShape:
    return JobShape(
        id=job.id,
        kind=job.kind,
        title=title_of(job.kind),
        state=job.state,
        asked_by=job.asked_by,
        progress=job.progress or {},
        result=job.result if with_result else None,
        error=job.error,
        created_at=job.created_at,
        started_at=job.started_at,
        finished_at=job.finished_at,
    )


@router.post("/jobs", status_code=202)
def start(asked: AnyJob) -> JobShape:
    """Starts a job, once for each `id`; 409 where one of its kind is queued or running."""
    with read() as session:
        demand(session, KINDS[asked.kind].right)
    return job_shape(start_once(asked.kind, asked.payload(), asked.id))


@router.get("/jobs")
def jobs(limit: Limit = 100, cursor: Cursor = None) -> Listed[JobShape]:
    """The jobs that the person might start or cancel, the newest first."""
    (before,) = place_of(LIST, cursor) or (None,)
    reap()
    with read() as session:
        demand(session, Right.REVIEW)
        any_job = allowed(session, Right.CANCEL)
        kinds = [name for name, kind in KINDS.items() if any_job or allowed(session, kind.right)]
        found = db.jobs.of_kinds(session, kinds, before=before, limit=limit + 1)
    rows = job_shapes(found[:limit])
    return Listed(rows=rows, next=cursor_of(LIST, rows[-1].id) if len(found) > limit else None)


@router.get("/jobs/{job_id}")
def job(job_id: Number) -> JobShape:
    """The progress of a job, and its result."""
    reap()
    found = _known(job_id)
    with read() as session:
        if not may_cancel(session, found):  # those who may end it follow it
            demand(session, KINDS[found.kind].right)
    return job_shape(found)


@router.post("/jobs/{job_id}/cancel")
def cancel(job_id: Number) -> JobShape:
    """Asks a job to stop; one that has ended stays as it is."""
    _known(job_id)
    cancel_job(job_id)
    return job_shape(_known(job_id))


def _known(job_id: int) -> Job:
    with read() as session:
        found = db.rows.get(session, Job, job_id)
        if found is None or found.kind not in KINDS:
            raise NotThere(f"there is no job {job_id}")
    return found
