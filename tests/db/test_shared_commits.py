"""Writers of one process that share a transaction: all of it or nothing, each its own errors, none told too early."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any, TypeVar

import pytest
from sqlalchemy import event, insert, select
from sqlalchemy.exc import IntegrityError, OperationalError
from sqlalchemy.orm import Session

import db.engine
from annotate.project.acting import Actor, Forbidden, acting
from annotate.project.home import database, write_together
from annotate.project.rights import Right
from db.engine import Address, _line, engine, reading, writing
from db.engine import write_together as share
from db.tables import Annotator

pytestmark = pytest.mark.usefixtures("home")
Work = Callable[[Session], Any]
T = TypeVar("T")


def add(name: str) -> Work:
    """Work that makes an annotator and returns their name."""

    def work(session: Session) -> str:
        session.execute(insert(Annotator).values(name=name))
        return name

    return work


def names() -> list[str]:
    with reading(database()) as session:
        return list(session.scalars(select(Annotator.name).order_by(Annotator.id)))


@contextmanager
def counted(address: Address, what: str) -> Iterator[list[Any]]:
    """What the database's engine does of a kind within the block."""
    seen: list[Any] = []

    def note(connection: Any) -> None:
        seen.append(connection)

    event.listen(engine(address), what, note)
    try:
        yield seen
    finally:
        event.remove(engine(address), what, note)


def at_once(works: list[T], write: Callable[[T], Any]) -> list[Any]:
    """What each thread got, a result or an error. The first waits for the database, all others for it."""
    got: list[Any] = [None] * len(works)

    def run(index: int) -> None:
        try:
            got[index] = write(works[index])
        except (IntegrityError, OperationalError, Forbidden) as error:
            got[index] = error

    threads = [threading.Thread(target=run, args=(index,)) for index in range(len(works))]
    with ExitStack() as held:
        held.enter_context(writing(database())).connection()
        for number, thread in enumerate(threads):
            thread.start()
            until = time.monotonic() + 60
            while (len(_line._waiting) < number or not _line._is_led) and time.monotonic() < until:
                time.sleep(0.001)
    for thread in threads:
        thread.join()
    return got


def test_those_who_wait_at_once_are_written_by_one_transaction() -> None:
    whose = [f"expert {number}" for number in range(9)]
    database()
    with counted(database(), "commit") as commits:
        assert at_once([add(name) for name in whose], lambda work: share(database(), work)) == whose
    assert names() == whose
    assert len(commits) == 3  # of who held the database, of the first, of the eight others


def test_one_that_fails_fails_alone() -> None:
    works = [add("Anna"), add("Ben"), add("Anna"), add("Chris")]
    first, second, third, fourth = at_once(works, lambda work: share(database(), work))
    assert (first, second, fourth) == ("Anna", "Ben", "Chris")
    assert isinstance(third, IntegrityError)
    assert sorted(names()) == ["Anna", "Ben", "Chris"]


def test_where_the_shared_commit_fails_nobody_is_told_that_it_is_stored() -> None:
    whose, commits = ["Anna", "Ben", "Chris"], 0

    def fail(_: Any) -> None:
        nonlocal commits
        commits += 1
        if commits == 3:
            raise OperationalError("COMMIT", None, OSError("disk full"))

    address = database()
    event.listen(engine(address), "commit", fail)
    try:
        got = at_once([add(name) for name in whose], lambda work: share(address, work))
    finally:
        event.remove(engine(address), "commit", fail)
    assert got == whose  # each once more, alone
    assert sorted(names()) == whose
    assert commits == 5


def test_the_right_is_that_of_each_and_not_of_who_writes_for_them() -> None:
    may, may_not = Actor("Olga", None, 0, operator=True), Actor("Nina", None, 0, operator=False)
    actors = {"Anna": may, "Ben": may, "Nobody": may_not, "Chris": may}

    def as_named(name: str) -> Any:
        with acting(actors[name]):
            return write_together(Right.REVIEW, add(name))

    got = at_once(list(actors), as_named)
    assert [got[0], got[1], got[3]] == ["Anna", "Ben", "Chris"]
    assert isinstance(got[2], Forbidden)
    assert sorted(names()) == ["Anna", "Ben", "Chris"]


def test_whoever_waited_long_enough_is_told_so_and_the_next_one_is_served(monkeypatch: pytest.MonkeyPatch) -> None:
    database()
    monkeypatch.setattr(db.engine, "BUSY_TIMEOUT_MS", 200)
    with writing(database()), pytest.raises(OperationalError):
        share(database(), add("Anna"))
    assert share(database(), add("Ben")) == "Ben"
    assert names() == ["Ben"]
