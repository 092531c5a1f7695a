"""Copies of the database are checked: what is wrong with the disk is not said of the copy."""

import resource
from contextlib import closing
from pathlib import Path

import pytest

from db.engine import sqlite_module
from db.operations.restoring import DamagedCopy, examine


def test_a_copy_is_not_called_unsound_where_the_disk_takes_nothing_more(tmp_path: Path) -> None:
    path = tmp_path / "keyline.sqlite"
    with closing(sqlite_module.connect(path)) as connection:
        connection.execute("PRAGMA journal_mode=WAL")  # SQLite makes a file next to such a database to read it
        connection.execute("CREATE TABLE one (id)")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    with pytest.raises(OSError, match="disk I/O error; the disk may be full"):
        try:
            resource.setrlimit(resource.RLIMIT_FSIZE, (0, hard))
            examine(path)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    with pytest.raises(DamagedCopy, match="no such table: alembic_version"):
        examine(path)
