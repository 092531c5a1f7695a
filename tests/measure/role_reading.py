"""Prints what it costs to tell what the sentences of full texts do, and the memory that it takes.

python -m tests.measure.role_reading FILE...

KEYLINE_HOME names a data folder with a model of roles; the files are imported there, and read, three times over. What
is counted is processor seconds of this process in one thread. Not collected by pytest.
"""

import os
import resource
import sys
import time
from pathlib import Path

os.environ["OMP_NUM_THREADS"] = "1"

import numpy as np

from annotate.articles.parsing import read_articles as parsed
from annotate.project.home import read
from annotate.roles import reading
from annotate.roles.model_files import model_now
from annotate.roles.vector_files import keep_vectors
from db.tables import Article
from tests.support.ingesting import ingest

TIMES = 3


def main() -> None:
    """Prints the figures."""
    ingest(entry for path in map(Path, sys.argv[1:]) for entry in parsed(path))
    started = time.process_time()
    model = model_now()
    loading = time.process_time() - started
    with read() as session:
        counts = {one.id: one.sentence_count for one in session.query(Article)}
    taken: dict[int, list[float]] = {number: [] for number in counts}
    for _ in range(TIMES):
        for number in counts:
            if model.encoder is not None:
                model.encoder._kept.clear()
            started = time.process_time()
            with read() as session:
                reading._row(session, number, model)
            taken[number].append(time.process_time() - started)
    each = np.array([np.median(own) for own in taken.values()])
    sentences = np.array(list(counts.values()))
    print(f"{len(each)} articles, {sentences.sum():,} sentences; loading the model {loading:.2f} s")
    print(f"an article: mean {each.mean():.3f} s, at most {each.max():.3f} s")
    print(f"a sentence: {1e3 * each.sum() / sentences.sum():.2f} ms")
    reading.read_articles()
    started = time.process_time()
    keep_vectors()
    print(f"files of vectors: {time.process_time() - started:.3f} s")
    print(f"peak memory of the process: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6:.2f} GB")


if __name__ == "__main__":
    main()
