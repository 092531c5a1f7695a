"""A process that has imported what the app imports and becomes the app, once for each test that asks for one.

Most of the work of a start is importing, two seconds of a processor; a copy of a process that has done it takes a
fifth. What a copy does is what `python -m streamlit run` does, from Streamlit's own entry on: the settings, the port,
the start-up checks, the threads beside the pages. `python -m tests.support.app_starter` reads one request a line, the
arguments, the environment and the log, and answers each with the id of a process. The jobs that these apps and the
tests themselves start are copies, too (`tests/support/job_starter.py`).
"""

import ast
import gc
import importlib
import json
import os
import select
import signal
import subprocess
import sys
import threading
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil

from tests.support import job_starter
from tests.support.paths import ROOT
from tests.support.turning import turn_into, umask
from tests.support.waiting import wait_until

# What the app imports besides `imported_by_pages`: the commands, Streamlit and its server, and what Streamlit and the
# first page with a table or a figure import as they run.
IMPORTED = (
    "annotate.active_learning.live_state",
    "annotate.cli.main",
    "openpyxl",
    "pandas",
    "plotly.graph_objects",
    "pyarrow",
    "streamlit.web.bootstrap",
    "streamlit.web.cli",
    "streamlit.web.server.starlette.starlette_app",
    "uvicorn",
)


class Started:
    """An app that was started so; offers what the tests use of subprocess.Popen."""

    def __init__(self, pid: int, starter: "Starter") -> None:
        self.pid = pid
        self._process = psutil.Process(pid)
        self._starter = starter

    def poll(self) -> int | None:
        """None while it runs, then its exit code, below 0 for the signal that ended it."""
        return self._starter.ask({"ended": self.pid})

    def wait(self, timeout: float | None = None) -> int:
        """Its exit code, once it has ended. Raises psutil.TimeoutExpired."""
        self._process.wait(timeout)
        code = self.poll()
        assert code is not None
        return code

    def send_signal(self, number: int) -> None:
        """Like subprocess.Popen, nothing where it has ended."""
        with suppress(psutil.NoSuchProcess):
            self._process.send_signal(number)


class Starter:
    """The process, begun when the first app is asked for."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[str] | None = None
        self._jobs = ""
        self._lock = threading.Lock()

    def start(self, arguments: list[str], environment: dict[str, str], log: Path) -> Started:
        """Starts `streamlit` with these arguments; its words go to the end of the log."""
        request = {"arguments": arguments, "environment": environment, "log": str(log), "umask": umask()}
        return Started(self.ask(request), self)

    def jobs(self) -> str:
        """Where jobs are started."""
        self._jobs = self._jobs or self.ask({"jobs": True})
        return self._jobs

    def ask(self, request: dict[str, Any]) -> Any:
        """What the process answers to a request."""
        with self._lock:
            if self._process is None:
                command = [sys.executable, "-m", "tests.support.app_starter"]
                self._process = subprocess.Popen(
                    command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
                )
            assert self._process.stdin is not None and self._process.stdout is not None
            self._process.stdin.write(json.dumps(request) + "\n")
            self._process.stdin.flush()
            return json.loads(self._process.stdout.readline())

    def stop(self) -> None:
        """Ends the process; apps that still run go on."""
        if self._process is not None:
            self._process.communicate()
            self._process = None


def imported_by_pages() -> set[str]:
    """The modules that files of pages/ import as they begin, but for those in pages/, which are told to the Streamlit
    that runs."""
    found: set[str] = set()
    for path in (ROOT / "pages").rglob("*.py"):
        for node in ast.parse(path.read_text()).body:
            if isinstance(node, ast.Import):
                found |= {imported.name for imported in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module:
                folder = ROOT.joinpath(*node.module.split("."))
                modules = {one.name for one in node.names if (folder / f"{one.name}.py").is_file()}
                found |= {node.module, *(f"{node.module}.{name}" for name in modules)}
    return {name for name in found if name.partition(".")[0] != "pages"}


def _serve() -> None:
    gc.disable()
    os.environ["JE_ARROW_MALLOC_CONF"] = "background_thread:false"  # pyarrow's; a thread would not be in the copies
    for name in sorted({*IMPORTED, *imported_by_pages()}):
        importlib.import_module(name)
    from tests.support.scanning import scan_once  # (with Streamlit, which the tests that ask need not import)

    scan_once()
    # A thread would not be in the copies, nor let go what it holds; those that looked through the packages end now.
    wait_until(lambda: len(psutil.Process().threads()) == 1)
    gc.freeze()  # a collection in a copy would touch, and so copy, all of it
    gc.enable()
    ended: dict[int, int] = {}
    signal.signal(signal.SIGCHLD, lambda *_: _note_the_ended(ended))
    with job_starter.begun_when_asked() as jobs:
        while line := _next_line(jobs):
            request = json.loads(line)
            if "jobs" in request:
                answer = jobs.address
            elif "ended" in request:
                _note_the_ended(ended)
                answer = ended.get(request["ended"])
            elif not (answer := os.fork()):
                _become(request, jobs.address)
            print(json.dumps(answer), flush=True)


def _next_line(jobs: job_starter.JobStarter) -> str:
    """What the tests ask next, empty once they have ended. Meanwhile the first job begins what starts jobs."""
    while sys.stdin not in (waiting := select.select([sys.stdin, *jobs.unheard()], [], [])[0]):
        assert waiting
        jobs.begin()
    return sys.stdin.readline()


def _note_the_ended(ended: dict[int, int]) -> None:
    with suppress(ChildProcessError):
        while (found := os.waitpid(-1, os.WNOHANG))[0]:
            ended[found[0]] = os.waitstatus_to_exitcode(found[1])


def _become(request: dict[str, Any], jobs: str) -> None:
    """Goes on as the app; ends as the app does."""
    turn_into(request)
    job_starter.start_jobs_at(lambda: jobs)
    from streamlit.web.cli import main

    sys.argv = ["streamlit", *request["arguments"]]
    sys.exit(main(prog_name="streamlit"))  # and out of _serve, as a process ends that ran nothing else


if __name__ == "__main__":
    _serve()
