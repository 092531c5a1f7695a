"""Apps are begun, begun anew, stopped and changed with the file. Here they are programs that wait."""

import json
import os
import signal
import socket
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import psutil
import pytest

from annotate.project import logs
from annotate.projects import running
from annotate.projects.project_file import BadProjects
from annotate.projects.running import (
    FIRST_WAIT,
    LONGEST_WAIT,
    App,
    Apps,
    ending_with_parent,
    stop,
    until_signalled,
)
from tests.support.browser import free_port
from tests.support.projects import projects, written
from tests.support.waiting import wait_until

WAITS = [sys.executable, "-c", "import time; time.sleep(600)"]
# Deaf to what asks it to end.
DEAF = "import os, signal, sys, time; signal.signal(signal.SIGTERM, signal.SIG_IGN)"


# Writes its process, arguments and environment into the folder that it is named.
WRITES = """
import json, os, sys, time
from pathlib import Path
to = Path(sys.argv[1], os.environ["KEYLINE_PROJECT"])
to.with_suffix(".part").write_text(json.dumps([os.getpid(), sys.argv[2:], dict(os.environ)]))
to.with_suffix(".part").rename(to)
time.sleep(600)
"""


@pytest.fixture
def begun() -> Iterator[Callable[[App], App]]:
    """Apps that end with the test."""
    made: list[App] = []

    def keep(app: App) -> App:
        made.append(app)
        return app

    yield keep
    for app in made:
        if app.process is not None:
            app.process.kill()
            app.process.wait()


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, dict[str, Any]]]:
    """What is logged, warnings and events."""
    said: list[tuple[str, dict[str, Any]]] = []
    for kind in ("event", "warning"):
        monkeypatch.setattr(logs, kind, lambda name, **details: said.append((name, details)))
    return said


def killed(app: App) -> None:
    assert app.process is not None
    app.process.kill()
    app.process.wait()


def test_what_ends_is_begun_anew_ever_later_and_soon_again_once_it_has_lasted(
    tmp_path: Path, begun: Callable[[App], App], told: list[tuple[str, dict[str, Any]]]
) -> None:
    app = begun(App(projects(tmp_path)[0], WAITS, dict(os.environ)))
    now = 1000.0
    waits = []
    for _ in range(8):
        app.look(now)
        killed(app)
        app.look(now)
        assert app.process is None
        waits.append(told[-1][1]["again_in_seconds"])
        app.look(now + waits[-1] - 0.01)
        assert app.process is None
        now += waits[-1]
    assert waits == [1, 2, 4, 8, 16, 32, 60, 60] == [min(FIRST_WAIT * 2**n, LONGEST_WAIT) for n in range(8)]
    assert told[-1] == ("project ended", {"project": "crispr", "again_in_seconds": 60, "code": -signal.SIGKILL})
    app.look(now)
    killed(app)
    app.look(now + LONGEST_WAIT)
    assert told[-1][1]["again_in_seconds"] == FIRST_WAIT


def test_what_cannot_be_begun_is_tried_again(tmp_path: Path, told: list[tuple[str, dict[str, Any]]]) -> None:
    app = App(projects(tmp_path)[0], ["/no/such/program"], {})
    app.look(1000.0)
    assert app.process is None and told[-1][0] == "project ended" and "No such file" in told[-1][1]["reason"]
    app.look(1000.5)
    assert len(told) == 1
    app.look(1001.0)
    assert len(told) == 2


