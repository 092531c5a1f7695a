"""Verdicts under kills: processes that store as fast as they can are killed with SIGKILL, again and again.

    python -m tests.measure.kills [--verdicts 50000] [--postgresql] [--json]

Prints how many verdicts were acknowledged, how many of them are lost, stored twice or that nobody sent. What a killed
process had sent without an answer is sent again by the next one, as pages do. Exit code 1: a promise is broken.
"""

import argparse
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path

from tests.support.figures import Line
from tests.support.making import paper, store
from tests.support.oracle import oracle
from tests.support.paths import ROOT
from tests.support.postgres import server

VERDICTS, THREADS = 50_000, 8
LEAST_SECONDS, MOST_SECONDS = 0.5, 12.0  # that a process lives once it stores

# Eight experts, each of whom first sends again what nobody answered, then goes on; one line for each word of it.
WRITER = """
import sys, threading
from annotate.review.verdicts import record
from tests.support.making import verdict
round, threads, unanswered = sys.argv[1], int(sys.argv[2]), sys.argv[3].split(",") if sys.argv[3] else []
record("Anna", 1, [])
lock = threading.Lock()

def say(word, event_id):
    with lock:
        sys.stdout.write(f"{word} {event_id}\\n")
        sys.stdout.flush()

def ids(expert):
    yield from unanswered[expert::threads]
    for number in range(1_000_000):
        yield f"{round}-{expert}-{number:07d}"

def write(expert):
    for event_id in ids(expert):
        number = int(event_id[-7:])
        # Whoever sends an event again sends it in the same name: it is in its id.
        name = f"expert {event_id.split('-')[1]}"
        event = verdict(number % 3, "accept" if number % 2 else "reject") | {"id": event_id}
        say("sent", event_id)
        stored, refused = record(name, 1, [event])
        assert stored == [event_id], refused
        say("stored", event_id)

for expert in range(threads):
    threading.Thread(target=write, args=(expert,)).start()
"""


def run(verdicts: int, *, postgresql: bool = False, seed: int = 0) -> Line:
    """The line of verdicts under kills, in a data folder of its own."""
    before = {name: os.environ.get(name) for name in ("KEYLINE_HOME", "DATABASE_URL")}
    with ExitStack() as stack:
        os.environ["KEYLINE_HOME"] = stack.enter_context(tempfile.TemporaryDirectory())
        os.environ.pop("DATABASE_URL", None)
        if postgresql:
            running = stack.enter_context(server(fsync=True))
            os.environ["DATABASE_URL"] = stack.enter_context(running.database())
        try:
            return _measure(verdicts, random.Random(seed))
        finally:
            os.environ.update({name: value for name, value in before.items() if value is not None})


def _measure(verdicts: int, generator: random.Random) -> Line:
    store(paper(pmid="1"))
    sent: set[str] = set()
    acknowledged: set[str] = set()
    unanswered: list[str] = []
    kills, began = 0, time.monotonic()
    while len(acknowledged) < verdicts:
        said = killed(f"round{kills:04d}", unanswered, generator.uniform(LEAST_SECONDS, MOST_SECONDS))
        sent |= {event_id for word, event_id in said if word == "sent"}
        acknowledged |= {event_id for word, event_id in said if word == "stored"}
        unanswered = sorted(sent - acknowledged)
        kills += 1
    line, found = Line("kills"), oracle(acknowledged, sent)
    line.figures |= {"kills": kills, "acknowledged": len(acknowledged), "stored": found.stored, "lost": found.lost}
    line.figures |= {"doubled": found.doubled, "unasked": found.unasked, "unanswered": len(unanswered)}
    line.figures["seconds"] = round(time.monotonic() - began)
    line.promise(found.complaints == () and not found.doubled, f"the oracle: {found.complaints}")
    return line


def killed(name: str, unanswered: list[str], seconds: float) -> list[tuple[str, str]]:
    """(word, event id) of all that a process said which was killed so long after its first word."""
    with tempfile.TemporaryDirectory() as folder:
        heard, errors = Path(folder) / "heard", Path(folder) / "errors"
        command = [sys.executable, "-c", WRITER, name, str(THREADS), ",".join(unanswered)]
        environment = {**os.environ, "PYTHONPATH": str(ROOT)}
        with heard.open("wb") as out, errors.open("wb") as err:
            process = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=out, stderr=err)
            while heard.stat().st_size == 0 and process.poll() is None:
                time.sleep(0.01)
            time.sleep(seconds)
            ended = process.poll()
            process.send_signal(signal.SIGKILL)
            process.wait()
        if ended is not None or errors.stat().st_size:
            raise RuntimeError(f"it ended by itself: {errors.read_text()[-2000:]}")
        lines = heard.read_text().splitlines(keepends=True)
    return [(word, event_id) for word, event_id in (line.split() for line in lines if line.endswith("\n"))]


def main() -> int:
    """Measures it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--verdicts", type=int, default=VERDICTS)
    parser.add_argument("--postgresql", action="store_true")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    return run(options.verdicts, postgresql=options.postgresql).report(as_json=options.json)


if __name__ == "__main__":
    sys.exit(main())
