"""Routes of imports: a file of articles, of gold, or of document labels."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, is_dataclass
from pathlib import Path
from typing import Annotated, Any

from fastapi import APIRouter, Form, HTTPException, UploadFile

from annotate.articles.document_labels import import_labels
from annotate.gold.import_file import import_gold
from annotate.jobs.asked_once import asked_for, start_once
from annotate.jobs.lifecycle import AlreadyRunning, start_after_other_work
from annotate.project.acting import Forbidden, demand
from annotate.project.home import read
from annotate.project.names import clean_name
from annotate.project.rights import Right
from pages.parts.api.jobs import filters, job_shape
from pages.parts.api.shapes import EventId, JobShape
from pages.parts.articles.uploads import disk_is_short, keep_files

router = APIRouter(tags=["Imports"], prefix="/imports")


@router.post("", status_code=202)
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


@router.post("/gold")
def import_gold_file(file: UploadFile, whose: Annotated[str, Form(max_length=60)]) -> dict[str, Any]:
    """Stores the verdicts of a gold file under a name, and tells what became of each row. Sent again, nothing is
    stored twice."""
    with _table(file) as path:
        return _told(import_gold(path, clean_name(whose)))


@router.post("/labels")
def import_label_file(file: UploadFile) -> dict[str, Any]:
    """Adds the document labels of a table, and starts new proposals with them."""
    with _table(file) as path:
        report = _told(import_labels(path))
    start_after_other_work("propose", {})
    return report


def _told(report: Any) -> dict[str, Any]:
    return asdict(report) if is_dataclass(report) and not isinstance(report, type) else report.as_dict()


def _check() -> None:
    with read() as session:
        demand(session, Right.IMPORT)
    if disk_is_short():
        raise HTTPException(507, "too little free disk space for uploads")


@contextmanager
def _table(file: UploadFile) -> Iterator[Path]:
    """The file on disk for as long as it is read; an error names it as its owner does."""
    _check()
    name = file.filename or "file"
    names = keep_files([(name, file.file.read())])
    path = Path(next(iter(names)))
    try:
        yield path
    except ValueError as error:
        raise HTTPException(422, str(error).replace(path.name, name)) from error
    finally:
        _forget(names)


def _forget(names: dict[str, str]) -> None:
    # A job that could not begin has taken them away itself.
    shutil.rmtree(Path(next(iter(names))).parent, ignore_errors=True)
