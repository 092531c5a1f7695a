"""What an engine is given to do, what every engine promises, and the one that is there always: this process."""

from collections.abc import Callable, Iterable, Iterator
from typing import Generic, Protocol, TypeVar

Given = TypeVar("Given")
Made = TypeVar("Made")
# What work may fail with while its process goes on; any other error ends the process.
FAILURES = (ValueError, LookupError, OSError, RuntimeError, ArithmeticError, MemoryError)


class NoEngine(RuntimeError):
    """An engine that is not installed, cannot be reached, or has nothing to work with."""


class LostWork(RuntimeError):
    """The result for an input did not arrive after all tries: its process ended each time."""


class Work(Generic[Given, Made]):
    """The work on each of many inputs: its result depends on nothing but the input, so that it can be done elsewhere,
    and again.

    An engine that works elsewhere pickles it before its first call; there it stays in a process for all inputs which
    that process gets, so that it may keep what it loads. It asks no database and stores nothing.
    """

    cores = 1  # of one process, at most
    uses_gpu = False  # of its own, where there are any
    again = True  # what ends with a process is tried once more
    place = ""  # of its process, such as a device; "" for the first one there is

    def begin(self) -> None:
        """Loads what each input needs; called once in each process elsewhere, while nothing else is done there."""

    def __call__(self, given: Given) -> Iterable[Made]:
        """The results for an input, the same each time."""
        raise NotImplementedError

    def pieces(self, given: Given) -> int:
        """In how many pieces that is sent, so that one of them fits into memory with ease."""
        return 1

    def lost(self, given: Given, reason: str) -> Iterable[Made]:
        """What stands for an input whose work was lost; by default it raises LostWork."""
        raise LostWork(f"{reason}; what was stored stays, and the next try goes on from there")


class Engine(Protocol):
    """Where work is done."""

    @property
    def here(self) -> bool:
        """Whether the work is done in this process, one input after the other."""
        ...

    def map(
        self,
        work: Work[Given, Made],
        inputs: Iterable[Given],
        cancelled: Callable[[], bool] = lambda: False,
        *,
        ordered: bool = True,
    ) -> Iterator[Made]:
        """Yields what the work makes of the inputs, in their order, or each as it is done.

        Inputs are taken only as there is room for them, so that memory stays bounded. What ends with a process or a
        machine is done again elsewhere. `cancelled` is asked at least twice a second and may raise; once it says so, or
        the caller takes no more, begun work is dropped. Raises what the work raises, LostWork and NoEngine.
        """
        ...


class Here:
    """The engine that is there always: does one input after the other in this process."""

    here = True

    def map(
        self,
        work: Work[Given, Made],
        inputs: Iterable[Given],
        cancelled: Callable[[], bool] = lambda: False,
        *,
        ordered: bool = True,
    ) -> Iterator[Made]:
        """The results of the work for each input, as `Engine.map`; `cancelled` is asked between two inputs."""
        waiting = iter(inputs)
        while not cancelled():
            try:
                given = next(waiting)
            except StopIteration:
                return
            yield from work(given)


HERE = Here()