def test_what_does_not_end_when_told_is_killed(
    tmp_path: Path, begun: Callable[[App], App], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(running, "STOP_SECONDS", 0.2)
    ready = tmp_path / "ready"
    deaf = f"{DEAF}; open({str(ready)!r}, 'w').close(); time.sleep(600)"
    apps = [
        begun(App(each, command, dict(os.environ)))
        for each, command in zip(projects(tmp_path), ([sys.executable, "-c", deaf], WAITS), strict=True)
    ]
    for app in apps:
        app.look(1000.0)
    wait_until(ready.exists)
    stop(apps)
    codes = [app.process.returncode for app in apps if app.process]
    assert codes == [-signal.SIGKILL, -signal.SIGTERM]


class World:
    """The apps of a file whose programs write down what they were told."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.ports = {"crispr": {"port": free_port()}, "trials": {"port": free_port()}}
        self.path = written(folder, **self.ports)
        self.apps = Apps(self.path, self.command, ["--more"])

    def command(self, arguments: Sequence[str]) -> list[str]:
        return [sys.executable, "-c", WRITES, str(self.folder), *arguments]

    def told(self, key: str) -> tuple[int, list[str], dict[str, str]]:
        """(process, arguments, environment) of the app, once it has written them."""
        path = self.folder / key
        wait_until(path.exists)
        pid, arguments, environment = json.loads(path.read_text())
        return pid, arguments, environment

    def change(self, **changes: dict[str, Any] | None) -> None:
        """Writes the file anew, and follows it."""
        written(self.folder, **{key: self.ports.get(key, {}) | (new or {}) for key, new in changes.items()})
        before = self.path.stat()
        os.utime(self.path, ns=(before.st_atime_ns, before.st_mtime_ns + 1_000_000))
        self.apps.follow()
        self.apps.look()


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    """Both projects begun."""
    monkeypatch.setenv("DATABASE_URL", "postgresql://nobody's")
    made = World(tmp_path)
    made.apps.read()
    made.apps.look()
    yield made
    made.apps.stop()


def test_each_app_is_told_its_own(world: World) -> None:
    told = {key: world.told(key) for key in ("crispr", "trials")}
    for key, (_, arguments, environment) in told.items():
        assert arguments == ["--more", f"--server.port={world.ports[key]['port']}"]
        assert environment["KEYLINE_HOME"] == str(world.folder / key) and environment["KEYLINE_AUTH"] == "local"
        assert environment["KEYLINE_PARENT"] == str(os.getpid()) and "DATABASE_URL" not in environment
    world.apps.stop()
    assert not [pid for pid, _, _ in told.values() if psutil.pid_exists(pid)]


def test_the_file_is_followed_and_only_what_changed_is_touched(
    world: World, told: list[tuple[str, dict[str, Any]]]
) -> None:
    crispr, trials = world.told("crispr")[0], world.told("trials")[0]
    (world.folder / "trials").unlink()
    world.change(
        crispr={},
        trials={"name": "Trials"},
        third={"name": "Third", "folder": "3", "port": free_port(), "login": "off"},
    )
    assert world.told("third")[2]["KEYLINE_PROJECT_NAME"] == "Third"
    assert world.told("trials")[2]["KEYLINE_PROJECT_NAME"] == "Trials"
    assert psutil.pid_exists(crispr) and not psutil.pid_exists(trials)
    gone = world.told("third")[0]
    world.change(crispr={}, trials={"name": "Trials"})
    assert psutil.pid_exists(crispr) and not psutil.pid_exists(gone)
    assert [project.key for project in world.apps.projects] == ["crispr", "trials"]
    assert told[-1] == ("projects read again", {"projects": ["crispr", "trials"]})


def test_a_file_that_cannot_be_taken_is_told_once_and_stops_nothing(
    world: World, told: list[tuple[str, dict[str, Any]]]
) -> None:
    before = {key: world.told(key)[0] for key in world.ports}
    world.change(crispr={"login": "off", "address": "https://x.org"}, trials={"address": "https://y.org"})
    world.apps.follow()
    world.path.unlink()
    world.apps.follow()
    world.apps.follow()
    assert [name for name, _ in told] == ["projects not read again"] * 2
    assert "crispr.login: is off" in told[0][1]["reason"] and "No such file" in told[1][1]["reason"]
    assert all(psutil.pid_exists(pid) for pid in before.values())


def test_a_port_that_somebody_listens_on_is_told_before_anything_begins(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        apps = Apps(written(tmp_path, trials={"port": port}, crispr={"port": free_port()}), lambda _: WAITS, [])
        with pytest.raises(RuntimeError, match=f"port {port} of trials is in use"):
            apps.read()
        apps.look()
        assert apps.projects == []


def test_a_file_with_a_mistake_begins_nothing(tmp_path: Path) -> None:
    apps = Apps(written(tmp_path, trials={"port": 1}), lambda _: WAITS, [])
    with pytest.raises(BadProjects, match=r"trials\.port"):
        apps.read()


def test_a_signal_asks_to_end_unless_it_was_ignored_before_as_by_nohup() -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with until_signalled() as ending:
            os.kill(os.getpid(), signal.SIGHUP)
            assert not ending.is_set()
            os.kill(os.getpid(), signal.SIGTERM)
            assert ending.wait(60)
        assert signal.getsignal(signal.SIGTERM) == signal.SIG_DFL
    finally:
        signal.signal(signal.SIGHUP, before)


@pytest.mark.parametrize(("parent", "ends"), [("1", True), ("", False), (str(os.getppid()), False)])
def test_an_app_ends_with_the_process_that_began_it(monkeypatch: pytest.MonkeyPatch, parent: str, ends: bool) -> None:
    asked: list[tuple[int, int]] = []
    monkeypatch.setattr(os, "kill", lambda pid, number: asked.append((pid, number)))
    monkeypatch.setenv("KEYLINE_PARENT", parent)
    if os.getppid() == 1:
        pytest.skip("these tests were begun by the first process of the machine")
    with ending_with_parent():
        if ends:
            wait_until(lambda: asked)
    assert asked[:1] == ([(os.getpid(), signal.SIGTERM)] if ends else [])
