"""Prints the processor seconds that a click on "More like this" costs, by the database and by the files of vectors.

python -m tests.measure.alike_clicks [--articles 10000]

KEYLINE_HOME names the data folder of a COPY: its articles are given made-up roles and vectors, where they have none, by
a made-up proposing version of 384 numbers. One thread. Not collected by pytest.
"""

import argparse
import resource
import time
from collections.abc import Callable

import numpy as np
from threadpoolctl import threadpool_limits

import db.articles
import db.proposing
import db.registry
import db.roles
import db.rows
from annotate.project.home import folder, read, write
from annotate.project.rights import Right
from annotate.proposing.propose import article_batches
from annotate.roles.alike import BATCH_ARTICLES, alike, vectors_of
from annotate.roles.vector_files import Kind, keep_vectors, nearest
from db.base import utc_now
from db.tables import ArticleRoles, ModelVersion

DIMENSION, WORDS, ROLES, TABLE_ROWS = 384, 64, 5, 0.1
VERSION = "0123456789ab"
CLICKS = 5


def fill(version: ModelVersion, most: int) -> int:
    """Stores what a reading and an embedding would have, of the first articles; returns the number of sentences."""
    rng = np.random.default_rng(0)
    sentences = articles = 0
    for batch in article_batches(None, 50):
        with write(Right.SYSTEM) as session:
            counts = db.articles.sentence_counts(session, batch)
            functions, embedded = [], []
            for article_id, count in counts.items():
                roles = rng.dirichlet(np.full(ROLES, 0.3), count) * (rng.random((count, 1)) > TABLE_ROWS)
                vectors = np.hstack([1.5 * np.sqrt(roles), rng.normal(size=(count, WORDS)) / 8])
                meaning = rng.standard_normal((count, DIMENSION), dtype=np.float32) / DIMENSION**0.5
                functions.append(
                    {
                        "article_id": article_id,
                        "version": VERSION,
                        "sentence_count": count,
                        "roles": np.round(255 * roles).astype(np.uint8).tobytes(),
                        "vectors": vectors.astype(np.float16).tobytes(),
                        "computed_at": utc_now(),
                    }
                )
                row = {"version_id": version.id, "article_id": article_id, "sentence_count": count}
                embedded.append(row | {"vectors": meaning.astype(np.float16).tobytes()})
            db.rows.put(session, ArticleRoles, functions)
            db.proposing.store_embeddings(session, embedded)
        sentences += sum(counts.values())
        articles += len(batch)
        if articles >= most:
            break
    return sentences


def by_database(by_function: float) -> None:
    """A click as it was before there were files."""
    with read() as session:
        version = db.roles.readers(session, [1])[1]
        promoted = db.registry.encoder_in_use(session) if by_function < 1 else None
        dimension = next(vectors_of(session, [1])).function.shape[1] + (promoted.dimension if promoted else 0)
        asked = np.full(dimension, dimension**-0.5)
        for batch in article_batches(db.roles.read_ids(session), BATCH_ARTICLES):
            nearest(session, Kind(version, promoted), asked, batch, limit=20)


def by_files(by_function: float) -> None:
    """A click as it is."""
    with read() as session:
        alike(session, 1, 3, by_function, library=True)


def seconds(work: Callable[[], None], times: int) -> str:
    """Processor seconds of this process by turn: of the first, and the median of the others."""
    taken = []
    for _ in range(times):
        started = time.process_time()
        work()
        taken.append(time.process_time() - started)
    return f"{taken[0]:.2f} first" + (f", then {np.median(taken[1:]):.2f}" if times > 1 else "")


def main() -> None:
    """Prints the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--articles", type=int, default=10_000)
    options = parser.parse_args()
    with read() as session:
        version = db.registry.encoder_in_use(session)
    if version is None:
        raise SystemExit("the project needs a proposing version")
    print(f"{fill(version, options.articles):,} sentences of {options.articles:,} articles")
    with threadpool_limits(1):
        print(f"made all files: {seconds(lambda: keep_vectors() and None, 1)}")
        size = sum(path.stat().st_size for path in folder("functions-vectors").iterdir())
        print(f"files: {size / 1e6:,.0f} MB")
        print(f"nothing to be made: {seconds(lambda: keep_vectors() and None, 1)}")
        for share in (1.0, 0.5):
            print(f"function {share:.0%}: by files {seconds(lambda share=share: by_files(share), CLICKS)}", flush=True)
            print(f"function {share:.0%}: by the database {seconds(lambda share=share: by_database(share), 2)}")
    print(f"peak memory, mapped files included: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6:.1f} GB")


if __name__ == "__main__":
    main()
