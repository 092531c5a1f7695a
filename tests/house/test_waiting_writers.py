"""What a test can look for: a thread that writes while it reads."""

from pathlib import Path

import pytest

from annotate.project.home import read, write
from annotate.project.rights import Right
from tests.support.waiting_writers import noticed


@pytest.mark.sqlite("PostgreSQL lets writers go on while others read")
def test_a_thread_that_writes_while_it_reads_is_noticed(home: Path) -> None:
    with read() as reader:
        reader.connection()
    with write(Right.SYSTEM) as writer:
        writer.connection()
    assert not noticed()
    with read() as reader:
        reader.connection()
        with write(Right.SYSTEM) as writer:
            writer.connection()
    assert "in test_a_thread_that_writes_while_it_reads_is_noticed" in noticed()
    assert not noticed()
