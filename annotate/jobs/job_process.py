"""The process of a job: known among others, heard of, bounded in memory, and killed with all that it started; and what
a job keeps on disk only while it is active: the uploads it was given, and what it goes on from when resumed."""

import json
import os
import platform
import shutil
import time
from collections.abc import Collection, Hashable
from contextlib import suppress
from pathlib import Path
from time import monotonic
from typing import Any

import psutil

from annotate.project.home import folder
from annotate.project.whole_files import write_whole
from db.tables import Job

HOST = platform.node()
# What tells a job's processes from all others: in their environment, handed on to what they start.
MARK = "KEYLINE_WORKER"
MEMORY = "KEYLINE_JOB_MEMORY_MB"
KILL_SECONDS = 5
# The start of a process is told in hundredths of a second, the boot that it is counted from in whole ones.
START_SLACK_SECONDS = 2
# What PyTorch says of memory that it did not get, on a CPU and on a GPU.
NO_MEMORY = ("can't allocate memory", "out of memory", "bad_alloc", "Cannot allocate memory")


def identity(pid: int) -> dict[str, Any]:
    """What names a process for as long as the machine runs: host, pid and start, in seconds since boot on Linux.

    A clock that is set changes none of them.
    """
    try:
        started = _started(psutil.Process(pid))
    except psutil.NoSuchProcess:
        started = None
    return {"host": HOST, "pid": pid, "process_started": started}


def _started(process: psutil.Process) -> float:
    return process.create_time() - (psutil.boot_time() if psutil.LINUX else 0.0)


def here(job: Job) -> bool:
    """Whether the job's process is on this host; processes of earlier releases, which noted no host, count too."""
    return job.pid is not None and job.host in (HOST, None)


def runs(job: Job) -> bool:
    """Whether the job's process runs on this host: a pid may belong to another process by now."""
    if not here(job) or job.process_started is None:
        return False
    with suppress(psutil.NoSuchProcess):
        process = psutil.Process(job.pid)
        started = _started(process) if job.host else process.create_time()  # earlier releases told it by the clock
        same = abs(started - job.process_started) < START_SLACK_SECONDS
        return same and process.status() != psutil.STATUS_ZOMBIE
    return False


def mark(job_id: int, attempt: int) -> str:
    """The value of MARK for an attempt at a job of this data folder."""
    return f"{folder('jobs') / str(job_id)}:{attempt}"


def kill(job: Job) -> None:
    """Kills the job's process on this host and all that it started, also what outlived it."""
    wanted = mark(job.id, job.attempts)
    found = []
    for process in psutil.process_iter():
        with suppress(psutil.Error, OSError):  # ended meanwhile, or somebody else's
            if process.environ().get(MARK) == wanted:
                found.append(process)
    if runs(job) and job.pid != os.getpid():
        with suppress(psutil.Error):
            own = psutil.Process(job.pid)
            found += [own, *own.children(recursive=True)]
    for process in found:
        with suppress(psutil.Error):
            process.kill()
    psutil.wait_procs(found, timeout=KILL_SECONDS)


def limit_memory() -> None:
    """Bounds what this process may allocate by KEYLINE_JOB_MEMORY_MB; by nothing without it, or on Windows.

    Raises ValueError for a value that is no whole number above 0.
    """
    if not (given := os.environ.get(MEMORY)):
        return
    if not given.isdecimal() or not int(given):
        raise ValueError(f"{MEMORY} is {given!r}; it must be a whole number above 0")
    with suppress(ImportError):
        import resource  # noqa: PLC0415 (Windows has none)

        _, hard = resource.getrlimit(resource.RLIMIT_DATA)
        resource.setrlimit(resource.RLIMIT_DATA, (int(given) << 20, hard))


def short_of_memory(error: BaseException) -> str | None:
    """What to say of an error by which the memory ran out; None for another one."""
    if not isinstance(error, MemoryError) and not any(words in str(error) for words in NO_MEMORY):
        return None
    limit = os.environ.get(MEMORY)
    bound = f"the {limit} MB that {MEMORY} allows" if limit else "there is"
    lines = str(error).strip().splitlines()
    return f"the work needs more memory than {bound}" + (f": {lines[0]}" if lines else "")


class Stillness:
    """For how long values have stayed the same before the eyes of this process.

    Only its own monotonic clock takes part: no clock that may be set, and none of another host.
    """

    def __init__(self) -> None:
        self._seen: dict[Hashable, tuple[Any, float]] = {}

    def seconds(self, what: Hashable, value: Any) -> float:
        """Since when `what` has had this value, in seconds; 0 where it is seen for the first time."""
        now = monotonic()
        known = self._seen.get(what)
        if known is None or known[0] != value:
            self._seen[what] = (value, now)
            return 0.0
        return now - known[1]

    def keep(self, whats: Collection[Hashable]) -> None:
        """Forgets all others."""
        self._seen = {what: seen for what, seen in list(self._seen.items()) if what in whats}


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
