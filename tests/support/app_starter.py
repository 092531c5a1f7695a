"""Apps as copies of the process that is prepared: what `python -m streamlit run` does, from Streamlit's own entry on:
the settings, the port, the start-up checks, the threads beside the pages. A fifth of the work of a start."""

import socket
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil

from tests.support.job_starter import start_jobs_at
from tests.support.paths import ROOT
from tests.support.prepared import Prepared, environment_of, write_to


class Started:
    """An app that was started so; offers what the tests use of subprocess.Popen."""

    def __init__(self, pid: int, prepared: Prepared) -> None:
        self.pid = pid
        self._process = psutil.Process(pid)
        self._prepared = prepared

    def poll(self) -> int | None:
        """None while it runs, then its exit code, below 0 for the signal that ended it."""
        return self._prepared.ask(ended=self.pid)

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


def start_app(prepared: Prepared, arguments: list[str], environment: dict[str, str], log: Path) -> Started:
    """Starts `streamlit` with these arguments; its words go to the end of the log."""
    asked = {"kind": "app", "arguments": arguments, "jobs": prepared.begin(), "log": str(log)}
    return Started(prepared.ask(**asked, **environment_of(ROOT, environment)), prepared)


def become(request: dict[str, Any], asking: socket.socket) -> None:
    """Goes on as the app; ends as the app does."""
    asking.close()
    write_to(request["log"])
    start_jobs_at(lambda: request["jobs"])
    from streamlit.web.cli import main

    sys.argv = ["streamlit", *request["arguments"]]
    sys.exit(main(prog_name="streamlit"))
