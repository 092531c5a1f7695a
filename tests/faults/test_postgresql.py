"""What PostgreSQL may do to Keyline: end a connection anywhere, restart, be killed. Nothing acknowledged is lost."""

import itertools
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from sqlalchemy import event
from sqlalchemy.exc import OperationalError
from starlette.applications import Starlette
from starlette.testclient import TestClient

import db.engine
from annotate.project.home import database
from annotate.review.article_view import ENDPOINT
from annotate.review.verdicts import record, sign
from db.engine import DATABASE_ERRORS, FLUSH, engine
from pages.parts.server.routes import ROUTES
from tests.support import postgres
from tests.support.figures import times
from tests.support.making import paper, query, store, verdict
from tests.support.oracle import assert_sound
from tests.support.postgres import Server


@pytest.fixture(scope="module")
def own_server() -> Iterator[Server]:
    """A server that may be killed. It writes its log to disk when it must, and else only every ten seconds."""
    if postgres.programs() is None:
        pytest.skip(postgres.ABSENT)
    with postgres.server(wal_writer_delay="10s") as server:
        yield server


@pytest.fixture
def server(own_server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    """That server with the database of a new project, whose article 1 has three sentences."""
    monkeypatch.setenv("KEYLINE_HOME", str(tmp_path / "keyline"))
    with own_server.database() as url:
        monkeypatch.setenv("DATABASE_URL", url)
        store(paper(pmid="1"))
        yield own_server


def log_positions(server: Server) -> tuple[int, int]:
    """(written by now, of it on disk) of the server's log, in bytes."""
    return server.execute("SELECT pg_current_wal_insert_lsn() - '0/0', pg_current_wal_flush_lsn() - '0/0'")[0]


class Fault:
    """Does something before the numbered statement of the writer, once."""

    def __init__(self, number: int, action: Any) -> None:
        self.number, self.action, self.seen = number, action, 0
        event.listen(engine(database()), "before_cursor_execute", self._count)

    def _count(self, connection: Any, cursor: Any, *_: Any) -> None:
        if self.seen == self.number:
            self.action(cursor.connection.info.backend_pid)
        self.seen += 1

    def remove(self) -> None:
        event.remove(engine(database()), "before_cursor_execute", self._count)


def end_connection(server: Server) -> Any:
    """Ends a connection as an administrator would, and waits until it has ended."""

    def end(pid: int) -> None:
        server.execute(f"SELECT pg_terminate_backend({pid}, 10000)")

    return end


def test_what_is_acknowledged_is_on_disk_by_the_servers_own_word(server: Server) -> None:
    committed: list[int] = []

    def look(connection: Any, cursor: Any, statement: str, *_: Any) -> None:
        if statement == FLUSH:
            written, on_disk = log_positions(server)
            assert on_disk < written  # the commit has not waited for the disk while others waited for the lock
            committed.append(written)

    event.listen(engine(database()), "before_cursor_execute", look)
    for number in range(20):
        given = verdict(number % 3)
        assert record("Anna", 1, [given]) == ([given["id"]], [])
        assert log_positions(server)[1] >= committed[-1]
    event.remove(engine(database()), "before_cursor_execute", look)
    assert len(committed) == 20


def kill_after_acknowledgements(server: Server, rounds: int) -> tuple[list[str], list[str]]:
    """Kills and restarts the server so many times right after four writers got an acknowledgement each; returns what
    was sent and what was acknowledged."""
    sent: list[str] = []
    acknowledged: list[str] = []

    def write(name: str) -> None:
        given = verdict(1)
        sent.append(given["id"])
        acknowledged.extend(record(name, 1, [given])[0])

    for number in range(rounds):
        threads = [threading.Thread(target=write, args=(f"writer {index}",)) for index in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(acknowledged) == 4 * (number + 1)
        server.kill()
        server.start()
    return sent, acknowledged


def test_a_kill_of_the_server_loses_nothing_that_was_acknowledged(server: Server, record_property: Any) -> None:
    sent, acknowledged = kill_after_acknowledgements(server, times(4, 200))
    assert_sound(acknowledged, sent)
    record_property("kills_after_an_answer", times(4, 200))


def test_without_the_flush_the_same_kills_lose_what_was_acknowledged(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    """That the test above can fail."""
    monkeypatch.setattr(db.engine, "FLUSH", "SELECT 1")
    _, acknowledged = kill_after_acknowledgements(server, 3)
    stored = {row[0] for row in query("SELECT event_id FROM verdict")}
    assert set(acknowledged) - stored


def test_a_kill_in_the_middle_of_writing_loses_and_doubles_nothing(server: Server, record_property: Any) -> None:
    sent: list[str] = []
    acknowledged: list[str] = []
    over = threading.Event()

    def write(name: str) -> None:
        """Sends each event again until it is acknowledged, as the page does."""
        while not over.is_set():
            given = verdict(1)
            sent.append(given["id"])
            while True:
                try:
                    acknowledged.extend(record(name, 1, [given])[0])
                    break
                except DATABASE_ERRORS:
                    time.sleep(0.05)

    threads = [threading.Thread(target=write, args=(f"writer {index}",)) for index in range(4)]
    for thread in threads:
        thread.start()
    for _ in range(times(3, 50)):
        before = len(acknowledged)
        while len(acknowledged) < before + 10:
            time.sleep(0.01)
        server.kill()
        server.start()
    over.set()
    for thread in threads:
        thread.join()
    assert set(acknowledged) == set(sent)
    assert_sound(acknowledged, sent)
    record_property("kills_in_the_middle", times(3, 50))
    record_property("acknowledged", len(acknowledged))


def test_a_connection_that_ends_before_any_statement_of_a_write_costs_one_repeat(server: Server) -> None:
    """Among them the moment when the lease is looked at, and when all is committed."""
    sent: list[str] = []
    for number in itertools.count():
        given = verdict(number % 3, shown={"rank": 1, "set": 1})
        sent.append(given["id"])
        fault = Fault(number, end_connection(server))
        try:
            assert record("Anna", 1, [given]) == ([given["id"]], [])
        finally:
            fault.remove()
        if fault.seen <= number:
            break
    assert number >= 4  # as many statements as a verdict has
    assert_sound(sent, sent)
    assert engine(database()).pool.checkedout() == 0  # type: ignore[attr-defined]


def test_a_connection_that_ends_at_the_commit_costs_one_repeat(server: Server) -> None:
    given, ended = verdict(1), []

    def end(connection: Any) -> None:
        if not ended:
            ended.append(connection.connection.dbapi_connection.info.backend_pid)
            end_connection(server)(ended[0])

    event.listen(engine(database()), "commit", end)
    assert record("Anna", 1, [given]) == ([given["id"]], [])
    event.remove(engine(database()), "commit", end)
    assert len(ended) == 1
    assert_sound([given["id"]], [given["id"]])


def test_a_connection_that_ends_twice_is_an_error_and_what_is_sent_again_is_stored_once(server: Server) -> None:
    given = verdict(1)
    ended: list[int] = []

    def end(connection: Any, cursor: Any, statement: str, *_: Any) -> None:
        if statement == FLUSH:  # all is committed, only the acknowledgement is missing
            ended.append(cursor.connection.info.backend_pid)
            end_connection(server)(ended[-1])

    event.listen(engine(database()), "before_cursor_execute", end)
    with pytest.raises(OperationalError):
        record("Anna", 1, [given])
    event.remove(engine(database()), "before_cursor_execute", end)
    assert len(set(ended)) == 2
    assert query("SELECT event_id FROM verdict") == [(given["id"],)]
    assert record("Anna", 1, [given]) == ([given["id"]], [])
    assert_sound([given["id"]], [given["id"]])


def test_a_write_that_is_not_stored_once_is_not_repeated(server: Server) -> None:
    fault = Fault(2, end_connection(server))
    with pytest.raises(OperationalError):
        store(paper(pmid="2"))
    fault.remove()
    assert query("SELECT count(*) FROM article") == [(1,)]
    store(paper(pmid="2"))
    assert query("SELECT count(*) FROM article") == [(2,)]


def test_after_a_restart_of_the_server_the_app_goes_on_by_itself(server: Server) -> None:
    given = [verdict(0), verdict(1)]
    record("Anna", 1, given[:1])
    server.stop()
    server.start()
    assert query("SELECT count(*) FROM verdict") == [(1,)]
    server.stop()
    server.start()
    assert record("Anna", 1, given[1:]) == ([given[1]["id"]], [])
    assert_sound([row["id"] for row in given], [row["id"] for row in given])


def test_while_the_server_is_away_the_page_is_told_to_try_again_and_loses_nothing(server: Server) -> None:
    client = TestClient(Starlette(routes=list(ROUTES)))
    given = verdict(1)
    message = {"token": sign("Anna", 1), "events": [given]}
    server.stop()
    try:
        answers = [client.post(ENDPOINT, json=message) for _ in range(2)]
    finally:
        server.start()
    for answer in answers:
        assert answer.status_code == 503
        assert answer.json() == {"error": "not saved: the database is busy, away or full; try again"}
    assert client.post(ENDPOINT, json=message).json() == {"stored": [given["id"]], "refused": []}
    assert_sound([given["id"]], [given["id"]])


def test_a_text_that_postgresql_cannot_hold_never_reaches_it(server: Server) -> None:
    """NUL has no place in its texts: it is taken out of comments, and refused in names and words."""
    from annotate.project.names import clean_name
    from tests.support.making import comment

    given = [comment(1, "why\0 so?"), verdict(1, shown={"rank": 1, "ranking": "a\0b", "model": "v\0"})]
    assert record("Anna", 1, given) == ([row["id"] for row in given], [])
    assert query("SELECT text FROM comment") == [("why so?",)]
    assert query("SELECT ranking, version FROM verdict") == [(None, None)]
    with pytest.raises(ValueError, match="a name is"):
        clean_name("a\0b")
    with pytest.raises(psycopg.DataError):
        psycopg.connect(server.url("postgres")).execute("SELECT %s::text", ["\0"])
