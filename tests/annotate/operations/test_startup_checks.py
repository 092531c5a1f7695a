"""Start-up checks: what would open the app to others keeps it from starting, each with its remedy in one line."""

import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import psutil
import pytest

import annotate.operations.startup_checks
import db.engine
from annotate.operations.server_status import server_status
from annotate.operations.startup_checks import OPTIONS, check, network_file_system, refusals
from annotate.project.home import read
from db.engine import connection_pragmas, wal_is_safe
from pages.parts.server.start import options
from tests.support.browser import ROOT, Server
from tests.support.copies import COMMAND, ran
from tests.support.making import paper, store
from tests.support.splitting import splitting_wrongly

pytestmark = pytest.mark.usefixtures("home")
SOUND: dict[str, Any] = {
    "server.enableCORS": True,
    "server.enableXsrfProtection": True,
    "server.maxUploadSize": 20,
    "server.enableStaticServing": False,
    "server.enableAgentApi": False,
    "server.trustedUserHeaders": {},
    "server.baseUrlPath": "",
    "client.showErrorDetails": "none",
    "server.address": "127.0.0.1",
    "server.allowedHosts": ["localhost"],
    "secrets.files": [],
}


def refused(**changed: Any) -> list[str]:
    values = SOUND | {name.replace("__", "."): value for name, value in changed.items()}
    return [problem.text for problem in check(values) if problem.refuses]


def only(**changed: Any) -> str:
    (text,) = refused(**changed)
    assert "\n" not in text
    return text


def run_app(home: Path, *arguments: str, **environment: str) -> tuple[int, str]:
    """(exit code, words) of the app where it is expected to end by itself."""
    server = Server(home, *arguments)
    server.begin(**environment)
    code = server.process.wait(60)
    return code, (home.parent / "server.log").read_text()


def secrets_file(folder: Path, secret: str, *, mode: int = 0o600) -> list[str]:
    path = folder / "secrets.toml"
    path.write_text(f'[auth]\ncookie_secret = "{secret}"\n')
    path.chmod(mode)
    return [str(path)]


def test_the_settings_that_are_shipped_are_sound():
    assert set(SOUND) == set(OPTIONS)
    assert check(options()) == [] and refusals(check(SOUND)) == ""


def test_a_python_that_splits_articles_wrongly_is_refused():
    with splitting_wrongly():
        assert only().endswith("so articles would be split wrongly: run Keyline by another Python.")
    assert refused() == []


@pytest.mark.parametrize("address", ["127.0.0.1", "127.8.8.8", "::1", "localhost", "unix:///run/keyline.sock"])
def test_loopback_needs_no_login(address):
    assert refused(server__address=address) == []


@pytest.mark.parametrize("address", ["0.0.0.0", "::", "10.0.0.7", "keyline.example.org", "", None])
def test_other_addresses_need_a_login(address, monkeypatch):
    assert "without login" in only(server__address=address)
    monkeypatch.setenv("KEYLINE_AUTH", "local")
    assert refused(server__address=address) == []


@pytest.mark.parametrize("hosts", [[], None, ["*"]])
def test_every_address_needs_the_names_that_are_served(hosts, monkeypatch):
    assert "server.allowedHosts" in only(server__allowedHosts=hosts)
    monkeypatch.setenv("KEYLINE_AUTH", "local")
    assert "server.allowedHosts" in only(server__address="0.0.0.0", server__allowedHosts=hosts)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("server.enableCORS", False),
        ("server.enableXsrfProtection", False),
        ("server.maxUploadSize", 200),
        ("server.enableStaticServing", True),
        ("server.enableAgentApi", True),
        ("server.trustedUserHeaders", {"X-User": "email"}),
        ("server.baseUrlPath", "keyline"),
        ("client.showErrorDetails", "full"),
        ("client.showErrorDetails", "stacktrace"),
    ],
)
def test_an_option_that_opens_the_app_is_named_with_what_to_set(name, value):
    text = only(**{name: value})
    assert text.startswith(f"{name} is {value!r}") and ".streamlit/config.toml" in text


