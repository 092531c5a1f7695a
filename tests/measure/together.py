"""Writers without pause, each in a transaction of its own and in shared ones, in turns: docs/reliability.md, L2 and L3.

    python -m tests.measure.together [--database postgresql] [--writers 8] [--seconds 5] [--turns 4]

Threads of one process, as in the app. Prints verdicts a second and processor milliseconds a verdict, of each turn.
"""

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from typing import Any

import annotate.review.verdicts
from annotate.project.home import write, write_together
from annotate.project.rights import Right
from tests.measure.load import Experts
from tests.measure.load_postgresql import click_without_pause
from tests.support.figures import milliseconds
from tests.support.making import paper, store
from tests.support.oracle import oracle
from tests.support.postgres import server


def write_each_alone(right: Right, work: Any) -> Any:
    """As every other write: nothing is shared."""
    with write(right) as session:
        return work(session)


WAYS = {"alone": write_each_alone, "together": write_together}


@contextmanager
def postgresql() -> Iterator[str]:
    """The address of an empty database on a server of its own, with fsync."""
    with server(fsync=True) as running, running.database() as url:
        yield url


def one_turn(way: str, writers: int, seconds: float) -> Experts:
    """What so many writers did in so many seconds."""
    annotate.review.verdicts.write_together = WAYS[way]
    experts, begun, spent = Experts(), time.monotonic() + 0.1, time.process_time()
    experts.run(lambda index: click_without_pause(experts, index, seconds, begun), writers)
    cpu = (time.process_time() - spent) * 1_000 / len(experts.acknowledged)
    figures = {"per_second": round(len(experts.acknowledged) / seconds), "cpu_ms": round(cpu, 2)}
    print(f"{way:9} {figures | milliseconds(experts.seconds)}, load {os.getloadavg()[0]:.1f}", flush=True)
    return experts


def main() -> int:
    """Measures it; 1 where a promise is broken."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--database", choices=("sqlite", "postgresql"), default="postgresql")
    parser.add_argument("--writers", type=int, default=8)
    parser.add_argument("--seconds", type=float, default=5.0)
    parser.add_argument("--turns", type=int, default=4)
    options = parser.parse_args()
    opened = postgresql() if options.database == "postgresql" else nullcontext("")
    with opened as url, tempfile.TemporaryDirectory() as folder:
        os.environ |= {"KEYLINE_HOME": folder, "DATABASE_URL": url}
        store(paper(pmid="1"))
        done = [one_turn(way, options.writers, options.seconds) for _ in range(options.turns) for way in WAYS]
        found = oracle([x for each in done for x in each.acknowledged], [x for each in done for x in each.sent])
    errors = [error for each in done for error in each.errors]
    print(f"lost {found.lost}, doubled {found.doubled + found.unasked}, errors {len(errors)}, {found.complaints}")
    return int(bool(errors or found.complaints))


if __name__ == "__main__":
    sys.exit(main())
