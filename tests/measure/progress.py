"""Times the progress page on a made-up project: `python -m tests.measure.progress [ARTICLES]`, 10,000 unless said."""

import os
import sys
import tempfile
import time
from collections.abc import Callable

import numpy as np
from streamlit.testing.v1 import AppTest

from annotate.project.home import read
from tests.support.paths import PAGES
from tests.support.reviewed import Review, write_pool, write_reviews

PROPOSALS = 10


def fill(articles: int, sentences: int = 30) -> None:
    """Nine in ten articles finished by three experts: a tenth by lot, a twentieth without proposals."""
    generator = np.random.default_rng(0)
    order = [generator.permutation(sentences)[:PROPOSALS].tolist() for _ in range(articles)]
    write_pool(articles, sentences, order)
    richness = generator.beta(1, 4, articles)
    reviews = []
    for step, i in enumerate(np.argsort(-richness + generator.normal(0, 0.1, articles))[: articles * 9 // 10]):
        shown, in_full = bool(generator.random() > 0.05), bool(generator.random() < 0.3)
        key = generator.random(PROPOSALS) < richness[i] + 0.1 * shown
        chosen = [order[i][p] for p in np.flatnonzero(key)]
        missed = [p for p in range(sentences) if p not in order[i] and generator.random() < 0.03]
        reviews.append(
            Review(
                int(i) + 1,
                begins=step,
                ends=step + 0.9,
                key=chosen + (missed if in_full or not shown else []),
                other=[p for p in order[i] if p not in chosen] if shown else [],
                annotator=f"Expert {step % 3}",
                waiting=articles - step,
                at_random=bool(generator.random() < 0.1),
                with_proposals=shown,
                in_full=in_full or not shown,
            )
        )
    write_reviews(reviews)


def seconds(work: Callable[[], object], times: int) -> str:
    """First, median and 95th percentile of the time that it takes, and the median of the processor's own."""
    wall, cpu = [], []
    for _ in range(times):
        start, own = time.perf_counter(), time.process_time()
        work()
        wall.append(time.perf_counter() - start)
        cpu.append(time.process_time() - own)
    rest = wall[1:]
    return (
        f"first {wall[0]:.3f} s, then median {np.median(rest):.3f} s, p95 {np.quantile(rest, 0.95):.3f} s "
        f"(processor {cpu[0]:.3f} s, then {np.median(cpu[1:]):.3f} s)"
    )


def main() -> None:
    """Prints how long each part and the page take."""
    from annotate.review.anchoring import anchoring
    from annotate.review.progress import progress

    def page() -> None:
        run.run()
        assert not run.exception, run.exception

    run = AppTest.from_file(str(PAGES / "queue.py"), default_timeout=60)
    run.session_state["annotator"] = "Anna"
    with tempfile.TemporaryDirectory() as folder:
        os.environ["KEYLINE_HOME"] = folder
        fill(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000)
        with read() as session:
            print("progress:", seconds(lambda: progress(session), 10))
            print("anchoring:", seconds(lambda: anchoring(session), 10))
        print("page:", seconds(page, 20))


if __name__ == "__main__":
    main()
