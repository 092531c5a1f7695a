"""The engine of large imports and of studies on a machine of several cores: child processes, which end with this one.

Not concurrent.futures.ProcessPoolExecutor: its processes share one pipe. One that is killed while it writes leaves the
pipe locked, or half a message that is waited for without end. Here each has a pipe of its own.
"""

import gc
import multiprocessing
import pickle
import signal
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from itertools import islice
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from queue import Empty, SimpleQueue
from threading import Lock
from typing import Any, Self

from annotate.engines.engine import FAILURES, Given, Made, Work

POLL_SECONDS = 0.2
# Inputs under way for each process: one that is being done, and one that waits for it or is done.
AHEAD = 2
# After this many deaths of processes the rest is done here.
LIVES = 3
DIED = "its process ended without a word"
JOIN_SECONDS = 5


class ChildProcesses:
    """`count` processes, or one for each of the places, begun when needed, killed when the block ends.

    Work that they fail at is done here; what is not to be tried again is lost with its process, which is replaced.
    """

    here = False

    def __init__(self, count: int, places: Sequence[str] = ()) -> None:
        self.count = len(places) or count
        self._threads = ThreadPoolExecutor(self.count, "beside")  # each waits for the process that it has taken
        self._idle: SimpleQueue[Child] = SimpleQueue()
        self._free = deque(places or [""] * count)  # places without a process
        self._started: list[Child] = []
        self._lives = LIVES
        self._lock = Lock()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        with self._lock:  # none is begun behind it
            self._lives = 0
            for helper in self._started:
                helper.process.kill()  # which ends its thread's wait
        self._threads.shutdown(cancel_futures=True)
        for helper in self._started:
            helper.end()

    def map(
        self,
        work: Work[Given, Made],
        inputs: Iterable[Given],
        cancelled: Callable[[], bool] = lambda: False,
        *,
        ordered: bool = True,
    ) -> Iterator[Made]:
        """The results as `Engine.map`. Work that fails is done here again, and raises its error."""
        sent, waiting = pickle.dumps(work), iter(inputs)
        flying: deque[tuple[Given, Future[bytes]]] = deque()
        while True:
            for given in islice(waiting, AHEAD * self.count - len(flying)):
                flying.append((given, self._threads.submit(self._asked, sent, given, again=work.again)))
            landed = _landed(flying, cancelled, ordered=ordered)
            if landed is None:
                return
            flying.remove(landed)
            given, future = landed
            if made := future.result():
                yield from pickle.loads(made)
            else:
                yield from work(given) if work.again else work.lost(given, DIED)

    def _asked(self, sent: bytes, given: Any, *, again: bool) -> bytes:
        """In a thread: what a process makes of an input, pickled; nothing where it failed or died."""
        helper = self._taken()
        if helper is None:
            return b""
        try:
            helper.pipe.send((sent, given))
            made = helper.pipe.recv_bytes()
        except (EOFError, OSError):  # it was killed, or ran out of memory
            with self._lock:
                self._lives -= int(again)
                self._free.append(helper.place)
            return b""
        self._idle.put(helper)
        return made

    def _taken(self) -> "Child | None":
        try:
            return self._idle.get_nowait()
        except Empty:
            pass
        with self._lock:
            if self._lives <= 0:
                return None
            try:
                self._started.append(Child(self._free.popleft()))
            except OSError:  # no process can be begun now
                self._lives = 0
                return None
            return self._started[-1]


class Child:
    """A process in a place that does work, and the other end of its pipe."""

    def __init__(self, place: str) -> None:
        self.place = place
        context = multiprocessing.get_context("spawn")  # neither threads nor CUDA survive a fork
        self.pipe, other = context.Pipe()
        with other:
            self.process: BaseProcess = context.Process(target=_serve, args=(other, place), daemon=True)
            self.process.start()

    def end(self) -> None:
        """Nothing is left of it."""
        self.process.kill()
        self.process.join(JOIN_SECONDS)
        self.pipe.close()


def _landed(
    flying: deque[tuple[Given, Future[bytes]]], cancelled: Callable[[], bool], *, ordered: bool
) -> tuple[Given, Future[bytes]] | None:
    """The next one that is done, waited for; None where there is none, or it is no longer wanted."""
    while flying and not cancelled():
        looked_at = {one[1]: one for one in islice(flying, 1 if ordered else None)}
        if done := wait(looked_at, POLL_SECONDS, FIRST_COMPLETED).done:
            return looked_at[done.pop()]
    return None


def _serve(pipe: Connection, place: str) -> None:
    """The life of a process: does the work that comes through the pipe until its other end is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the process that began this one, which ends it
    kept: dict[bytes, Work[Any, Any]] = {}
    try:
        while True:
            sent, given = pipe.recv()
            if sent not in kept:
                kept = {sent: pickle.loads(sent)}
                kept[sent].place = place
                kept[sent].begin()
                gc.freeze()  # loaded objects stay: searching them again and again takes a twelfth of the work
            pipe.send_bytes(_made(kept[sent], given))
    except (EOFError, OSError):
        return


def _made(work: Work[Any, Any], given: Any) -> bytes:
    try:
        return pickle.dumps(list(work(given)), pickle.HIGHEST_PROTOCOL)
    except FAILURES:  # it comes again, in its own words, where the work is done once more
        return b""
