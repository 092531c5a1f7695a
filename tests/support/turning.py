"""What a copy of a process does first, to become another one."""

import os
import signal
from typing import Any


def turn_into(request: dict[str, Any]) -> None:
    """Takes over the environment and umask of whoever asked, reads nothing, and writes to the end of their log."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    os.environ.clear()
    os.environ.update(request["environment"])
    os.umask(request["umask"])
    log = os.open(request["log"], os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    nothing = os.open(os.devnull, os.O_RDONLY)
    for theirs, ours in ((nothing, 0), (log, 1), (log, 2)):
        os.dup2(theirs, ours)


def umask() -> int:
    """That of this process."""
    present = os.umask(0)
    os.umask(present)
    return present
