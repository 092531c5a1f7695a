"""The log: JSON lines when asked for, the traceback under the id that the user was shown, nothing that is secret."""

import json
import logging
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
import structlog
from sqlalchemy import text

from annotate.jobs.lifecycle import run_here
from annotate.project import logs
from annotate.project.home import write
from annotate.project.rights import Right
from annotate.team.logins import LoginFailed, log_in
from db.engine import DATABASE_ERRORS
from tests.support.browser import ROOT
from tests.support.copies import COMMAND, ran

FULL = Path("/dev/full")
Lines = Callable[[], list[dict[str, Any]]]


@pytest.fixture
def lines(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Iterator[Lines]:
    """What was logged since it was last asked, as JSON."""
    ours = logging.getLogger("annotate")
    handlers, propagate = ours.handlers, ours.propagate
    monkeypatch.setenv("KEYLINE_LOG", "json")
    logs.configure()
    yield lambda: [json.loads(line) for line in capsys.readouterr().err.splitlines()]
    ours.handlers, ours.propagate = handlers, propagate
    structlog.configure(processors=[logs._dropped])


def test_an_event_is_one_json_line_with_its_time_and_level(lines):
    logs.event("app started", release="abc", number=3)
    (line,) = lines()
    assert line.pop("timestamp").endswith("Z")
    assert line == {"event": "app started", "level": "info", "release": "abc", "number": 3}


def test_an_error_keeps_its_traceback_under_an_id_and_no_values_of_variables(lines):
    password = "hunter2-in-a-local"  # noqa: F841 (what must not be seen)
    try:
        raise ValueError("no such thing")
    except ValueError as error:
        error_id = logs.error("page failed", error)
    (line,) = lines()
    assert line["error_id"] == error_id and len(error_id) == 8
    assert line["exception"][0]["exc_type"] == "ValueError"
    assert line["exception"][0]["frames"][0]["name"].startswith("test_an_error_keeps")
    assert "hunter2" not in json.dumps(line)


@pytest.mark.skipif(not FULL.exists(), reason="needs a device that is always full, as Linux has")
def test_a_log_onto_a_full_disk_hinders_nothing(lines, monkeypatch):
    with suppress(OSError), FULL.open("w", buffering=1) as full, monkeypatch.context() as patched:
        patched.setattr("sys.stderr", full)
        with pytest.raises(OSError, match="No space left"):
            print("x", file=sys.stderr)
        error_id = logs.error("not saved", OSError("the disk is full"))
        logs.event("x")
    assert len(error_id) == 8
    logs.event("y")
    assert [line["event"] for line in lines()] == ["y"]


@pytest.mark.parametrize("name", ["password", "token", "session_token", "cookie_secret", "text", "sentence"])
def test_what_is_secret_is_left_out_whoever_passes_it(lines, name):
    logs.event("x", **{name: "hunter2"})
    assert lines()[0][name] == "left out"


def test_an_error_of_the_database_tells_no_values(home, lines):
    with pytest.raises(DATABASE_ERRORS) as caught, write(Right.SYSTEM) as session:
        session.execute(text("INSERT INTO nowhere (note) VALUES (:note)"), {"note": "hunter2 of a patient"})
    logs.error("page failed", caught.value)
    assert "nowhere" in (told := json.dumps(lines())) and "hunter2" not in told


def test_the_warnings_of_other_modules_come_the_same_way(lines):
    logging.getLogger("annotate.retraining.auto_retrain").warning("tries again in %g s", 60)
    (line,) = lines()
    assert (line["event"], line["level"]) == ("tries again in 60 s", "warning")


def test_a_job_is_logged_as_it_begins_and_ends(home, lines):
    run_here("import", {}, {"import": lambda payload, monitor: {}}, lambda progress: None)
    begun, ended = lines()
    assert (begun["event"], begun["kind"], begun["job"]) == ("job begun", "import", 1)
    assert (ended["event"], ended["state"], ended["job"]) == ("job ended", "done", 1)


def test_a_refused_login_is_logged_without_the_password(home, lines):
    with pytest.raises(LoginFailed):
        log_in("anna", "hunter2hunter2", address="192.0.2.7")
    (line,) = lines()
    assert (line["event"], line["address"], line["reason"]) == ("login refused", "192.0.2.7", "wrong")


def test_without_a_program_that_asks_for_it_nothing_is_logged():
    code = "from annotate.project import logs; logs.event('x'); logs.error('y', ValueError('z'))"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, check=True)
    assert (done.stdout, done.stderr) == (b"", b"")


@pytest.mark.sqlite("backs up the SQLite file")
def test_a_command_prints_one_object_and_no_log_on_stdout(home, monkeypatch):
    monkeypatch.setenv("KEYLINE_LOG", "json")
    done = ran(COMMAND, "backup", str(home.parent / "a.tar"), "--json")
    assert done.stdout.count("\n") == 1 and json.loads(done.stdout)["files"] == 1, done.stderr


def test_readable_lines_are_the_default(monkeypatch, capsys):
    monkeypatch.delenv("KEYLINE_LOG", raising=False)
    ours = logging.getLogger("annotate")
    handlers, propagate = ours.handlers, ours.propagate
    logs.configure()
    try:
        logs.event("backup", by="Müller")
        err = capsys.readouterr().err
    finally:
        ours.handlers, ours.propagate = handlers, propagate
        structlog.configure(processors=[logs._dropped])
    assert "backup" in err and "by=Müller" in err and "{" not in err
