"""A PostgreSQL server for tests: Debian's packages, a folder and a socket of its own, an empty database for each test.

pytest-postgresql starts the server as whoever runs the tests, and PostgreSQL refuses to run as root, as which
containers run them; so these few lines do, as the user "postgres" that the packages made.
"""

import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

import psutil
import psycopg
from sqlalchemy import URL, Engine, event
from sqlalchemy.exc import SQLAlchemyError

from db.engine import engine, postgresql_address
from db.migrate import migrate

INSTALLED = Path("/usr/lib/postgresql")
ABSENT = f"no PostgreSQL in {INSTALLED}: install Debian's postgresql package to run this"
TEMPLATE = "keyline_template"
START_SECONDS = 60
# Of a database with this release's tables.
SHAPE = """
SELECT 'version', version_num, 0 FROM alembic_version
UNION ALL SELECT relname, relkind::text, oid FROM pg_class WHERE relnamespace = 'public'::regnamespace
UNION ALL SELECT attname, atttypid || attnotnull::text || atthasdef, attrelid FROM pg_attribute
    JOIN pg_class ON pg_class.oid = attrelid WHERE relnamespace = 'public'::regnamespace
UNION ALL SELECT tgname, tgenabled::text, oid FROM pg_trigger
UNION ALL SELECT conname, contype::text, oid FROM pg_constraint
UNION ALL SELECT proname, md5(prosrc), oid FROM pg_proc WHERE pronamespace = 'public'::regnamespace
UNION ALL SELECT nspname, '', oid FROM pg_namespace WHERE nspname !~ '^pg_'
ORDER BY 1, 2, 3
"""
DISCONNECT_OTHERS = """
SELECT pg_terminate_backend(pid) FROM pg_stat_activity
WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend' AND pid <> ALL(%s)
"""
# Without triggers and foreign keys, which would keep what must stay.
EMPTY = """
DO $$
DECLARE filled regclass;
BEGIN
    SET LOCAL session_replication_role = replica;
    FOR filled IN SELECT oid FROM pg_class
        WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace AND relname <> 'alembic_version'
    LOOP
        EXECUTE format('DELETE FROM %s', filled);
    END LOOP;
    PERFORM setval(oid, 1, false) FROM pg_class WHERE relkind = 'S' AND relnamespace = 'public'::regnamespace;
END $$
"""


MOST_LEFT = 2  # by each engine of a test; more are needed by few, and the server takes a hundred
# As if a connection had just begun.
AS_BEGUN = "RESET ALL; CLOSE ALL; UNLISTEN *; DISCARD TEMP; DISCARD SEQUENCES; SELECT pg_advisory_unlock_all()"


@dataclass
class Left:
    """Connections that a test left, for the engines of the next one on the same database and with the same settings.

    A process of the server that begins reads the catalogues first, which costs more than what most tests ask.
    """

    kept: list[psycopg.Connection[Any]] = field(default_factory=list)

    def take(self, _dialect: Any, _record: Any, _arguments: Any, asked: dict[str, Any]) -> Any:
        """One that fits what an engine asks for, if there is one."""
        wanted = (asked.get("host"), asked.get("dbname"), asked.get("options"))
        for one in self.kept:
            if (one.info.host, one.info.dbname, one.info.options) == wanted:
                self.kept.remove(one)
                return one
        return None

    def keep(self, url: str) -> None:
        """What idles of this process's connections to a database."""
        for read_only in (False, True):
            made = engine(postgresql_address(url), read_only=read_only)
            with suppress(SQLAlchemyError, psycopg.Error):  # one that a test killed
                for _ in range(min(made.pool.checkedin(), MOST_LEFT)):  # type: ignore[attr-defined]
                    checked = made.raw_connection()
                    connection = checked.driver_connection
                    checked.detach()
                    connection.rollback()
                    connection.autocommit = True
                    connection.execute(AS_BEGUN)
                    self.kept.append(connection)
        disconnect(url)

    def close(self, folder: Path, database: str | None = None) -> None:
        """Those to a database of this server, or to all of them."""
        for one in [one for one in self.kept if one.info.host == str(folder) and database in (None, one.info.dbname)]:
            self.kept.remove(one)
            one.close()


LEFT = Left()
event.listen(Engine, "do_connect", LEFT.take)


def programs() -> Path | None:
    """The folder of the newest server's programs; None where none is installed."""
    found = [path.parent for path in INSTALLED.glob("*/bin/initdb")]
    return max(found, key=lambda path: float(path.parent.name), default=None)


def _as_server() -> dict[str, Any]:
    return {"user": "postgres", "group": "postgres", "extra_groups": []} if os.geteuid() == 0 else {}


