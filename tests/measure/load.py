"""Load on the database, beside the figures of docs/reliability.md: L1 experts beside an import and a training, L2 as
many verdicts as go, L5 a large project.

    python -m tests.measure.load L1 [--seconds 600] [--json]

Each makes a data folder of its own. Exit code 1: a promise is broken; 3: a figure is beyond the bar, which on a busy
machine says little.
"""

import argparse
import multiprocessing
import os
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing.synchronize import Event
from pathlib import Path

import numpy as np

from annotate.project.home import database, read
from annotate.review.verdicts import record
from db.engine import DATABASE_ERRORS
from tests.support.figures import Line, milliseconds
from tests.support.making import paper, query, store, verdict
from tests.support.oracle import oracle

SECONDS = {"L1": 60.0, "L2": 30.0, "L5": 60.0}
EXPERTS, EVERY = 50, 2.0  # verdicts of one expert come so many seconds apart
WRITERS = 8
IMPORT_EVERY, IMPORT_ARTICLES, IMPORT_SENTENCES = 0.5, 10, 50
ARTICLES, SENTENCES, JUDGED, VERDICTS = 1_000, 200, 800, 125
DIMENSION, K = 384, 50
HANDED_OUT = 100
WAL_BYTES = 64_000_000


class Experts:
    """Threads that give verdicts on article 1: what was sent and acknowledged, what failed, and how long it took."""

    def __init__(self) -> None:
        self.sent: list[str] = []
        self.acknowledged: list[str] = []
        self.errors: list[str] = []
        self.seconds: list[float] = []

    def click(self, name: str, number: int, due: float) -> None:
        """One verdict; its time counts from when it was due, so that a late one does not hide behind the one before."""
        event = verdict(number % 3, "accept" if number % 2 else "reject")
        self.sent.append(event["id"])
        try:
            self.acknowledged += record(name, 1, [event])[0]
        except DATABASE_ERRORS as error:
            self.errors.append(str(error))
        self.seconds.append(time.monotonic() - due)

    def run(self, work: Callable[[int], None], number: int) -> None:
        """Runs so many of them at once."""
        threads = [threading.Thread(target=work, args=(index,)) for index in range(number)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    def judge(self, line: Line) -> None:
        """The promises: nothing lost, nothing doubled, no error."""
        found = oracle(self.acknowledged, self.sent)
        line.figures |= {
            "verdicts": len(self.acknowledged),
            "lost": found.lost,
            "doubled": found.doubled + found.unasked,
            "lock_errors": len(self.errors),
            "complaints": len(found.complaints),
            **milliseconds(self.seconds),
        }
        line.promise(not self.errors, f"{len(self.errors)} errors, the first: {self.errors[:1]}")
        line.promise(found.complaints == (), f"the oracle: {found.complaints}")


def l1(seconds: float, number: int = EXPERTS) -> Line:
    """So many experts, one verdict in 2 s each, beside an import of 1,000 sentences a second and a training's load."""
    store(paper(pmid="1"))
    experts, line = Experts(), Line("L1")
    with beside(import_on), beside(burn):
        begun = time.monotonic()

        def work(index: int) -> None:
            for click in range(int(seconds / EVERY)):
                due = begun + click * EVERY + index * EVERY / number
                time.sleep(max(0.0, due - time.monotonic()))
                experts.click(f"expert {index}", click, due)

        experts.run(work, number)
    experts.judge(line)
    line.figures["sentences_imported"] = query("SELECT count(*) FROM sentence")[0][0]
    line.promise(line.figures["verdicts"] == number * int(seconds / EVERY), "not every verdict was acknowledged")
    line.promise(line.figures["sentences_imported"] > 3, "nothing was imported meanwhile")
    line.limit("p99_ms", line.figures["p99_ms"], 250)
    line.limit("max_ms", line.figures["max_ms"], 2_000)
    return line


def l2(seconds: float) -> Line:
    """Eight writers without pause, after one alone for a third of the time."""
    store(paper(pmid="1"))
    line, alone, experts = Line("L2"), Experts(), Experts()
    counts = [0] * WRITERS

    def saturate(given: Experts, index: int, most: float) -> None:
        until = time.monotonic() + most
        while (now := time.monotonic()) < until:
            given.click(f"writer {index}", counts[index], now)
            counts[index] += 1

    saturate(alone, 0, seconds / 3)
    one = len(alone.acknowledged) / (seconds / 3)
    counts[0] = 0
    experts.run(lambda index: saturate(experts, index, seconds), WRITERS)
    experts.acknowledged += alone.acknowledged
    experts.sent += alone.sent
    experts.judge(line)
    rate = sum(counts) / seconds
    line.figures |= {"one_writer_per_second": round(one), "slowest_writer": min(counts), "fastest_writer": max(counts)}
    line.promise(rate >= 0.4 * one, f"{rate:.0f}/s is less than 0.4 of one writer's {one:.0f}/s")
    line.promise(min(counts) >= np.mean(counts) / 2, f"one writer starved: {counts}")
    line.least("per_second", rate, 150)
    line.limit("max_ms", line.figures["max_ms"], 1_000)
    return line


# --- What runs beside ---


@contextmanager
def beside(work: Callable[[Event], None]) -> Iterator[None]:
    """Runs `work` in another process until the block ends; waits until it has begun."""
    context = multiprocessing.get_context("spawn")
    begun, stop = context.Event(), context.Event()
    process = context.Process(target=work, args=(begun, stop))
    process.start()
    assert begun.wait(120)
    try:
        yield
    finally:
        stop.set()
        process.join(30)
        if process.exitcode != 0:
            process.kill()
            raise RuntimeError(f"{work.__name__} ended with {process.exitcode}")


def import_on(begun: Event, stop: Event) -> None:
    """Imports 500 sentences every half second, as the import job does."""
    words = [
        f"The sample number {number} was washed in buffer and measured twice." for number in range(IMPORT_SENTENCES)
    ]
    begun.set()
    due, pmid = time.monotonic(), 1_000
    while not stop.is_set():
        store(*(paper(words, pmid=str(pmid + number)) for number in range(IMPORT_ARTICLES)))
        pmid, due = pmid + IMPORT_ARTICLES, due + IMPORT_EVERY
        stop.wait(max(0.0, due - time.monotonic()))


def burn(begun: Event, stop: Event) -> None:
    """What a training does to the machine: products of matrices without pause, at the niceness of a job."""
    os.nice(10)
    matrix = np.random.default_rng(0).normal(size=(512, 512)).astype(np.float32)
    begun.set()
    while not stop.is_set():
        matrix = matrix @ matrix
        matrix /= np.abs(matrix).max()


# --- A large project ---


def large_project(articles: int = ARTICLES, judged: int = JUDGED) -> int:
    """Articles of 200 sentences, the first ones judged by 125 verdicts each, with features and a base head; returns
    how many verdicts there are."""
    import db.proposing
    from annotate.active_learning.heads import store_base
    from annotate.project.home import write
    from annotate.project.rights import Right
    from annotate.project.stored_settings import change_settings
    from annotate.proposing.encoder_versions import find_version
    from annotate.review.queue_settings import QueueSettings
    from model.active_learning.head import COLUMNS
    from tests.measure.live import store_rows
    from tests.support.making import propose_with
    from tests.support.reviewed import Review, write_pool, write_reviews

    generator = np.random.default_rng(0)
    order = [generator.permutation(SENTENCES)[:K].tolist() for _ in range(articles)]
    write_pool(articles, SENTENCES, order)
    reviews = []
    for index in range(judged):
        rest = sorted(set(range(SENTENCES)) - set(order[index]))[: VERDICTS - K]
        whose = {"annotator": f"Expert {index % 10}", "in_full": index % 2 == 0}
        labels = {"key": order[index][:15], "other": order[index][15:] + rest}
        labels = {"key": order[index][:15], "other": order[index][15:] + rest}
        reviews.append(Review(index + 1, index, index + 0.9, **labels, **whose))
    write_reviews(reviews)
    version = find_version("v")
    propose_with(version)
    blocks = [generator.normal(size=(SENTENCES, len(COLUMNS))).astype(np.float16) for _ in range(20)]
    vectors = [generator.normal(size=(SENTENCES, DIMENSION)).astype(np.float16).tobytes() for _ in range(20)]
    with write(Right.SYSTEM) as session:
        store_rows(session, version.id, dict.fromkeys(range(1, articles + 1), SENTENCES), blocks, generator)
        ones = np.ones(DIMENSION, dtype=np.float32).tobytes()
        db.proposing.store_query_vectors(session, version.id, {"": ones})
        whose = {"version_id": version.id, "sentence_count": SENTENCES}
        numbers = range(1, articles + 1)
        rows = [whose | {"article_id": number, "vectors": vectors[number % 20]} for number in numbers]
        db.proposing.store_embeddings(session, rows)
    assert store_base(version, [1]) is not None
    change_settings("Mary", QueueSettings(random_share=0.0, blind_share=0.0))
    return query("SELECT count(*) FROM verdict")[0][0]


def l5(seconds: float, articles: int = ARTICLES, handed_out: int = HANDED_OUT) -> Line:
    """What an expert waits for in a large project, its export, and the size of the log beside a long reader."""
    from annotate.active_learning.live_ranking import rank_now
    from annotate.active_learning.live_state import prepare
    from annotate.active_learning.queue import hand_out
    from annotate.gold.export_file import export
    from annotate.review.assignments import finish_or_leave

    line, judged = Line("L5"), large_project(articles, articles * JUDGED // ARTICLES)
    line.figures |= {"articles": articles, "sentences": articles * SENTENCES, "verdicts": judged}
    prepare()
    next_article, next_sentence, acknowledged = [], [], []
    for number in range(handed_out):
        name = f"Expert {number % 10}"
        started = time.monotonic()
        handed = hand_out(name)
        next_article.append(time.monotonic() - started)
        assert handed is not None
        for position in (number, number + 1):
            acknowledged += record(name, handed.article_id, [verdict(position, "reject")])[0]
            started = time.monotonic()
            rank_now(name, handed.article_id)
            next_sentence.append(time.monotonic() - started)
        finish_or_leave(name, handed.article_id)
    line.limit("next_article_p95_ms", milliseconds(next_article)["p95_ms"], 150)
    line.limit("next_sentence_p95_ms", milliseconds(next_sentence)["p95_ms"], 150)
    line.figures["next_sentence_p50_ms"] = milliseconds(next_sentence)["p50_ms"]
    lookups = [_seconds_of_lookup(number % articles + 1) for number in range(10 * handed_out)]
    line.limit("sentence_query_p95_ms", milliseconds(lookups)["p95_ms"], 50)
    started = time.monotonic()
    manifest = export(Path(os.environ["KEYLINE_HOME"]) / "gold.csv")
    line.limit("export_seconds", time.monotonic() - started, 30)
    line.figures["rows_exported"] = manifest["rows"]
    acknowledged += beside_a_reader(line, seconds)
    line.promise((found := oracle(acknowledged)).complaints == (), f"the oracle: {found.complaints}")
    return line


def _seconds_of_lookup(article_id: int) -> float:
    """The query behind an article's next sentence: its current proposals, best first."""
    import db.proposing

    started = time.monotonic()
    with read() as session:
        current = db.proposing.current_set(session, article_id)
        assert current is not None and db.proposing.proposals(session, current.id)
    return time.monotonic() - started


def beside_a_reader(line: Line, seconds: float) -> list[str]:
    """Verdicts at the rate of L1 while one transaction reads on: the log cannot be reused meanwhile. Returns their
    ids."""
    wal = Path(f"{database()}-wal")
    acknowledged: list[str] = []
    largest, every = 0, EVERY / EXPERTS
    with read() as session:
        before = session.connection().exec_driver_sql("SELECT count(*) FROM verdict").scalar()
        begun = time.monotonic()
        for number in range(int(seconds / every)):
            time.sleep(max(0.0, begun + number * every - time.monotonic()))
            acknowledged += record(f"Expert {number % 10}", number % 10 + 1, [verdict(number % 150, "accept")])[0]
            largest = max(largest, wal.stat().st_size)
        again = session.connection().exec_driver_sql("SELECT count(*) FROM verdict").scalar()
    line.promise(before == again, "the reader did not see one snapshot")
    line.figures["wal_mb_beside_a_reader"] = round(largest / 1e6, 1)
    line.promise(largest <= WAL_BYTES, f"the log grew to {largest / 1e6:.0f} MB")
    return acknowledged


LINES: dict[str, Callable[[float], Line]] = {"L1": l1, "L2": l2, "L5": l5}


def main() -> int:
    """Measures one line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("line", choices=LINES)
    parser.add_argument("--seconds", type=float)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        os.environ["KEYLINE_HOME"] = folder
        line = LINES[options.line](options.seconds or SECONDS[options.line])
        return line.report(as_json=options.json)


if __name__ == "__main__":
    sys.exit(main())
