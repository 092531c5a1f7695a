"""The engine that works on a Ray cluster, or in processes of this machine that Ray begins. Imports ray.

Plain tasks and a window of them, not Ray Data: inputs come from a database that only this process reads, and go back to
it. Not its streaming generators: what they yield is lost for good in some deaths of a worker (ray issues 39109, 54529).
"""

import logging
import math
import os
import platform
import socket
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any
from uuid import uuid4

import ray
from ray.exceptions import RayError, RayTaskError

from annotate.engines.engine import Given, Made, NoEngine, Work
from annotate.project.home import home
from annotate.project.release import release

POLL_SECONDS = 0.5
# Inputs under way for each process that can work: one that is being done, and one that waits for it.
AHEAD = 2
# A block that ends with its process is done this often again; more would hide a block that kills each process that
# takes it.
RETRIES = 3
# Ray itself tries for more than five minutes where no cluster answers.
CONNECT_SECONDS = 10
# Memory for data on its way, on a cluster of only this machine: Ray would take a third of the memory.
LOCAL_STORE_BYTES = 512 << 20


@dataclass(frozen=True, slots=True)
class _Call:
    """The work as a process elsewhere gets it: a reference to it, fetched once a process, and where it belongs."""

    name: str
    work: list[Any]  # within a list Ray hands over the reference itself
    home: str
    release: str


@dataclass(frozen=True, slots=True, eq=False)
class _Flight:
    """One input under way, and references to the pieces of its result."""

    given: Any
    pieces: list[Any]


class OnRay:
    """Ray at this address, HOST:PORT or "auto"; without one, in processes of this machine that end with this one."""

    here = False

    def __init__(self, address: str = "") -> None:
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # it would tell its makers of every cluster
        os.environ.setdefault("RAY_IGNORE_UNHANDLED_ERRORS", "1")  # of work that is no longer wanted
        own: dict[str, Any] = {"include_dashboard": False, "object_store_memory": LOCAL_STORE_BYTES}
        try:
            if address:
                _reach(address)
            ray.init(
                address=address or "local",
                namespace="keyline",
                logging_level=logging.ERROR,
                log_to_driver=False,
                **({} if address else own),
            )
        except (OSError, RuntimeError, ValueError, RayError) as error:
            where = f"at {address}" if address else "on this machine"
            raise NoEngine(f"Ray {where} cannot be used: {error}") from error

    def close(self) -> None:
        """Leaves the cluster, which drops what this process asked of it, or ends it where it is this process's own."""
        ray.shutdown()

    def map(
        self,
        work: Work[Given, Made],
        inputs: Iterable[Given],
        cancelled: Callable[[], bool] = lambda: False,
        *,
        ordered: bool = True,
    ) -> Iterator[Made]:
        """The results of the work for each input on the cluster, as `Engine.map`."""
        begin, flying, waiting = self._beginning(work), deque[_Flight](), iter(inputs)
        try:
            while True:
                room = max(0, _room(work) - len(flying))  # less than before where a machine went
                flying.extend(map(begin, islice(waiting, room)))
                landed = _landed(flying, cancelled, ordered=ordered)
                if landed is None:
                    return
                flying.remove(landed)
                yield from _made(work, landed)
        finally:
            _drop(flying)

    def _beginning(self, work: Work[Given, Made]) -> Callable[[Given], _Flight]:
        """A function that begins the work on an input."""
        call = _Call(uuid4().hex, [ray.put(work)], str(home()), release())
        gpu = _resources().get("GPU", 0) if work.uses_gpu else 0
        options = {"num_gpus": 1} if gpu else {}
        # A process is kept for the next input, also one that holds a GPU: it has loaded what the work needs.
        task = ray.remote(num_cpus=_cores(work), max_retries=RETRIES, max_calls=0, **options)(_do)

        def begin(given: Given) -> _Flight:
            pieces = work.pieces(given)
            found = task.options(num_returns=pieces, scheduling_strategy="SPREAD").remote(call, given, pieces)
            return _Flight(given, found if pieces > 1 else [found])

        return begin


def _reach(address: str) -> None:
    """Raises OSError where no cluster answers there, ValueError for no address; Ray itself looks "auto" up."""
    host, _, port = address.rpartition(":")
    if host and port.isdecimal():
        socket.create_connection((host, int(port)), CONNECT_SECONDS).close()
    elif address != "auto":
        raise ValueError('an address is HOST:PORT, or "auto" on a machine of the cluster')


def _resources() -> dict[str, float]:
    return dict(ray.cluster_resources())


def _cores(work: Work[Any, Any]) -> int:
    """Cores of one process, as every machine has them: what was lost with one is done on another."""
    counts = [int(node["Resources"].get("CPU", 0)) for node in ray.nodes() if node["Alive"]]
    return max(1, min([work.cores, *filter(None, counts)]))


def _room(work: Work[Any, Any]) -> int:
    """How many inputs may be under way now; machines come and go."""
    there = _resources()
    at_once = int(there.get("GPU", 0) if work.uses_gpu else 0) or int(there.get("CPU", 0)) // _cores(work)
    if not at_once:
        raise NoEngine("no machine of the Ray cluster has a core to work with")
    return AHEAD * at_once


def _landed(flying: deque[_Flight], cancelled: Callable[[], bool], *, ordered: bool) -> _Flight | None:
    """The next one that is done, waited for; None where there is none, or it is no longer wanted."""
    while flying and not cancelled():
        looked_at = {flight.pieces[0]: flight for flight in islice(flying, 1 if ordered else None)}
        ready, _ = ray.wait([*looked_at], num_returns=1, timeout=POLL_SECONDS)
        if ready:
            return looked_at[ready[0]]
    return None


def _made(work: Work[Given, Made], landed: _Flight) -> Iterator[Made]:
    while landed.pieces:
        try:
            made = ray.get(landed.pieces.pop(0))
        except RayTaskError as error:
            raise error.cause from None  # as it was raised there: Ray's own words hold a traceback
        except RayError as error:
            made = work.lost(landed.given, f"its process ended without a word ({type(error).__name__})")
            landed.pieces.clear()
        yield from made


def _drop(flying: Iterable[_Flight]) -> None:
    if ray.is_initialized():  # else all of it has ended, and to ask would begin a new cluster
        for flight in flying:
            ray.cancel(flight.pieces[0], force=True)


_kept: dict[str, Work[Any, Any]] = {}  # in a process elsewhere: the work that it is on


def _do(call: _Call, given: Any, pieces: int) -> Any:
    """In a process elsewhere: what the work makes of an input, in `pieces` pieces of about the same size."""
    made = list(_work_of(call)(given))
    if pieces == 1:
        return made
    size = math.ceil(len(made) / pieces)
    return tuple(made[number * size : (number + 1) * size] for number in range(pieces))


def _work_of(call: _Call) -> Work[Any, Any]:
    if call.name not in _kept:
        if (own := release()) != call.release:
            raise NoEngine(f"{platform.node()} has Keyline {own}, not {call.release}: use the same release everywhere")
        os.environ["KEYLINE_HOME"] = call.home
        _kept.clear()
        _kept[call.name] = ray.get(call.work[0])
        _kept[call.name].begin()
    return _kept[call.name]
