"""Routes of jobs: started, followed, cancelled; and of imports: a file of articles, of gold, or of document labels."""

import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, is_dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Body, Form, HTTPException, UploadFile
from pydantic import BaseModel, Field

import db.articles
import db.jobs
import db.rows
from annotate.articles.document_labels import import_labels
from annotate.articles.parsing import compile_pattern
from annotate.articles.parsing.identifiers import parse_identifiers
from annotate.gold.import_file import import_gold
from annotate.jobs.kinds import KINDS, title_of
from annotate.jobs.lifecycle import AlreadyRunning, asked_for, may_cancel, reap, start_after_other_work, start_once
from annotate.jobs.lifecycle import cancel as cancel_job
from annotate.project.acting import Forbidden, allowed, current_actor, demand
from annotate.project.home import look_up, read
from annotate.project.rights import Right
from annotate.retraining.setting_values import payload_of, setting_of
from db.tables import Job
from db.values import Split
from model.proposing.ranking import Ranking
from model.training.settings import TrainingSettings
from pages.parts.api.shapes import Cursor, EventId, JobShape, Limit, Listed, NotThere, Number, cursor_of, place_of
from pages.parts.articles.uploads import disk_is_short, keep_files, kept_table

router = APIRouter(tags=["Jobs"])
LIST = "jobs"
Names = Annotated[list[str], Field(min_length=1, max_length=20)]
MOST_ARTICLES = 5_000  # that one request names


class _Asked(BaseModel):
    id: EventId

    def payload(self) -> dict[str, Any]:
        """The job's, as the pages have it; raises ValueError for what cannot be done."""
        return self.model_dump(mode="json", exclude={"id", "kind"}, exclude_none=True)


class Simple(_Asked):
    """Work that needs no more words."""

    kind: Literal["entities", "functions", "index", "related", "backup"]


class Fetch(_Asked):
    """Articles of Europe PMC by PMID, PMCID or DOI, only the ones whose text matches the pattern, where one is
    given."""

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
        """Raises ValueError for an article that is not there."""
        asked = set(self.article_ids or ())
        if unknown := sorted(asked - look_up(db.articles.splits, asked).keys()):
            raise ValueError(f"there is no article {', '.join(map(str, unknown[:10]))}")
        return super().payload()


class Evaluate(_Asked):
    """Versions measured with rankings on a part of the articles."""

    kind: Literal["evaluate"]
    versions: Names
    rankings: list[Ranking] = [Ranking.COSINE, Ranking.HYBRID]
    split: Split = Split.TEST


class Report(_Asked):
    """The report of a version."""

    kind: Literal["report"]
    version: str
    ranking: Ranking = Ranking.COSINE
    split: Split = Split.TEST


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
    tells_all = look_up(allowed, Right.GOLD)
    name, shapes = current_actor().name, []
    for job in jobs:
        own: dict[str, Any] = {"title": title_of(job.kind), "progress": job.progress or {}}
        own["result"] = job.result if tells_all or job.asked_by == name else None
        columns = {column: getattr(job, column) for column in JobShape.model_fields.keys() - own.keys()}
        shapes.append(JobShape.model_validate(columns | own))
    return shapes


@router.post("/jobs", status_code=202)
def start(asked: AnyJob) -> JobShape:
    """Starts a job, once for each `id`; 409 where one of its kind is queued or running."""
    look_up(demand, KINDS[asked.kind].right)
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


imports = APIRouter(tags=["Imports"], prefix="/imports")


@imports.post("", status_code=202)
def import_articles(
    file: UploadFile,
    id: Annotated[EventId, Form()],
    match: Annotated[str | None, Form(max_length=1_000)] = None,
    propose: Annotated[bool, Form()] = True,
) -> JobShape:
    """Imports the articles of a file, of any format that the page Import takes; follow the job. Once for each `id`."""
    _check()
    more = filters(match, propose=propose)
    if known := asked_for("import", id):
        return job_shape(known)
    names = keep_files([(file.filename or "file", file.file.read())])
    try:
        job = start_once("import", more | {"paths": list(names), "names": names}, id)
    except (AlreadyRunning, Forbidden, ValueError):  # no job has begun; after another error one may read them
        _forget(names)
        raise
    if job.payload.get("paths") != list(names):  # the same request was sent twice at once
        _forget(names)
    return job_shape(job)


@imports.post("/gold")
def import_gold_file(file: UploadFile, whose: Annotated[str, Form(max_length=60)]) -> dict[str, Any]:
    """Stores the verdicts of a gold file under a name, and tells what became of each row. Sent again, nothing is
    stored twice."""
    with _table(file) as path:
        return _as_dict(import_gold(path, whose, file.filename or ""))


@imports.post("/labels")
def import_label_file(file: UploadFile) -> dict[str, Any]:
    """Adds the document labels of a table, and starts new proposals with them."""
    with _table(file) as path:
        report = _as_dict(import_labels(path))
    start_after_other_work("propose", {})
    return report


def _as_dict(report: Any) -> dict[str, Any]:
    return asdict(report) if is_dataclass(report) and not isinstance(report, type) else report.as_dict()


def _check() -> None:
    look_up(demand, Right.IMPORT)
    if disk_is_short():
        raise HTTPException(507, "too little free disk space for uploads")


@contextmanager
def _table(file: UploadFile) -> Iterator[Path]:
    """The file on disk for as long as it is read."""
    _check()
    try:
        with kept_table(file.filename or "file", file.file.read()) as path:
            yield path
    except ValueError as error:
        raise HTTPException(422, str(error)) from error


def _forget(names: dict[str, str]) -> None:
    # A job that could not begin has taken them away itself.
    shutil.rmtree(Path(next(iter(names))).parent, ignore_errors=True)
