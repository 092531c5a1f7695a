"""Jobs as copies of the process that is prepared, one for each that a test or its app starts.

To import the command line and PyTorch takes a job of a test more time than its work. A copy of a process that has done
it does what `python -m annotate work ID` does from there on, in a session of its own, outliving the app as jobs do.
"""

import os
import runpy
import socket
import subprocess
import sys
from collections.abc import Callable, Sequence
from typing import Any

from tests.support.prepared import ask, environment_of, write_to

# Before the id of a job: what people have, and what the tests of faults have instead.
JOB = (sys.executable, "-m", "annotate", "work")
KILLABLE = (sys.executable, "-m", "tests.support.killable_worker")


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
        address = self._address()
        asked = {"kind": "job", "module": command[2], "arguments": command[3:], "log": how["stdout"].name}
        pid, asking = ask(address, **asked, jobs=address, **environment_of(how["cwd"], how["env"]))
        asking.close()
        return Copied(pid)


def start_jobs_at(address: Callable[[], str]) -> None:
    """From now on this process starts its jobs as copies of the one that listens there."""
    from annotate.jobs import lifecycle

    lifecycle.subprocess = Copying(address)  # type: ignore[assignment]


def become(request: dict[str, Any], asking: socket.socket) -> None:
    """Goes on as the job, which may begin others; ends as it does."""
    asking.close()
    try:
        write_to(request["log"])
    except FileNotFoundError:  # the test has ended meanwhile, and its folder is gone
        return
    start_jobs_at(lambda: request["jobs"])
    os.setsid()
    sys.argv = ["-m", *request["arguments"]]
    sys.modules.pop("annotate.__main__")  # or runpy would warn of what was imported before
    runpy.run_module(request["module"], run_name="__main__")
