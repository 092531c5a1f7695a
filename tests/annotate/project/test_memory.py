"""What is remembered: of each database apart, of the ones used last, until it is forgotten."""

import threading
from pathlib import Path

import pytest

from annotate.project.home import database
from annotate.project.memory import DATABASES, Memory


def test_what_is_remembered_of_a_database_is_there_again_and_forgotten_at_once(home):
    memory: Memory[str, int] = Memory()
    assert memory.here() == {}
    memory.here()["articles"] = 3
    assert memory.here() == memory.of(database()) == {"articles": 3}
    memory.forget()
    assert memory.here() == {}


@pytest.mark.sqlite("another data folder is another database; on PostgreSQL the address alone says which")
def test_two_memories_and_two_databases_are_kept_apart(home, monkeypatch, tmp_path):
    memory: Memory[str, int] = Memory()
    other: Memory[str, int] = Memory()
    memory.here()["articles"] = 3
    first = database()
    monkeypatch.setenv("KEYLINE_HOME", str(tmp_path / "another"))
    assert (memory.here(), other.here(), other.of(first)) == ({}, {}, {})
    memory.here()["articles"] = 5
    assert (memory.of(first), memory.here()) == ({"articles": 3}, {"articles": 5})


@pytest.mark.parametrize("most", [1, 3, DATABASES])
def test_of_many_databases_those_used_last_are_remembered(most):
    memory: Memory[str, int] = Memory(most)
    addresses = [Path(f"/{number}.sqlite") for number in range(most + 1)]
    for number, address in enumerate(addresses[:most]):
        memory.of(address)["number"] = number
    memory.of(addresses[0])  # used again: the second one is now the one that was not used for longest
    memory.of(addresses[most])["number"] = most
    gone = addresses[1] if most > 1 else addresses[0]
    kept = {address: memory._kept.get(address) for address in addresses}
    assert kept == {a: None if a == gone else {"number": n} for n, a in enumerate(addresses)}


def test_whoever_holds_what_was_forgotten_may_go_on_with_it():
    memory: Memory[str, int] = Memory(1)
    held = memory.of(Path("/a.sqlite"))
    memory.of(Path("/b.sqlite"))
    held["number"] = 1
    assert held == {"number": 1}
    assert memory.of(Path("/a.sqlite")) == {}


def test_threads_that_ask_at_once_get_the_same_dictionary():
    memory: Memory[int, int] = Memory()
    start = threading.Barrier(8)
    got: list[dict[int, int]] = []

    def ask(number: int) -> None:
        start.wait()
        for _ in range(200):
            memory.of(Path("/a.sqlite"))[number] = number
        got.append(memory.of(Path("/a.sqlite")))

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({id(each) for each in got}) == 1
    assert got[0] == {number: number for number in range(8)}
