"""The processes of a run of tests as copies of the one that is prepared, so that its imports are paid once for all."""

import os
import socket
import sys
from pathlib import Path
from typing import Any

import execnet.gateway_io
import psutil
from execnet.gateway_base import Popen2IO

from tests.support.prepared import ADDRESS, Prepared, ask, environment_of


class Copied(Popen2IO):
    """What execnet talks to a process through, in place of the pipes of one that it started itself."""

    def __init__(self, prepared: Prepared, execmodel: Any) -> None:
        told = environment_of(Path.cwd(), {**os.environ, ADDRESS: prepared.begin()})
        pid, self._socket = ask(prepared.begin(), kind="worker", **told)
        self._process = psutil.Process(pid)
        super().__init__(self._socket.makefile("wb"), self._socket.makefile("rb"), execmodel=execmodel)

    def close_write(self) -> None:
        """The end of what the process reads."""
        super().close_write()
        self._socket.shutdown(socket.SHUT_WR)

    def wait(self) -> None:
        """Until it has ended."""
        self._process.wait()

    def kill(self) -> None:
        """Ends it at once."""
        self._process.kill()


def start_workers_at(prepared: Prepared) -> None:
    """From now on execnet starts its processes as copies of this one."""
    execnet.gateway_io.create_io = lambda spec, execmodel: Copied(prepared, execmodel)


def become(request: dict[str, Any], asking: socket.socket) -> None:
    """Goes on as what execnet starts; its words go where those of the process before do."""
    for number in (0, 1):
        os.dup2(asking.fileno(), number)
    asking.close()
    sys.stdin = os.fdopen(0, closefd=False)
    sys.stdout = os.fdopen(1, "w", closefd=False)
    sys.argv = ["-c"]
    sys.path.insert(0, "")
    exec(eval(sys.stdin.readline()), {"__name__": "__main__"})
