"""A process that has imported what jobs import and becomes a job, once for each that a test or its app starts.

To import the command line and PyTorch takes a job of a test more time than its work. A copy of a process that has done
it does what `python -m annotate work ID` does from there on, in a session of its own, outliving the app as jobs do.
"""

import gc
import importlib
import json
import os
import runpy
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

from tests.support.turning import turn_into, umask

LOOK_EVERY_SECONDS = 1
# Before the id of a job: what people have, and what the tests of faults have instead.
JOB = (sys.executable, "-m", "annotate", "work")
KILLABLE = (sys.executable, "-m", "tests.support.killable_worker")
# What jobs import, those that need PyTorch among them.
IMPORTED = ("annotate.proposing.embed", "annotate.retraining.retrain", "sentence_transformers", "annotate.__main__")


class JobStarter:
    """The process, begun by the first app that connects to its address."""

    def __init__(self, listening: socket.socket) -> None:
        self.address: str = listening.getsockname().decode()
        self._listening = listening
        self._pid: int | None = None

    def unheard(self) -> Sequence[socket.socket]:
        """Where somebody may ask whom nobody answers yet."""
        return () if self._pid else (self._listening,)

    def begin(self) -> None:
        """Begins the process, a copy of this one; it answers whoever asked and will ask."""
        self._pid = os.fork()
        if not self._pid:
            _serve(self._listening)


@contextmanager
def begun_when_asked() -> Iterator[JobStarter]:
    """What starts jobs for the copies of this process, which know its address."""
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(f"\0keyline-jobs-{os.getpid()}")
        listening.listen()
        yield JobStarter(listening)


def _serve(listening: socket.socket) -> None:
    """Answers each request with the id of a process, until the process is gone that this one is a copy of."""
    begun_by = os.getppid()
    os.dup2(os.open(os.devnull, os.O_RDWR), sys.stdout.fileno())  # the tests wait until nobody can answer them
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    gc.disable()
    for name in IMPORTED:
        importlib.import_module(name)
    gc.freeze()
    gc.enable()
    listening.settimeout(LOOK_EVERY_SECONDS)
    while os.getppid() == begun_by:
        with suppress(TimeoutError), listening.accept()[0] as asking, asking.makefile() as lines:
            request = json.loads(lines.readline())
            if not (pid := os.fork()):
                listening.close()
                _become(request)
            asking.sendall(f"{pid}\n".encode())
    os._exit(0)


def _become(request: dict[str, Any]) -> None:
    """Goes on as the job; ends as it does."""
    turn_into(request)
    os.setsid()
    os.chdir(request["folder"])
    sys.argv = ["-m", *request["arguments"]]
    sys.modules.pop("annotate.__main__")  # or runpy would warn of what was imported before
    runpy.run_module(request["module"], run_name="__main__")
    sys.exit()


class Copied:
    """A job that was started so; offers what the app uses of subprocess.Popen."""

    def __init__(self, pid: int) -> None:
        self.pid = pid


class Copying:
    """Offers what starts jobs in annotate/jobs/lifecycle.py, instead of the module subprocess."""

    DEVNULL, STDOUT = subprocess.DEVNULL, subprocess.STDOUT

    def __init__(self, address: Callable[[], str]) -> None:
        self._address = address

    def Popen(self, command: Sequence[str], **how: Any) -> Copied | subprocess.Popen[bytes]:
        """Starts the command of a job; another one, which a test wants instead, as it is."""
        if tuple(command[:-1]) not in (JOB, KILLABLE):
            return subprocess.Popen(command, **how)
        request = {
            "module": command[2],
            "arguments": command[3:],
            "folder": str(how["cwd"]),
            "environment": how["env"],
            "log": how["stdout"].name,
            "umask": umask(),
        }
        with socket.socket(socket.AF_UNIX) as asking:
            asking.connect(self._address())
            asking.sendall((json.dumps(request) + "\n").encode())
            with asking.makefile() as lines:
                return Copied(int(lines.readline()))


def start_jobs_at(address: Callable[[], str]) -> None:
    """From now on this process starts its jobs as copies of the one that listens there."""
    from annotate.jobs import lifecycle

    lifecycle.subprocess = Copying(address)  # type: ignore[assignment]
