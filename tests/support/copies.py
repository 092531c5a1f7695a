"""Child processes of tests that are copies of one process, which has imported what they import.

A new Python that imports the database and the commands takes a second of a processor and more, a copy a hundredth of
it. A copy is killed, locks and writes as any other process does: it shares nothing with the tests but the files and the
database. A test about the memory, the environment or the start of a process starts a new Python.
"""

import multiprocessing
import os
import signal
import subprocess
import sys
from multiprocessing.connection import Connection

from tests.support import waiting_writers
from tests.support.job_starter import start_jobs_at
from tests.support.paths import ROOT
from tests.support.prepared import COMMANDS, Prepared

# Whose copies the jobs are that children begin, if it is there already.
prepared: Prepared | None = None
CONTEXT = multiprocessing.get_context("forkserver")  # whose process has no threads, unlike that of the tests
CONTEXT.set_forkserver_preload(
    [*COMMANDS, "annotate.operations.copying", "annotate.search.upkeep", "pytest", "tests.support.making"]
)
# As `python -m annotate` does it.
COMMAND = """
from annotate.__main__ import run
run()
"""


class Copy:
    """A child that runs this code; offers what the tests use of subprocess.Popen."""

    def __init__(self, code: str, *arguments: str, tells_errors: bool = False) -> None:
        ours, theirs = CONTEXT.Pipe(duplex=False)
        our_errors, their_errors = CONTEXT.Pipe(duplex=False) if tells_errors else (None, None)
        jobs = prepared.address if prepared else ""
        given = (code, arguments, dict(os.environ), theirs, their_errors, jobs)
        self._process = CONTEXT.Process(target=_run, args=given)
        self._process.start()
        self.pid = self._process.pid
        self.stdout = _read_from(ours, theirs)
        self.stderr = _read_from(our_errors, their_errors) if our_errors and their_errors else None

    @property
    def returncode(self) -> int | None:
        """Its exit code, below 0 for the signal that ended it; None while it runs."""
        return self._process.exitcode

    def poll(self) -> int | None:
        """The same."""
        return self.returncode

    def kill(self) -> None:
        """Ends it at once."""
        self.send_signal(signal.SIGKILL)

    def send_signal(self, number: int) -> None:
        """Sends it a signal."""
        if self.pid is not None and self.returncode is None:
            os.kill(self.pid, number)

    def wait(self, timeout: float | None = None) -> int | None:
        """Its exit code, once it has ended; None where that takes longer."""
        self._process.join(timeout)
        return self.returncode

    def communicate(self, timeout: float | None = None) -> tuple[str, str | None]:
        """What it still says, once it has ended."""
        said, told = self.stdout.read(), self.stderr and self.stderr.read()
        self.wait(timeout)
        return said, told


def ran(code: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """The ended child, with what it wrote."""
    child = Copy(code, *arguments, tells_errors=True)
    said, told = child.communicate()
    assert child.returncode is not None
    return subprocess.CompletedProcess(arguments, child.returncode, said, told)


def _read_from(ours: Connection, theirs: Connection):
    theirs.close()
    reader = os.fdopen(os.dup(ours.fileno()))
    ours.close()
    return reader


def _run(
    code: str,
    arguments: tuple[str, ...],
    environment: dict[str, str],
    says: Connection,
    tells: Connection | None,
    jobs: str,
) -> None:
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(ROOT)
    for ours, number in ((says, 1), (tells, 2)):
        if ours is not None:
            os.dup2(ours.fileno(), number)
            ours.close()
    if jobs:
        start_jobs_at(lambda: jobs)
    waiting_writers.notice()
    sys.argv = ["-c", *arguments]
    exec(compile(code, "<child>", "exec"), {"__name__": "__main__"})
