"""Prints what embeddings cost in the database and in files beside it: seconds, disk, and a backup of the database.

python -m tests.measure.embedding_files [--articles 5000]

Made-up vectors of 384 numbers for articles of thirty-nine sentences, each kind in a data folder of its own, as a
propose job stores and reads them. Not collected by pytest.
"""

import argparse
import os
import tempfile
import time
from pathlib import Path

import numpy as np

import annotate.embeddings.keeping
from annotate.embeddings.keeping import keeping
from annotate.embeddings.stored_vectors import embeddings_of
from annotate.operations.backup import write_backup
from annotate.project.home import home, read
from annotate.proposing.propose import article_batches
from tests.support.making import paper, store, version_without_weights

DIMENSION, SENTENCES, AT_ONCE = 384, 39, 50
WHERE = {"database": 10**9, "files": 0}  # by how many sentences the database holds


def measure(where: str, articles: int) -> dict[str, float]:
    """Seconds and megabytes of one kind."""
    annotate.embeddings.keeping.DATABASE_SENTENCES = WHERE[where]
    text = [f"Sentence {number} tells of what was done here." for number in range(SENTENCES)]
    store(*(paper(text, pmid=str(number)) for number in range(1, articles + 1)))
    version = version_without_weights("made-up")
    generator = np.random.default_rng(0)
    plain = _megabytes(home())
    began, stored = time.perf_counter(), 0.0
    with keeping(version.id) as keeper:
        for batch in article_batches(None, AT_ONCE):
            vectors = {number: generator.standard_normal((SENTENCES, DIMENSION)).astype(np.float16) for number in batch}
            began = time.perf_counter()
            keeper.add(vectors)
            stored += time.perf_counter() - began
        began = time.perf_counter()
    found = {"store, s": stored + time.perf_counter() - began, "on disk, MB": _megabytes(home()) - plain}
    began = time.perf_counter()
    for batch in article_batches(None, AT_ONCE):
        with read() as session:
            assert len(embeddings_of(session, version.id, batch)) == len(batch)
    found["read all, s"] = time.perf_counter() - began
    began = time.perf_counter()
    archive = home() / "backup.tar"
    write_backup(archive)
    return found | {"backup, s": time.perf_counter() - began, "backup, MB": archive.stat().st_size / 1e6}


def _megabytes(within: Path) -> float:
    return sum(path.stat().st_size for path in within.rglob("*") if path.is_file()) / 1e6


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--articles", type=int, default=5000)
    options = parser.parse_args()
    for where in WHERE:
        with tempfile.TemporaryDirectory() as place:
            os.environ["KEYLINE_HOME"] = f"{place}/keyline"
            found = measure(where, options.articles)
        print(where, *(f"{name} {value:,.2f}" for name, value in found.items()), sep="; ", flush=True)


if __name__ == "__main__":
    main()
