"""A data folder keeps its PostgreSQL database: an empty one in its place is no new project."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from annotate.cli.main import main
from annotate.jobs import lifecycle
from annotate.operations.sealing import verify
from annotate.project import home as data_folder
from annotate.project import own_database
from annotate.project.acting import OPERATOR, acting, role_of
from annotate.project.home import read, signing_secret, write
from annotate.project.own_database import MARK, MOVED
from annotate.project.rights import Right, Role
from annotate.team import api_tokens
from db.engine import UnsafeDatabase, engine, postgresql_address
from db.migrate import schema_version
from db.operations.restoring import STOPPED
from tests.support.making import judge, paper, query, store, verdict
from tests.support.paths import ROOT
from tests.support.postgres import Server
from tests.support.team import add, browser, cheap_hashes


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A data folder that nobody has used."""
    monkeypatch.setenv("KEYLINE_HOME", str(tmp_path / "keyline"))
    data_folder._migrate_once.cache_clear()
    return tmp_path / "keyline"


@pytest.fixture
def url(postgresql: Server, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A database without any tables, which DATABASE_URL names."""
    with postgresql.database(migrated=False) as made:
        monkeypatch.setenv("DATABASE_URL", made)
        yield made
    data_folder._migrate_once.cache_clear()


def lost(url: str) -> None:
    """Somebody has made the database anew while nobody had it open."""
    with engine(postgresql_address(url)).begin() as connection:
        connection.exec_driver_sql("DROP SCHEMA public CASCADE; CREATE SCHEMA public")
    for read_only in (False, True):
        engine(postgresql_address(url), read_only=read_only).dispose()
    data_folder._migrate_once.cache_clear()
    own_database._marked.clear()


@pytest.mark.parametrize("mark", [MARK, "secret.key"])
def test_an_empty_database_is_no_new_project_where_the_folder_was_in_use(folder, url, mark):
    store(paper(pmid="1"))
    judge("Anna", 1, verdict(0))
    signing_secret()
    (folder / ({MARK, "secret.key"} - {mark}).pop()).unlink()
    lost(url)
    for use in (read, lambda: write(Right.SYSTEM)):
        with pytest.raises(UnsafeDatabase, match="is empty, though the data folder") as caught, use():
            pass
    assert str(folder) in str(caught.value) and "pg_restore" in str(caught.value)
    assert schema_version(postgresql_address(url)) is None  # no tables were made


def test_the_app_does_not_start_on_it_and_names_the_way_back_without_a_password(folder, url, monkeypatch):
    store(paper(pmid="1"))
    lost(url)
    monkeypatch.setenv("DATABASE_URL", url.replace("postgres@", "postgres:hunter2@"))
    command = [sys.executable, "-m", "streamlit", "run", "app.py", "--server.headless", "true", "--server.port", "0"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=120)
    said = done.stdout + done.stderr
    assert done.returncode != 0 and "Keyline does not start: the PostgreSQL database" in said
    assert "pg_restore" in said and "hunter2" not in said and "Traceback" not in said


def test_a_folder_with_a_file_is_told_to_take_it_there_and_may_then_go_on(folder, postgresql, monkeypatch, capsys):
    monkeypatch.delenv("DATABASE_URL", raising=False)
    store(paper(pmid="1"))
    judge("Anna", 1, verdict(0))
    with postgresql.database(migrated=False) as url:
        monkeypatch.setenv("DATABASE_URL", url)
        with pytest.raises(UnsafeDatabase, match="annotate copy --to"), read():
            pass
        assert main(["copy", "--to", url]) == 0
        assert "equal" in capsys.readouterr().out
        assert query("SELECT count(*) FROM verdict") == [(1,)]
        data_folder._migrate_once.cache_clear()
    monkeypatch.delenv("DATABASE_URL")
    with pytest.raises(UnsafeDatabase, match=r"moved to the PostgreSQL database .* Set DATABASE_URL"), read():
        pass
    (folder / MOVED).unlink()
    assert query("SELECT count(*) FROM verdict") == [(1,)]


def test_what_lasted_when_a_dump_was_made_is_ended_once_it_is_restored(folder, url, monkeypatch, capsys):
    monkeypatch.setenv("KEYLINE_AUTH", "local")
    with cheap_hashes():
        add("Ada", Role.ADMIN)
    _, ada = browser("Ada")
    with acting(ada):
        token = api_tokens.make("script")
        lifecycle.enqueue("train", {})
    assert main(["restore", "--after-pg-restore"]) == 0
    assert "logins" in capsys.readouterr().out
    with read() as session:
        assert role_of(session, ada) is None
    assert api_tokens.actor_of_token(token) is None
    assert query("SELECT state, error FROM job") == [("cancelled", STOPPED)]
    assert query("SELECT summary FROM history WHERE kind = 'restore'") == [("Restored a dump of PostgreSQL",)]
    with acting(OPERATOR):
        assert verify()["holds"]
    monkeypatch.delenv("DATABASE_URL")
    assert main(["restore", "--after-pg-restore"]) == 1 and "DATABASE_URL is not set" in capsys.readouterr().err


def test_a_new_folder_begins_on_an_empty_database_and_is_marked(folder, url):
    assert query("SELECT count(*) FROM article") == [(0,)]
    assert (folder / MARK).exists()
    data_folder._migrate_once.cache_clear()
    assert query("SELECT count(*) FROM article") == [(0,)]


@pytest.mark.parametrize("encoding", ["SQL_ASCII", "LATIN1"])
def test_a_database_that_cannot_hold_every_letter_is_refused_before_anything_is_stored(
    folder, postgresql, monkeypatch, encoding
):
    name = f"letters_{encoding}".lower()
    kept_as = f"ENCODING '{encoding}' LOCALE 'C' LOCALE_PROVIDER libc"
    postgresql.execute(f"CREATE DATABASE {name} TEMPLATE template0 {kept_as}")
    monkeypatch.setenv("DATABASE_URL", postgresql.url(name))
    with pytest.raises(UnsafeDatabase, match=f"keeps text as {encoding}.*ENCODING 'UTF8'"), read():
        pass
    assert schema_version(postgresql_address(postgresql.url(name))) is None