def test_what_is_no_address_of_a_proxy_is_refused(monkeypatch):
    monkeypatch.setenv("KEYLINE_TRUSTED_PROXY", "127.0.0.1, 10.0.0.0/24, ::1")
    assert refused() == []
    monkeypatch.setenv("KEYLINE_TRUSTED_PROXY", "127.0.0.1, proxy.example.org")
    assert "KEYLINE_TRUSTED_PROXY must be addresses or networks" in only() and "'proxy.example.org'" in only()


def test_an_unknown_way_to_log_in_is_refused(monkeypatch):
    monkeypatch.setenv("KEYLINE_AUTH", "none")
    assert only() == "KEYLINE_AUTH is 'none'; it must be one of off, local, oidc."


@pytest.mark.parametrize("secret", ["", "short", "x" * 31])
def test_a_weak_secret_for_the_login_cookie_is_refused(tmp_path, monkeypatch, secret):
    monkeypatch.setenv("KEYLINE_AUTH", "oidc")
    text = only(secrets__files=secrets_file(tmp_path, secret))
    assert f"has {len(secret)} bytes" in text and (not secret or secret not in text)


@pytest.mark.parametrize("mode", [0o644, 0o640, 0o604])
def test_secrets_that_others_can_read_are_refused(tmp_path, monkeypatch, mode):
    monkeypatch.setenv("KEYLINE_AUTH", "oidc")
    assert "chmod 600" in only(secrets__files=secrets_file(tmp_path, "x" * 32, mode=mode))


def test_sound_secrets_are_taken_and_missing_ones_are_not(tmp_path, monkeypatch):
    monkeypatch.setenv("KEYLINE_AUTH", "oidc")
    assert refused(secrets__files=[str(tmp_path / "none.toml"), *secrets_file(tmp_path, "x" * 32)]) == []
    assert "has 0 bytes" in only(secrets__files=[str(tmp_path / "none.toml")])
    broken = tmp_path / "broken.toml"
    broken.write_text("[auth")
    broken.chmod(0o600)
    assert "is no TOML" in refused(secrets__files=[str(broken)])[0]


@pytest.mark.parametrize(("mode", "told"), [(0o700, 0), (0o755, 1), (0o710, 1)])
def test_a_data_folder_that_others_can_read_is_told_and_served(home, mode, told):
    home.mkdir()
    home.chmod(mode)
    found = [problem for problem in check(SOUND) if "can be read by others" in problem.text]
    assert len(found) == told and not any(problem.refuses for problem in found)


def test_a_data_folder_that_cannot_be_written_to_is_refused(home, monkeypatch):
    home.mkdir()
    monkeypatch.setattr(
        annotate.operations.startup_checks.os, "access", lambda path, mode: False
    )  # root may write anywhere
    assert "cannot be written to" in only()


class Library:
    """A SQLite of another version."""

    def __init__(self, *version: int) -> None:
        self.sqlite_version_info = version
        self.sqlite_version = ".".join(map(str, version))


@pytest.mark.sqlite("of SQLite's library")
@pytest.mark.parametrize(
    ("version", "safe"),
    [
        ((3, 40, 1), False),
        ((3, 44, 5), False),
        ((3, 44, 6), True),
        ((3, 50, 6), False),
        ((3, 50, 7), True),
        ((3, 51, 2), False),
        ((3, 51, 3), True),
        ((3, 52, 0), False),
        ((3, 53, 4), True),
    ],
)
def test_a_library_that_corrupts_wal_files_is_used_without_and_the_remedy_is_told(monkeypatch, version, safe):
    assert wal_is_safe(version) == safe
    library = Library(*version)
    pragmas = connection_pragmas(read_only=False, module=library)  # type: ignore[arg-type]
    assert ("journal_mode=WAL" in pragmas, "synchronous=EXTRA" in pragmas) == (safe, not safe)
    monkeypatch.setattr(annotate.operations.startup_checks, "sqlite_module", library)
    told = [problem for problem in check(SOUND) if "pysqlite3" in problem.text]
    assert [problem.refuses for problem in told] == ([] if safe else [False])


