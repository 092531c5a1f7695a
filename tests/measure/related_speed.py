"""How long a question of Related takes among many works: by meaning, words and year, and with reference lists.

    python -m tests.measure.related_speed --works FILE --docs FILE [--citing FILE] [--questions 100] [--json]

Works are those of `related evaluate`; their vectors, and those of the questions (titles and abstracts of documents) are
drawn by lot with 384 numbers: how long it takes does not depend on them. With `--citing` these articles are works of
the pool, too, and their reference lists have a say. Seconds of processors are told, too, for machines that are shared.
"""

import argparse
import json
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from annotate.finding.judged.judged_files import read_documents
from annotate.finding.library import Document
from annotate.related.judged import read_citing, read_works
from annotate.related.pool import Asked, Pool, ReferenceLists
from model.vectors import unit

DIMENSION = 384  # of all-MiniLM-L6-v2
OWN_LIST = 40  # works that an article cites


def measured(works: Path, docs: Path, citing: Path | None, questions: int) -> dict[str, Any]:
    """Works, reference lists, seconds to make the pool, and by way of asking the median and worst seconds."""
    generator = np.random.default_rng(0)
    documents = read_documents(docs)
    lists = {f"article {each.id}": each.cites for each in read_citing(citing)} if citing else {}
    texts = {f"article {each.key}": each for each in documents}
    all_works = [*read_works(works), *(Document(key, texts[key].title, texts[key].text) for key in lists)]
    begun = time.perf_counter()
    pool = Pool(all_works, unit(generator.standard_normal((len(all_works), DIMENSION))).astype(np.float32))
    held = ReferenceLists(lists, pool.places)
    made = time.perf_counter() - begun
    vectors = unit(generator.standard_normal((questions, DIMENSION))).astype(np.float32)
    asked = [Asked(each.whole, vector, each.year, later=True) for each, vector in zip(documents, vectors, strict=False)]
    result = {"works": len(pool), "lists": len(held.keys), "seconds_to_make": round(made, 3)}
    result["ranked"] = _timed(pool.rank, asked)
    own = [work.key for work in all_works[:OWN_LIST]]
    result["with_its_own_list"] = _timed(lambda each: pool.rank(replace(each, cited=pool.likeness(own))), asked)
    if held.keys:
        result["with_lists"] = _timed(
            lambda each: pool.rank(replace(each, lists=held.likeness(pool.rank(each)))), asked
        )
    return result


def _timed(ask: Callable[[Asked], object], questions: list[Asked]) -> dict[str, float]:
    """Median and worst seconds on the clock and of processors, the first question left out."""
    ask(questions[0])
    clock, busy = [], []
    for each in questions:
        begun, worked = time.perf_counter(), time.process_time()
        ask(each)
        clock.append(time.perf_counter() - begun)
        busy.append(time.process_time() - worked)
    return {
        "questions": len(questions),
        "seconds_median": round(float(np.median(clock)), 4),
        "seconds_worst": round(max(clock), 4),
        "processor_seconds_median": round(float(np.median(busy)), 4),
        "processor_seconds_worst": round(max(busy), 4),
    }


def main() -> None:
    """Prints it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--works", type=Path, required=True)
    parser.add_argument("--docs", type=Path, required=True)
    parser.add_argument("--citing", type=Path)
    parser.add_argument("--questions", type=int, default=100)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    result = measured(options.works, options.docs, options.citing, options.questions)
    print(json.dumps(result) if options.json else "\n".join(f"{name}: {value}" for name, value in result.items()))


if __name__ == "__main__":
    main()
