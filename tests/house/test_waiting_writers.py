"""What a test can look for: a thread that writes while it reads."""

from pathlib import Path

import pytest

from annotate.project.home import read, write
from annotate.project.rights import Right


@pytest.mark.sqlite("PostgreSQL lets writers go on while others read")
def test_a_thread_that_writes_while_it_reads_is_noticed(home: Path, waiting_writers: list[str]) -> None:
    with read() as reader:
        reader.connection()
    with write(Right.SYSTEM) as writer:
        writer.connection()
    assert not waiting_writers
    with read() as reader:
        reader.connection()
        with write(Right.SYSTEM) as writer:
            writer.connection()
    assert len(waiting_writers) == 1
    waiting_writers.clear()
