"""Backups of earlier releases: read by this one, whatever tables were joined since."""

import hashlib
import io
import json
import tarfile
from contextlib import closing
from pathlib import Path

import pytest

from annotate.operations.backup import MANIFEST, restore
from db.engine import sqlite_module
from tests.support.making import query
from tests.support.paths import DATA


@pytest.mark.sqlite("backups hold SQLite")
@pytest.mark.parametrize("schema", ["0014", "0017"])
def test_a_backup_of_an_earlier_release_is_read_though_its_tables_were_joined_since(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, schema: str
) -> None:
    path = tmp_path / "keyline.sqlite"
    with closing(sqlite_module.connect(path)) as connection:
        connection.executescript((DATA / "released" / f"{schema}.sql").read_text())
        names = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
        rows = {name: connection.execute(f"SELECT count(*) FROM {name}").fetchone()[0] for (name,) in names}
    del rows["alembic_version"]
    content = path.read_bytes()
    files = {path.name: {"sha256": hashlib.sha256(content).hexdigest(), "bytes": len(content)}}
    manifest = {"format": 1, "made_at": "", "release": "", "schema": schema, "rows": rows, "files": files}
    with tarfile.open(tmp_path / "old.tar", "w") as tar:
        for name, packed in ((MANIFEST, json.dumps(manifest).encode()), (path.name, content)):
            member = tarfile.TarInfo(name)
            member.size = len(packed)
            tar.addfile(member, io.BytesIO(packed))
    monkeypatch.setenv("KEYLINE_HOME", str(tmp_path / "home"))
    restore(tmp_path / "old.tar")
    assert query("SELECT count(*) FROM fit WHERE kind = 'triage'") == [(rows["triage_fit"],)]