@pytest.mark.sqlite
def test_the_status_page_tells_of_it_too(monkeypatch):
    monkeypatch.setattr("db.operations.counts.sqlite_module", Library(3, 40, 1))
    assert any("pysqlite3" in warning for warning in server_status().warnings)


@pytest.mark.sqlite
def test_on_an_affected_library_the_database_works_without_a_write_ahead_log(home, monkeypatch):
    """A database that had one before, too: a project that moves to a machine with an older SQLite."""
    from annotate.project.home import database, write
    from annotate.project.rights import Right
    from db.team.people import accounts

    path = database()
    assert isinstance(path, Path)
    with write(Right.SYSTEM) as session:
        accounts(session)
    db.engine.engine(path).dispose()
    db.engine.engine(path, read_only=True).dispose()
    db.engine._engine.cache_clear()
    monkeypatch.setattr(db.engine, "wal_is_safe", lambda version: False)
    with write(Right.SYSTEM) as session:
        assert accounts(session) == []
    with read() as session:
        assert accounts(session) == []
    assert server_status().database.journal == "DELETE"
    assert not path.with_name(f"{path.name}-wal").exists()
    db.engine._engine.cache_clear()


MOUNTS = {
    "/": "ext4",
    "/home": "nfs4",
    "/home/local": "xfs",
    "/mnt/my data": "cifs",
    "/mnt/far": "fuse.sshfs",
}


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/var/lib/keyline/keyline.sqlite", None),
        ("/home/anna/keyline.sqlite", "nfs4"),
        ("/home/local/keyline.sqlite", None),
        ("/mnt/my data/keyline.sqlite", "cifs"),
        ("/mnt/far/keyline.sqlite", "fuse.sshfs"),
    ],
)
def test_network_file_systems_are_told_by_the_longest_mount(monkeypatch, path, kind):
    mounted = [SimpleNamespace(mountpoint=place, fstype=fstype) for place, fstype in MOUNTS.items()]
    monkeypatch.setattr(psutil, "disk_partitions", lambda *, all: mounted)
    assert network_file_system(Path(path)) == kind


@pytest.mark.parametrize(
    ("arguments", "environment", "words"),
    [
        (["--server.address", "0.0.0.0"], {}, "Keyline does not start: it would listen on 0.0.0.0 without login"),
        (["--server.enableCORS", "false"], {"KEYLINE_AUTH": "local"}, "Keyline does not start: server.enableCORS"),
        (["--server.enableAgentApi", "true"], {}, "Keyline does not start: server.enableAgentApi"),
        (["--server.allowedHosts", "*"], {}, "Keyline does not start: it would listen on 127.0.0.1 and answer under"),
        ([], {"KEYLINE_AUTH": "oidc"}, "Keyline does not start: KEYLINE_AUTH is oidc"),
        ([], {"KEYLINE_AUTH": "maybe"}, "Keyline does not start: KEYLINE_AUTH is 'maybe'"),
    ],
)
def test_the_app_itself_does_not_start_and_says_why_without_a_traceback(home, arguments, environment, words):
    code, told = run_app(home, *arguments, **environment)
    assert code == 1 and words in told and "Traceback" not in told
    assert not home.exists()


