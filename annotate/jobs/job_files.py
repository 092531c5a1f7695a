"""What a job keeps on disk only while it is active: the uploads it was given, and what it goes on from when resumed."""

import json
import shutil
import time
from collections.abc import Collection
from contextlib import suppress
from pathlib import Path
from typing import Any

from annotate.project.home import folder
from annotate.project.whole_files import write_whole
from db.tables import Job

# An upload is written before the job that reads it begins: one that no job names after so long was left by an error.
FORGOTTEN_SECONDS = 86_400


def scratch(job_id: int) -> Path:
    """A folder of the job's own, not made yet; its files outlive the process and goes with the job's end."""
    return folder("checkpoints") / str(job_id)


def noted(job_id: int, name: str, facts: dict[str, Any]) -> dict[str, Any]:
    """The facts that the job's first attempt noted under this name, which later attempts must keep; notes `facts` if
    none are there."""
    path = scratch(job_id) / f"{name}.json"
    with suppress(OSError, ValueError):
        earlier: dict[str, Any] = json.loads(path.read_text())
        return earlier
    path.parent.mkdir(exist_ok=True)
    write_whole(path, json.dumps(facts).encode())
    return facts


def clear(job: Job) -> None:
    """Removes what an ended job kept."""
    shutil.rmtree(scratch(job.id), ignore_errors=True)
    uploads = folder("uploads")
    for path in map(Path, job.payload.get("names", {})):
        if path.parent.parent == uploads:
            shutil.rmtree(path.parent, ignore_errors=True)


def left_over() -> list[int]:
    """The ids of the jobs that keep something here."""
    return [int(path.name) for path in folder("checkpoints").iterdir() if path.name.isdecimal()]


def tidy(ids: Collection[int], active: Collection[Job]) -> None:
    """Removes files of the given jobs that are not active: their process was killed right after they ended. Also
    removes uploads that no active job names, once they are a day old."""
    for job_id in set(ids) - {job.id for job in active}:
        shutil.rmtree(scratch(job_id), ignore_errors=True)
    named = {Path(path).parent.name for job in active for path in job.payload.get("names", {})}
    before = time.time() - FORGOTTEN_SECONDS
    for path in folder("uploads").iterdir():
        with suppress(FileNotFoundError):  # its job has just ended
            if path.name not in named and path.stat().st_mtime < before:
                shutil.rmtree(path, ignore_errors=True)