@dataclass
class Server:
    """A running server. `fsync` off is for what a power cut may cost, such as the databases of functional tests."""

    folder: Path
    fsync: bool = False
    settings: dict[str, Any] = field(default_factory=dict)
    process: subprocess.Popen[bytes] | None = None
    _numbers: Iterator[int] = field(default_factory=count)
    _emptied: list[str] = field(default_factory=list)
    _emptying: dict[str, psycopg.Connection[Any]] = field(default_factory=dict)  # by the name of the database
    _shape: list[tuple[Any, ...]] = field(default_factory=list)  # of a database as the migrations make it

    def start(self) -> None:
        """Starts the server, returns once it answers."""
        found = programs()
        assert found is not None
        settings = {"listen_addresses": "", "unix_socket_directories": self.folder, "timezone": "America/New_York"}
        settings |= {"fsync": "on" if self.fsync else "off", **self.settings}
        options = [part for name, value in settings.items() for part in ("-c", f"{name}={value}")]
        with (self.folder / "log").open("ab") as log:
            command = [found / "postgres", "-D", self.folder / "data", *options]
            self.process = subprocess.Popen(command, stdout=log, stderr=log, cwd="/", **_as_server())
        until = time.monotonic() + START_SECONDS
        while True:
            try:
                self.execute("SELECT 1")
                return
            except psycopg.OperationalError:
                if self.process.poll() is not None or time.monotonic() > until:
                    raise AssertionError((self.folder / "log").read_text()) from None
                time.sleep(0.02)

    def kill(self) -> None:
        """Ends all its processes with SIGKILL, in the middle of whatever they do."""
        assert self.process is not None
        processes = [psutil.Process(self.process.pid), *psutil.Process(self.process.pid).children()]
        for process in processes:
            process.kill()
        psutil.wait_procs(processes[1:], timeout=START_SECONDS)
        self.process.wait(START_SECONDS)

    def stop(self) -> None:
        """Stops it as an administrator would, without waiting for those who are connected."""
        assert self.process is not None
        self.process.send_signal(signal.SIGINT)
        self.process.wait(START_SECONDS)

    def url(self, database: str) -> str:
        """What DATABASE_URL must be for one of its databases."""
        return f"postgresql://postgres@/{database}?host={self.folder}"

    def address(self, database: str) -> URL:
        """The same as an address."""
        return postgresql_address(self.url(database))

    def execute(self, sql: str, database: str = "postgres") -> list[tuple[Any, ...]]:
        """Runs one statement outside any transaction; its rows, if it has any."""
        with psycopg.connect(self.url(database), autocommit=True) as connection:
            cursor = connection.execute(sql)  # type: ignore[call-overload]
            return cursor.fetchall() if cursor.description else []

    @contextmanager
    def database(self, *, migrated: bool = True) -> Iterator[str]:
        """The URL of a database of one's own, which it was to nobody before: with this release's tables, all empty, or
        without any. To make one takes a third of a second, so one with tables is emptied and serves again.
        """
        number = next(self._numbers)
        name = self._emptied.pop() if migrated and self._emptied else self._made(f"test_{number}", migrated)
        url = f"{self.url(name)}&application_name=test_{number}"
        try:
            yield url
        finally:
            (LEFT.keep if migrated else disconnect)(url)
            if migrated and self._empty(name):
                self._emptied.append(name)
            else:
                self._stop_emptying(name)
                self.execute(f"DROP DATABASE {name} WITH (FORCE)")

    def _made(self, name: str, migrated: bool) -> str:
        if migrated and not self.execute(f"SELECT 1 FROM pg_database WHERE datname = '{TEMPLATE}'"):
            self.execute(f"CREATE DATABASE {TEMPLATE}")
            migrate(self.address(TEMPLATE))
            disconnect(self.url(TEMPLATE))
            self._shape = self.execute(SHAPE, TEMPLATE)
        self.execute(f"CREATE DATABASE {name}" + (f" TEMPLATE {TEMPLATE}" if migrated else ""))
        return name

    def _empty(self, name: str) -> bool:
        """Empties a database, whoever is still connected. False where a test changed more than its rows."""
        if name not in self._emptying:  # kept, since a new one reads the catalogues first: five times the work
            self._emptying[name] = psycopg.connect(self.url(name), autocommit=True)
        connection = self._emptying[name]
        try:
            connection.execute(DISCONNECT_OTHERS, [[one.info.backend_pid for one in LEFT.kept]])
            as_made = connection.execute(SHAPE).fetchall() == self._shape
            if as_made:
                connection.execute(EMPTY)
        except (psycopg.errors.UndefinedTable, psycopg.OperationalError):  # the latter where a test killed the server
            return False
        return as_made

    def _stop_emptying(self, name: str) -> None:
        LEFT.close(self.folder, name)
        if name in self._emptying:
            self._emptying.pop(name).close()


def disconnect(url: str) -> None:
    """Closes this process's idle connections to a database."""
    for read_only in (False, True):
        engine(postgresql_address(url), read_only=read_only).dispose()


@contextmanager
def server(*, fsync: bool = False, **settings: Any) -> Iterator[Server]:
    """A new server with these settings, stopped and removed in the end."""
    found = programs()
    assert found is not None, ABSENT
    folder = Path(tempfile.mkdtemp(prefix="keyline-postgres-"))
    try:
        if os.geteuid() == 0:
            shutil.chown(folder, "postgres", "postgres")
        command = [found / "initdb", "-D", folder / "data", "-U", "postgres", "--auth=trust", "--no-sync"]
        # Sorts as people do, unlike SQLite: no test may rely on the order of bytes, which few servers have.
        command += ["-E", "UTF8", "--locale=C.UTF-8", "--locale-provider=icu", "--icu-locale=en-US"]
        made = subprocess.run(command, capture_output=True, text=True, check=False, cwd="/", **_as_server())
        assert made.returncode == 0, made.stderr
        running = Server(folder, fsync, settings)
        running.start()
        try:
            yield running
        finally:
            LEFT.close(folder)
            running.stop()
    finally:
        shutil.rmtree(folder)
