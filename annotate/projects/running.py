"""Runs the apps of all projects: starts each again when it ends, follows the file of projects, stops all together."""

import os
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from pathlib import Path

from annotate.jobs.repeating import repeating
from annotate.project import logs
from annotate.project.release import ROOT
from annotate.projects.environment import PARENT, arguments_of, environment_of
from annotate.projects.neighbours import Neighbours
from annotate.projects.project_file import BadProjects, Project, read_projects

Command = Callable[[Sequence[str]], Sequence[str]]
LOOK_SECONDS = 0.25
PEOPLE_SECONDS = 5.0
# Before an app is started again: at once ever longer, and shortly again once it has run for as long as the longest.
FIRST_WAIT, LONGEST_WAIT = 1.0, 60.0
# An app that is told to end answers what it was asked and closes what is open: a second or two, unless the machine is
# busy. systemd waits for 30 s.
STOP_SECONDS = 20.0
SIGNALS = tuple(getattr(signal, name) for name in ("SIGTERM", "SIGINT", "SIGHUP") if hasattr(signal, name))


class App:
    """The app of one project: its process, and when it is to begin next. Times are of a clock that cannot be set."""

    def __init__(self, project: Project, command: Sequence[str], environment: dict[str, str]) -> None:
        self.project = project
        self.process: subprocess.Popen[bytes] | None = None
        self._command, self._environment = list(command), environment
        self._wait, self._began, self._due = FIRST_WAIT, 0.0, 0.0

    def look(self, now: float) -> None:
        """Notes that it has ended, and begins it where that is due."""
        if self.process is not None and (code := self.process.poll()) is not None:
            self._wait = FIRST_WAIT if now - self._began >= LONGEST_WAIT else self._wait
            self.process = None
            self._wait_for_the_next(now, code=code)
        if self.process is None and now >= self._due:
            self._begin(now)

    def _wait_for_the_next(self, now: float, **why: object) -> None:
        logs.warning("project ended", project=self.project.key, again_in_seconds=self._wait, **why)
        self._due, self._wait = now + self._wait, min(2 * self._wait, LONGEST_WAIT)

    def _begin(self, now: float) -> None:
        self._began = now
        try:
            # In a session of its own: what a terminal sends to all at once is for the one that runs them.
            self.process = subprocess.Popen(
                self._command,
                cwd=ROOT,
                env=self._environment | {PARENT: str(os.getpid())},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                start_new_session=True,
            )
        except OSError as error:  # no memory or no processes left just now
            self._wait_for_the_next(now, reason=str(error))
        else:
            logs.event("project begun", project=self.project.key, port=self.project.port, pid=self.process.pid)


class Apps:
    """The apps of the projects of a file, as it is and as it becomes."""

    def __init__(self, path: Path, command: Command, more: Sequence[str]) -> None:
        self.projects: list[Project] = []
        self._path, self._command, self._more = path, command, more
        self._apps: dict[str, App] = {}
        self._read: tuple[int, int] | None = None

    def read(self) -> None:
        """Takes the file as it is now: new apps are started by the next look, removed or changed ones are stopped
        first.

        Raises BadProjects or ValueError, and changes nothing, where it cannot be taken.
        """
        self._read = _sign(self._path)
        projects = read_projects(self._path)
        made = {
            project.key: App(
                project,
                self._command(arguments_of(project, self._more)),
                environment_of(project, projects, os.environ),
            )
            for project in projects
        }
        stays = {key: app for key, app in self._apps.items() if key in made and app.project == made[key].project}
        ours = {app.project.port for app in self._apps.values()}
        for project in projects:
            with socket.socket() as probe:
                probe.settimeout(2)
                if project.port not in ours and probe.connect_ex(("127.0.0.1", project.port)) == 0:
                    remedy = "is in use: is it served already? Else give it another port"
                    raise RuntimeError(f"port {project.port} of {project.key} {remedy}")
        stop(app for key, app in self._apps.items() if key not in stays)
        self._apps, self.projects = made | stays, projects

    def follow(self) -> None:
        """Reads the file again where it was changed. One that cannot be taken is told once, and all go on as before."""
        if _sign(self._path) == self._read:
            return
        try:
            self.read()
            logs.event("projects read again", projects=[project.key for project in self.projects])
        except (BadProjects, ValueError, RuntimeError) as error:
            logs.warning("projects not read again", reason=str(error))

    def look(self) -> None:
        """Looks after each app."""
        now = time.monotonic()
        for app in self._apps.values():
            app.look(now)

    def stop(self) -> None:
        """Ends all."""
        stop(self._apps.values())


def stop(apps: Iterable[App]) -> None:
    """Tells apps to end, all at once, and waits until they have; kills those that have not after STOP_SECONDS."""
    running = [app.process for app in apps if app.process is not None]
    for process in running:
        process.terminate()
    until = time.monotonic() + STOP_SECONDS
    for process in running:
        try:
            process.wait(max(0.0, until - time.monotonic()))
        except subprocess.TimeoutExpired:
            logs.warning("project killed", pid=process.pid, after_seconds=STOP_SECONDS)
            process.kill()
            process.wait()


def _sign(path: Path) -> tuple[int, int] | None:
    """What changes when a file is written; None without it."""
    with suppress(OSError):
        found = path.stat()
        return found.st_mtime_ns, found.st_size
    return None


def serve(path: Path, command: Command, more: Sequence[str], on_change: Callable[[Apps], None]) -> None:
    """Runs the app of each project of the file, by `command` of its arguments, until this process is told to end.

    `on_change` is called once all have begun. Raises BadProjects, ValueError or RuntimeError where they cannot.
    """
    apps, neighbours = Apps(path, command, more), Neighbours()
    apps.read()
    with until_signalled() as ending, repeating("neighbours", PEOPLE_SECONDS, lambda: neighbours.tell(apps.projects)):
        try:
            apps.look()
            on_change(apps)
            while not ending.wait(LOOK_SECONDS):
                apps.follow()
                apps.look()
        finally:
            apps.stop()


@contextmanager
def until_signalled() -> Iterator[threading.Event]:
    """An event that is set once a signal asks this process to end."""
    ending = threading.Event()
    heeded = [number for number in SIGNALS if signal.getsignal(number) != signal.SIG_IGN]  # nohup has one ignored
    before = {number: signal.signal(number, lambda *_: ending.set()) for number in heeded}
    try:
        yield ending
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def ending_with_parent() -> AbstractContextManager[None]:
    """For as long as the block lasts, in an app: ends it as SIGTERM does once the process that began it is gone."""
    parent = os.environ.get(PARENT, "")
    return repeating("parent", 1.0, lambda: _end_without(int(parent))) if parent.isdecimal() else nullcontext()


def _end_without(parent: int) -> None:
    if os.getppid() != parent:
        os.kill(os.getpid(), signal.SIGTERM)
