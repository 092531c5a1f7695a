"""Work that tests give to engines: what it makes tells in which process, and on which machine, it was made."""

import os
import pickle
import signal
import time
from collections.abc import Iterable, Iterator
from typing import Any

from annotate.engines.engine import Here, Work


class Squares(Work[int, tuple[int, str]]):
    """(square, machine) of numbers, each after some seconds."""

    def __init__(self, seconds: float = 0.0) -> None:
        self.seconds = seconds

    def __call__(self, given: int) -> Iterable[tuple[int, str]]:
        """One of each."""
        import ray

        time.sleep(self.seconds)
        yield given * given, ray.get_runtime_context().get_node_id()


class Counting(Work[int, int]):
    """The numbers below another, in three pieces; it fails at 7, and its process dies at 13."""

    def __call__(self, given: int) -> Iterable[int]:
        """All of them."""
        if given == 7:
            raise ValueError("seven is none of the others")
        if given == 13:
            os.kill(os.getpid(), signal.SIGKILL)
        return range(given)

    def pieces(self, given: int) -> int:
        """Three, however few there are."""
        return 3


class Lenient(Counting):
    """As above; what is lost is -1."""

    def lost(self, given: int, reason: str) -> Iterable[int]:
        """One number in its place."""
        return [-1]


class Elsewhere(Here):
    """An engine that does the work in this process as others do elsewhere: on copies that were sent."""

    here = False

    def map(self, work: Any, inputs: Iterable[Any], *rest: Any, **more: Any) -> Iterator[Any]:
        """All of it, one input after the other."""
        sent = pickle.loads(pickle.dumps(work))
        return super().map(sent, (pickle.loads(pickle.dumps(given)) for given in inputs), *rest, **more)


class Told(Work[int, tuple[int, int]]):
    """(number, the process in which it was told); 7 fails, and 13 ends any process but this one."""

    def __init__(self) -> None:
        self.own = os.getpid()

    def __call__(self, given: int) -> Iterable[tuple[int, int]]:
        """One of each."""
        if given == 7:
            raise ValueError("seven is none of the others")
        if given == 13 and os.getpid() != self.own:
            os.kill(os.getpid(), signal.SIGKILL)
        yield given, os.getpid()


class Sleeping(Work[int, int]):
    """Nothing, after so many seconds."""

    def __call__(self, given: int) -> Iterable[int]:
        """None."""
        time.sleep(given)
        return ()