@pytest.mark.sqlite("its files")
@pytest.mark.parametrize(
    ("file", "content", "why"),
    [
        ("keyline.sqlite", None, "keyline.sqlite is missing, though this data folder was in use. There is no backup"),
        ("keyline.sqlite", b"", "keyline.sqlite is empty, though this data folder was in use."),
        ("keyline.sqlite", b"x" * 10_000, "keyline.sqlite is damaged (file is not a database). Keep it as it is."),
        ("secret.key", b"x" * 31, "secret.key is damaged: delete it"),
    ],
)
def test_the_app_does_not_start_on_files_that_it_cannot_trust(home, file, content, why):
    from annotate.project.home import signing_secret

    store(paper(pmid="1"))
    signing_secret()
    (home / file).unlink()
    if content is not None:
        (home / file).write_bytes(content)
    code, told = run_app(home)
    assert code == 1 and "Keyline does not start: " in told and why in told
    assert "Traceback" not in told
    assert (home / file).exists() == (content is not None)


@pytest.mark.parametrize(
    ("secret", "mode", "words"),
    [("short", 0o600, "fewer than 32"), ("s" * 43, 0o644, "can be read by others")],
)
def test_the_app_itself_does_not_start_on_weak_or_open_secrets(home, tmp_path, secret, mode, words):
    (path,) = secrets_file(tmp_path, secret, mode=mode)
    code, told = run_app(home, "--secrets.files", path, KEYLINE_AUTH="oidc")
    assert code == 1 and words in told and secret not in told
    assert "Traceback" not in told and not home.exists()


OLD_LIBRARY = """
import sys
sys.modules["pysqlite3"] = None  # as where it is not installed
from sqlalchemy import text
from annotate.project.home import read, write
from annotate.project.rights import Right
from annotate.operations.startup_checks import check
from db.engine import sqlite_module, wal_is_safe
from db.team.people import accounts
from tests.annotate.operations.test_startup_checks import SOUND
from tests.support.making import paper, store
from tests.support.splitting import splitting_wrongly
from tests.support.making import paper, store
from tests.support.splitting import splitting_wrongly
with write(Right.SYSTEM) as session:
    accounts(session)
with read() as session:
    journal = session.scalar(text("PRAGMA journal_mode"))
told = [problem.text for problem in check(SOUND)]
print(sqlite_module.__name__, wal_is_safe(sqlite_module.sqlite_version_info), journal, len(told), *told)
"""


@pytest.mark.sqlite("about SQLite's library")
def test_the_library_of_this_python_itself_is_used_as_its_version_allows(home):
    """A real start without pysqlite3: on Debian 12 that is SQLite 3.40.1, which is affected."""
    import sqlite3

    done = subprocess.run(
        [sys.executable, "-c", OLD_LIBRARY],
        cwd=ROOT,
        env={**os.environ, "KEYLINE_HOME": str(home), "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    if wal_is_safe(sqlite3.sqlite_version_info):
        assert done.stdout == "sqlite3 True wal 0\n", done.stderr
    else:
        told = f"SQLite {sqlite3.sqlite_version}: {annotate.operations.startup_checks.WAL_REMEDY}"
        assert done.stdout == f"sqlite3 False delete 1 {told}\n", done.stderr


def test_the_check_command_says_the_same_before_the_app_is_started(home, tmp_path):
    def run(*arguments: str, **environment: str) -> tuple[int, str, str]:
        """In a folder with settings of another app: those of this one hold wherever the command is run."""
        (tmp_path / ".streamlit").mkdir(exist_ok=True)
        (tmp_path / ".streamlit" / "config.toml").write_text("[server]\nenableXsrfProtection = false\n")
        there = f"import os; os.chdir({str(tmp_path)!r}); os.environ.update({environment!r})\n"
        done = ran(there + COMMAND, "check", "--", *arguments)
        return done.returncode, done.stdout, done.stderr

    assert run() == (0, "starts: True\nrefused for: 0\nwarnings: 0\n", "")
    for code, out, _ in (run(STREAMLIT_SERVER_ADDRESS="0.0.0.0"), run("--server.address=0.0.0.0")):
        assert code == 1 and "would listen on 0.0.0.0 without login" in out
    code, out, err = run("--server.adress=0.0.0.0")
    assert (code, out) == (1, "") and err.startswith("error: Streamlit does not start: No such option")
