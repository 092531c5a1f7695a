"""What seals cost a save, and how long a proof of the history takes.

    python -m tests.measure.seals [--saves 2000] [--rows 100000] [--postgresql] [--json]

Verdicts are saved one by one, by turns with and without the notes for seals, on SQLite or on a PostgreSQL server of
their own, with fsync. Then so many rows are stored, sealed and proven. Exit code 1: a promise is broken.
"""

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

import numpy as np
from sqlalchemy import Engine, event

import db.operations.seals
import db.rows
from annotate.operations.sealing import seal_all, verify
from annotate.project.home import write
from annotate.project.rights import Right
from annotate.review.verdicts import record
from db.base import utc_now
from db.tables import Verdict
from tests.support.figures import Line
from tests.support.making import paper, query, store, verdict
from tests.support.postgres import server

TURN = 100  # saves with notes, then as many without
NOTING = (("before_execute", db.operations.seals._note), ("commit", db.operations.seals._note_new))


def saves(line: Line, number: int) -> None:
    """The times of saves with and without notes, by turns."""
    seconds: dict[bool, list[float]] = {True: [], False: []}
    for turn in range(2 * number // TURN):
        noted = turn % 2 == 0
        if not noted:
            for name, listener in NOTING:
                event.remove(Engine, name, listener)
        for place in range(TURN):
            begun = time.perf_counter()
            record("Anna", 1, [verdict(place % 3, "reject")])
            seconds[noted].append(time.perf_counter() - begun)
        if not noted:
            for name, listener in NOTING:
                event.listen(Engine, name, listener)
    for noted, name in ((True, "with"), (False, "without")):
        for share in (50, 99):
            line.figures[f"p{share}_ms_{name}"] = round(float(np.percentile(seconds[noted], share)) * 1000, 3)


def proof(line: Line, number: int) -> None:
    """The times of sealing and of proving so many rows, and the longest that sealing keeps writers waiting."""
    (article, sentence, annotator) = query("SELECT article_id, id, 1 FROM sentence ORDER BY id LIMIT 1")[0]
    own = {"article_id": article, "sentence_id": sentence, "annotator_id": annotator, "given_at": utc_now()}
    row = own | {
        "value": "accept",
        "origin": "proposed",
        "rank": 1,
        "cosine": 0.25,
        "ranking": "hybrid",
        "version": "v1",
    }
    begun = time.perf_counter()
    with write(Right.SYSTEM) as session:
        db.rows.add_all(session, Verdict, [row | {"event_id": f"measured-{place:08d}"} for place in range(number)])
    line.figures["stored_s"] = round(time.perf_counter() - begun, 2)
    begun = time.perf_counter()
    with write(Right.SYSTEM) as session:
        db.operations.seals.seal_some(session)
    line.figures["one_piece_ms"] = round((time.perf_counter() - begun) * 1000, 1)
    seal_all()
    line.figures["sealed_s"] = round(time.perf_counter() - begun, 2)
    begun = time.perf_counter()
    found = verify()
    line.figures |= {"rows": found["rows"], "proven_s": round(time.perf_counter() - begun, 2)}
    line.promise(found["holds"], found.get("problem", ""))


@contextmanager
def project(*, postgresql: bool) -> Iterator[None]:
    """A project of its own, with one article and one verdict."""
    with ExitStack() as open_:
        os.environ["KEYLINE_HOME"] = open_.enter_context(tempfile.TemporaryDirectory())
        os.environ.pop("DATABASE_URL", None)
        if postgresql:
            running = open_.enter_context(server(fsync=True))
            os.environ["DATABASE_URL"] = open_.enter_context(running.database())
        store(paper(pmid="1"))
        record("Anna", 1, [verdict(1)])
        yield


def main() -> int:
    """Runs from the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--saves", type=int, default=2_000)
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--postgresql", action="store_true")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    line = Line("seals")
    with project(postgresql=options.postgresql):
        saves(line, options.saves)
    with project(postgresql=options.postgresql):
        proof(line, options.rows)
    return line.report(as_json=options.json)


if __name__ == "__main__":
    sys.exit(main())
