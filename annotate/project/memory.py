"""What a process remembers of the database between questions, so that the same work is not done twice."""

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

from annotate.project.home import database
from db.engine import Address

DATABASES = 8

_Key = TypeVar("_Key")
_Value = TypeVar("_Value")


class Memory(Generic[_Key, _Value]):
    """A dictionary for each database: of the `most` used last, so that a process that turns to another (a copy, a
    test) neither mixes them nor keeps them all. It is empty at first, and forgotten with the process or by `forget`.

    Only committed rows may stand in it, since it is not emptied when rows are added. A mark stands with them that tells
    whether they still hold, such as their last row. Threads may take it and set its keys at any time. Two that miss the
    same key both compute it, unless they take a lock of their own.
    """

    def __init__(self, most: int = DATABASES) -> None:
        self._most = most
        self._kept: dict[Address, dict[_Key, _Value]] = {}
        self._lock = threading.Lock()

    def here(self) -> dict[_Key, _Value]:
        """The dictionary for the database in use."""
        return self.of(database())

    def of(self, address: Address) -> dict[_Key, _Value]:
        """The dictionary for the database at this address."""
        with self._lock:
            found = self._kept.pop(address, {})
            self._kept[address] = found  # the one used last stands last
            while len(self._kept) > self._most:
                del self._kept[next(iter(self._kept))]
            return found

    def forget(self) -> None:
        """Empties the dictionaries of all databases."""
        with self._lock:
            self._kept.clear()


class Latest(Generic[_Value]):
    """One value for each of the `most` databases used last. It is made again once its mark changes, such as its last
    row."""

    def __init__(self, most: int = DATABASES) -> None:
        self._kept: Memory[str, tuple[object, _Value]] = Memory(most)

    def at(self, mark: object, make: Callable[[], _Value]) -> _Value:
        """The value at this mark, made at the first call."""
        kept = self._kept.here()
        found = kept.get("now")
        if found is None or found[0] != mark:
            kept["now"] = found = mark, make()
        return found[1]
