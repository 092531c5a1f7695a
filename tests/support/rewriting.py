"""Test files rewritten by one process of a run, for all: what pytest does to their assertions is half of reading them.

Each process of a run reads all files, all at the same time, and would rewrite what the others are rewriting.
"""

import fcntl
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from _pytest.assertion.rewrite import PYC_TAIL

from tests.support.paths import ROOT

MANY = 50  # files that are not rewritten yet: a process does so many in a second


def _unwritten() -> int:
    files = (ROOT / "tests").rglob("test_*.py")
    return sum(not (path.parent / "__pycache__" / f"{path.stem}{PYC_TAIL}").exists() for path in files)


@contextmanager
def one_rewrites(run: str | None) -> Iterator[None]:
    """Where many files are not rewritten, the first process of this run reads them while the others wait; where it is
    None, there are no others."""
    if run is None or sys.dont_write_bytecode or _unwritten() < MANY:
        yield
        return
    with Path(tempfile.gettempdir(), f"keyline-{run}").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            fcntl.flock(lock, fcntl.LOCK_SH)
        yield
    Path(lock.name).unlink(missing_ok=True)
