"""Commands of the project as a whole, and errors that are told in JSON."""

import io

import pytest
from sqlalchemy.exc import OperationalError

from tests.support.making import judge, query, store_proposed, verdict

pytestmark = pytest.mark.usefixtures("home")


def test_every_error_is_told_in_json(cli, tmp_path, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.StringIO())
    monkeypatch.setattr("getpass.getpass", lambda prompt: input())
    assert "standard input ended" in cli("people", "add", "Eve", "--role", "annotator")[1]["error"]
    latin = tmp_path / "latin.csv"
    latin.write_bytes(b"33836163 \xff")
    for asked in (("import", "--pmids", latin, tmp_path), ("verify", "--head", latin)):
        assert cli(*asked)[1]["error"] == "latin.csv: no text in UTF-8"


@pytest.mark.sqlite("backups hold SQLite")
def test_a_copy_of_the_database_alone_is_verified_and_restored(cli, tmp_path, monkeypatch):
    store_proposed(1)
    judge("Anna", 1, verdict(0))
    copy = tmp_path / "copy.SQLITE"
    assert "--models-only needs a .tar" in cli("backup", copy, "--models-only")[1]["error"] and not copy.exists()
    assert cli("backup", copy)[0] == 0
    assert cli("verify-backup", copy)[0] == 0
    monkeypatch.setenv("KEYLINE_HOME", str(tmp_path / "new"))
    code, told, _ = cli("restore", copy)
    assert (code, told["rows"]["verdict"]) == (0, 1)
    assert query("SELECT count(*) FROM verdict") == [(1,)]
    assert query("SELECT kind FROM history ORDER BY id DESC LIMIT 1") == [("restore",)]
    copy.with_name("copy.SQLITE-wal").write_bytes(b"rows")  # as a file that was copied from a running app has it
    assert "copy.SQLITE-wal holds the newest rows of copy.SQLITE" in cli("verify-backup", copy)[1]["error"]
    copy.with_name("copy.SQLITE-wal").unlink()
    copy.write_bytes(copy.read_bytes()[:5_000])
    code, told, _ = cli("verify-backup", copy)
    assert code == 1 and "keyline.sqlite" in told["error"]


def test_an_error_of_the_database_is_told_without_its_sql(cli, monkeypatch):
    def fails(*given, **named):
        raise OperationalError("INSERT INTO history VALUES (?)", ("a name",), Exception("the disk is full"))

    monkeypatch.setattr("annotate.cli.people.people.people", fails)
    assert cli("people", "list")[1]["error"] == "the database says: the disk is full"


@pytest.mark.sqlite("backups hold SQLite")
def test_a_file_that_is_whole_counts_where_the_history_cannot_take_its_note(cli, tmp_path, monkeypatch):
    store_proposed(1)
    judge("Anna", 1, verdict(0))

    def full(*given, **named):
        raise OperationalError("INSERT INTO history VALUES (?)", ("a name",), Exception("the disk is full"))

    monkeypatch.setattr("annotate.project.notes.db.rows.add", full)
    paths = [tmp_path / name for name in ("keyline.tar", "copy.sqlite", "gold.csv")]
    for path, command in zip(paths, (("backup",), ("backup",), ("gold", "export")), strict=True):
        code, told, _ = cli(*command, path)
        assert (code, told["not_noted_in_the_history"]) == (0, "the disk is full") and path.exists()
    assert cli("verify-backup", paths[0])[0] == 0
    assert "disk is full" not in paths[2].with_name("gold.csv.manifest.json").read_text()


@pytest.mark.sqlite("backups hold SQLite")
def test_a_restore_says_what_no_backup_holds(cli, tmp_path, monkeypatch):
    store_proposed(1)
    cli("backup", tmp_path / "keyline.tar")
    monkeypatch.setenv("KEYLINE_HOME", str(tmp_path / "restored"))
    code, told, _ = cli("restore", tmp_path / "keyline.tar")
    assert code == 0 and "a new secret" in told["secret.key"]
