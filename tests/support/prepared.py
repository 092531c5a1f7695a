"""A process that has imported what the product and its tests import: apps, jobs and the processes of a run are copies.

Most of the work of a start is importing, two seconds of a processor for an app, five for a job, ten for a process of
the tests; a copy of a process that has done it takes a tenth. What a copy does is what its command does from its own
entry on. There is one for all processes of a run: the first one begins it, or pytest's own where others do its tests
(`python -m tests.support.prepared`). It ends when whoever began it does.
"""

import ast
import gc
import importlib
import json
import os
import select
import signal
import socket
import subprocess
import sys
import weakref
from contextlib import suppress
from pathlib import Path
from types import ModuleType
from typing import Any

import psutil

from annotate.cli.frame.words import ALL, modules_of
from tests.support import waiting_writers
from tests.support.paths import ROOT
from tests.support.waiting import wait_until

# What becomes of a copy: the module whose `become` goes on.
KINDS = {kind: f"tests.support.{kind}_starter" for kind in ("app", "job", "worker")}
# How the processes of a run know where to ask.
ADDRESS = "KEYLINE_TESTS_PREPARED"
# The command line, with all that a command may ask for.
COMMANDS = ("annotate.__main__", "annotate.cli.frame.running", *modules_of(ALL.values()))
# What is imported besides `imported_by` the pages and the tests: what Streamlit, and the first page with a table or a
# figure, import as they run, and what jobs do.
IMPORTED = (
    *COMMANDS,
    "annotate.active_learning.live_state",
    "annotate.proposing.embed",
    "annotate.retraining.retrain",
    "openpyxl",
    "pandas",
    "plotly.graph_objects",
    "pyarrow",
    "sentence_transformers",
    "streamlit.web.bootstrap",
    "streamlit.web.cli",
    "streamlit.web.server.starlette.starlette_app",
    "uvicorn",
)
# Pages tell a Streamlit that runs of their parts; pytest rewrites the tests, and warns of its parts if they are early;
# Streamlit's tests keep pages in a folder of each process's own.
LEFT = ("pages", "tests", "pytest", "_pytest", "xdist", "hypothesis", "playwright", "time_machine", "streamlit.testing")


class Prepared:
    """The process, for those that ask it; begun when the first of this process asks, where the run has none."""

    def __init__(self) -> None:
        self._address = os.environ.pop(ADDRESS, "")  # which no child of a test takes over
        self._process: subprocess.Popen[str] | None = None

    def begin(self) -> str:
        """Where it listens."""
        if not self._address:
            command = [sys.executable, "-m", "tests.support.prepared"]
            self._process = subprocess.Popen(
                command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
            )
            assert self._process.stdout is not None
            self._address = self._process.stdout.readline().strip()
            assert self._address, "the process that is prepared could not begin"
        return self._address

    @property
    def address(self) -> str:
        """Where it listens; empty before it has begun."""
        return self._address

    def ask(self, **request: Any) -> Any:
        """What it answers to a request."""
        return ask(self.begin(), **request)[0]

    def stop(self) -> None:
        """Ends it, if this process began it; apps that still run go on."""
        if self._process is not None:
            self._process.communicate()
            self._process = None
            self._address = ""


def ask(address: str, **request: Any) -> tuple[Any, socket.socket]:
    """What the process that listens there answers, and the socket, which a copy may go on with."""
    asking = socket.socket(socket.AF_UNIX)
    asking.connect(address if address.startswith("\0") else f"\0{address}")
    asking.sendall((json.dumps(request) + "\n").encode())
    return json.loads(_line(asking)), asking


def _line(said: socket.socket) -> bytes:
    """One line, and no byte of what follows."""
    line = b""
    while not line.endswith(b"\n"):
        if not (seen := said.recv(65_536, socket.MSG_PEEK)):
            raise EOFError
        line += said.recv(seen.find(b"\n") + 1 or len(seen))
    return line


def imported_by(folder: Path) -> set[str]:
    """The modules that the files of a folder import as they begin, but for those in LEFT."""
    found: set[str] = set()
    for path in folder.rglob("*.py"):
        for node in ast.parse(path.read_bytes()).body:
            if isinstance(node, ast.Import):
                found |= {imported.name for imported in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module:
                place = ROOT.joinpath(*node.module.split("."))
                modules = {one.name for one in node.names if (place / f"{one.name}.py").is_file()}
                found |= {node.module, *(f"{node.module}.{name}" for name in modules)}
    return {name for name in found if not f"{name}.".startswith(tuple(f"{one}." for one in LEFT))}


def _serve() -> None:
    gc.disable()
    os.environ["JE_ARROW_MALLOC_CONF"] = "background_thread:false"  # pyarrow's; a thread would not be in the copies
    for name in sorted({*IMPORTED, *KINDS.values(), *imported_by(ROOT / "pages"), *imported_by(ROOT / "tests")}):
        with suppress(ImportError):  # an optional package, whose tests are skipped
            importlib.import_module(name)
    from tests.support.scanning import scan_once  # (with Streamlit, which the tests that ask need not import)

    scan_once()
    # A thread would not be in the copies, nor let go what it holds; those that looked through the packages end now.
    wait_until(lambda: len(psutil.Process().threads()) == 1)
    gc.freeze()  # a collection in a copy would touch, and so copy, all of it
    ended: dict[int, int] = {}
    signal.signal(signal.SIGCHLD, lambda *_: _note_the_ended(ended))
    with socket.socket(socket.AF_UNIX) as listening:
        address = f"keyline-prepared-{os.getpid()}"
        listening.bind(f"\0{address}")
        listening.listen()
        print(address, flush=True)
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # nobody waits until no copy can write any more
        while sys.stdin not in select.select([sys.stdin, listening], [], [])[0]:
            with suppress(EOFError), listening.accept()[0] as asking:
                request = json.loads(_line(asking))
                if "ended" in request:
                    _note_the_ended(ended)
                    answer = ended.get(request["ended"])
                elif not (answer := os.fork()):
                    listening.close()
                    _become(request, asking)
                asking.sendall((json.dumps(answer) + "\n").encode())


def _note_the_ended(ended: dict[int, int]) -> None:
    with suppress(ChildProcessError):
        while (found := os.waitpid(-1, os.WNOHANG))[0]:
            ended[found[0]] = os.waitstatus_to_exitcode(found[1])


def _become(request: dict[str, Any], asking: socket.socket) -> None:
    """Goes on as what was asked for; ends as it does."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    weakref.finalize._registry.clear()  # type: ignore[attr-defined]  # (a copy removes no folder of all)
    gc.enable()
    sys.modules["__main__"] = ModuleType("__main__")  # of which a process that it spawns imports nothing
    os.environ.clear()
    os.environ.update(request["environment"])
    os.umask(request["umask"])
    os.chdir(request["folder"])
    waiting_writers.notice()
    importlib.import_module(KINDS[request["kind"]]).become(request, asking)
    sys.exit()


def environment_of(folder: str | Path, environment: dict[str, str]) -> dict[str, Any]:
    """What a copy is told of where it runs, which a child process would have taken over."""
    present = os.umask(0)
    os.umask(present)
    return {"folder": str(folder), "environment": environment, "umask": present}


def write_to(log: str) -> None:
    """From now on this process reads nothing and writes to the end of the log."""
    words = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    nothing = os.open(os.devnull, os.O_RDONLY)
    for theirs, ours in ((nothing, 0), (words, 1), (words, 2)):
        os.dup2(theirs, ours)


if __name__ == "__main__":
    _serve()
