"""What a team waits for in a large project: every page, the next article, the gold export, and the database's size.

    python -m tests.measure.team [--articles 10000] [--loads 20] [--home FOLDER]

Makes a project of its own, or measures the one that it left in FOLDER before: articles of 290 sentences, nine in ten
finished by one expert or, one in ten, by two who worked blind, ten verdicts each. Pages are run as the app runs them,
without a browser. Not collected by pytest.
"""

import argparse
import os
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from pathlib import Path

import numpy as np
from streamlit.testing.v1 import AppTest

from annotate.project.home import database, read, write
from annotate.project.rights import Right
from pages.parts.frame.entries import entries
from tests.support.figures import milliseconds
from tests.support.making import judge, propose_with, query, reading, verdict
from tests.support.paths import ROOT
from tests.support.reviewed import Review, write_pool, write_reviews

SENTENCES, PROPOSALS, EXPERTS = 290, 10, 10
CHUNK = 1_000


def project(articles: int) -> None:
    """Articles, proposals, verdicts of ten experts, features and a base head."""
    from annotate.active_learning.heads import store_base
    from annotate.project.stored_settings import change_settings
    from annotate.proposing.encoder_versions import find_version
    from annotate.review.queue_settings import QueueSettings
    from model.active_learning.head import COLUMNS
    from tests.measure.live import store_rows

    generator = np.random.default_rng(0)
    order = [generator.permutation(SENTENCES)[:PROPOSALS].tolist() for _ in range(articles)]
    for start in range(0, articles, CHUNK):
        write_pool(len(order[start : start + CHUNK]), SENTENCES, order[start : start + CHUNK])
    reviews = []
    for index in range(articles * 9 // 10):
        first = index % EXPERTS
        experts = [first, (first + 1 + index // 10 % 9) % EXPERTS] if index % 9 == 0 else [first]
        truth = generator.random(PROPOSALS) < 0.3
        for expert in experts:
            said = truth ^ (generator.random(PROPOSALS) < 0.1)
            labels = {
                "key": [order[index][place] for place in np.flatnonzero(said)],
                "other": [order[index][place] for place in np.flatnonzero(~said)],
            }
            reviews.append(Review(index + 1, index, index + 0.9, annotator=f"Expert {expert}", waiting=9, **labels))
    write_reviews(reviews)
    version = find_version("v")
    propose_with(version)
    blocks = [generator.normal(size=(SENTENCES, len(COLUMNS))).astype(np.float16) for _ in range(20)]
    for start in range(1, articles + 1, CHUNK):
        numbers = range(start, min(start + CHUNK, articles + 1))
        with write(Right.SYSTEM) as session:
            store_rows(session, version.id, dict.fromkeys(numbers, SENTENCES), blocks, generator)
    store_base(version, [1])
    change_settings("Mary", QueueSettings(double_share=0.1))


def times_of(
    work: Callable[[], object], times: int, between: Callable[[], object] = lambda: None
) -> tuple[float, dict[str, float]]:
    """(seconds of the first, milliseconds of the others); what others do in between is not counted."""
    found = []
    for _ in range(times + 1):
        between()
        started = time.perf_counter()
        work()
        found.append(time.perf_counter() - started)
    return found[0], milliseconds(found[1:])


def pages(loads: int, names: Sequence[str] = tuple(entries())) -> None:
    """How long each page takes, by a new visitor each time: the first load of the process, then the others, and what
    one costs in processor time, which a busy machine changes less."""
    for name in names:
        path = ROOT / "pages" / f"{name}.py"

        def load(path: Path = path) -> None:
            run = AppTest.from_file(str(path), default_timeout=120)
            run.session_state.annotator = "Expert 1"
            run.run()
            assert not run.exception, run.exception

        spent = time.process_time()
        first, rest = times_of(load, loads)
        cpu = (time.process_time() - spent) / (loads + 1) * 1_000
        waited = f"then p50 {rest['p50_ms']:.0f} ms, p95 {rest['p95_ms']:.0f} ms"
        print(f"page {name}: first {first:.2f} s, {waited}; {cpu:.0f} ms of a processor each", flush=True)


def main() -> None:
    """Makes the project and prints the figures."""
    from annotate.active_learning.live_state import renew_base, state_of
    from annotate.active_learning.queue import hand_out
    from annotate.gold.export_file import export
    from annotate.operations.regular_duties import warm_up

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--articles", type=int, default=10_000)
    parser.add_argument("--loads", type=int, default=20, help="0 makes the project and measures nothing")
    parser.add_argument("--home", help="where the project is kept, or is made if nothing is there")
    parser.add_argument("--pages", help="some pages alone, such as find,search")
    options = parser.parse_args()
    with nullcontext(options.home) if options.home else tempfile.TemporaryDirectory() as folder:
        os.environ["KEYLINE_HOME"] = folder
        if not (Path(folder) / "keyline.sqlite").exists():
            project(options.articles)
        if not options.loads:
            return
        if options.pages:
            warm_up()
            pages(options.loads, options.pages.split(","))
            return
        (counts,) = query(
            "SELECT (SELECT count(*) FROM article), (SELECT count(*) FROM sentence), (SELECT count(*) FROM verdict)"
        )
        print("{:,} articles, {:,} sentences, {:,} verdicts".format(*counts))
        path = database()
        assert isinstance(path, Path)
        print(f"database {path.stat().st_size / 1e6:,.0f} MB")
        started = time.perf_counter()
        warm_up()
        print(f"warmed up, as the app does when it begins: {time.perf_counter() - started:.1f} s")
        others = iter(range(options.articles * 9 // 10, options.articles))  # which nobody has judged yet

        def judge_another() -> None:
            judge("Expert 1", next(others) + 1, verdict(0), reading())
            with read() as session:
                state = state_of(session)
            renew_base(state)  # as each ranking does: what was learnt is folded into the base where much came since

        first, rest = times_of(lambda: hand_out(f"Newcomer {time.time_ns()}"), 100, judge_another)
        print(f"next article: first {first:.2f} s, then p50 {rest['p50_ms']:.0f} ms, p95 {rest['p95_ms']:.0f} ms")
        started = time.perf_counter()
        rows = export(Path(folder) / "gold.csv")["rows"]
        print(f"gold export: {rows:,} rows in {time.perf_counter() - started:.1f} s")
        pages(options.loads)
        print(f"load average {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()
