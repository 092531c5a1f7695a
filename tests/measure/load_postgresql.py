"""Load on PostgreSQL, L3 of docs/reliability.md: 200 experts at 100 verdicts a second, then eight who never pause.

    python -m tests.measure.load_postgresql [--seconds 600] [--processes 8] [--json]

The server is started for it, with fsync and else its defaults. The writers take half of the seconds, one writer alone a
quarter. Exit codes as of tests/measure/load.py.
"""

import argparse
import multiprocessing
import os
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from multiprocessing.pool import Pool

import psutil

from annotate.review.verdicts import record
from tests.measure.load import EVERY, Experts
from tests.support.figures import Line, milliseconds
from tests.support.making import paper, store
from tests.support.oracle import oracle
from tests.support.postgres import Server, server

SECONDS = 60.0
EXPERTS, WRITERS = 200, 8

Clicks = tuple[list[str], list[str], list[str], list[float], float]  # sent, acknowledged, errors, seconds, CPU seconds
Work = Callable[[Experts, int, float, float], None]


def run(seconds: float = SECONDS, processes: int = WRITERS) -> Line:
    """The line L3, measured on a server of its own; whoever clicks is a thread of one of so many processes."""
    before = {name: os.environ.get(name, "") for name in ("KEYLINE_HOME", "DATABASE_URL")}
    with server(fsync=True) as running, running.database() as url, tempfile.TemporaryDirectory() as folder:
        os.environ.update({"KEYLINE_HOME": folder, "DATABASE_URL": url})
        try:
            return _measure(running, seconds, processes)
        finally:
            os.environ.update(before)


def _measure(running: Server, seconds: float, processes: int) -> Line:
    store(paper(pmid="1"))
    with multiprocessing.get_context("spawn").Pool(processes) as pool:
        pool.map(_open, range(processes), chunksize=1)
        experts, _ = _together(pool, click_in_time, processes, EXPERTS // processes, seconds)
        before = _cpu_of(running)
        alone, own = _together(pool, click_without_pause, 1, 1, seconds / 4)
        cpu = {"writer_cpu_ms": own, "server_cpu_ms": _cpu_of(running) - before}
        writers, _ = _together(pool, click_without_pause, processes, WRITERS // processes, seconds / 2)
    line, parts = Line("L3"), (experts, alone, writers)
    found = oracle([x for part in parts for x in part.acknowledged], [x for part in parts for x in part.sent])
    errors = [error for part in parts for error in part.errors]
    line.figures |= {"processes": processes, "verdicts": found.stored, "lost": found.lost}
    line.figures |= {"doubled": found.doubled + found.unasked, "errors": len(errors)}
    line.promise(not errors, f"{len(errors)} errors, the first: {errors[:1]}")
    line.promise(found.complaints == (), f"the oracle: {found.complaints}")
    line.figures |= {"experts_per_second": round(len(experts.acknowledged) / seconds), **milliseconds(experts.seconds)}
    line.limit("p99_ms", line.figures["p99_ms"], 200)
    line.figures["one_writer_per_second"] = round(len(alone.acknowledged) / (seconds / 4))
    # What a verdict costs, which a busy machine changes less than how long it takes.
    line.figures |= {name: round(spent / len(alone.acknowledged) * 1_000, 2) for name, spent in cpu.items()}
    line.figures |= {f"saturated_{name}": value for name, value in milliseconds(writers.seconds).items()}
    line.least("saturated_per_second", len(writers.acknowledged) / (seconds / 2), 500)
    return line


def _open(_: int) -> None:
    """The first call of a process, which imports and connects. Measured is a server that has been up for a while."""
    record("Warm", 1, [])
    time.sleep(1)  # until each process of the pool has taken one


def _cpu_of(running: Server) -> float:
    """Seconds of processor time that the server's processes have taken, those that ended left out."""
    assert running.process is not None
    main = psutil.Process(running.process.pid)
    return sum(sum(each.cpu_times()[:2]) for each in (main, *main.children()))


def _together(pool: Pool, work: Work, processes: int, threads: int, seconds: float) -> tuple[Experts, float]:
    """What so many threads in each of so many processes did together, and their processor time in seconds."""
    begin = time.time() + 0.5
    parts = pool.map(partial(_in_one_process, work, threads, seconds, begin), range(processes), chunksize=1)
    together = Experts()
    for part in parts:
        lists = (together.sent, together.acknowledged, together.errors, together.seconds)
        for gathered, some in zip(lists, part[:4], strict=True):
            gathered.extend(some)
    return together, sum(part[4] for part in parts)


def _in_one_process(work: Work, threads: int, seconds: float, begin: float, process: int) -> Clicks:
    experts = Experts()
    begun, spent = time.monotonic() + begin - time.time(), time.process_time()
    experts.run(lambda thread: work(experts, process * threads + thread, seconds, begun), threads)
    return experts.sent, experts.acknowledged, experts.errors, experts.seconds, time.process_time() - spent


def click_in_time(experts: Experts, index: int, seconds: float, begun: float) -> None:
    """One expert: a verdict in two seconds, at a moment of its own, counted from when it was due."""
    for number in range(int(seconds / EVERY)):
        due = begun + number * EVERY + index * EVERY / EXPERTS
        time.sleep(max(0.0, due - time.monotonic()))
        experts.click(f"expert {index}", number, due)


def click_without_pause(experts: Experts, index: int, seconds: float, begun: float) -> None:
    """One writer: a verdict as soon as the one before is acknowledged."""
    time.sleep(max(0.0, begun - time.monotonic()))
    number = 0
    while (now := time.monotonic()) < begun + seconds:
        experts.click(f"writer {index}", number, now)
        number += 1


def main() -> int:
    """Measures it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=SECONDS)
    parser.add_argument("--processes", type=int, default=WRITERS, choices=(1, 2, 4, 8))
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    return run(options.seconds, options.processes).report(as_json=options.json)


if __name__ == "__main__":
    sys.exit(main())
