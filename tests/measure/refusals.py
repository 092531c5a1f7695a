"""What refusing a hostile file costs, of the processor: one line for each file that is refused, the slowest first.

    python -m tests.measure.refusals [--json]

The bar of docs/reliability.md is two seconds each. Exit code 3: one took longer, which on a busy or slow machine says
little; 1: one was not refused.
"""

import argparse
import tempfile
import time
from pathlib import Path

from annotate.articles.parsing import read_articles
from annotate.articles.table_files import read_table
from annotate.project.files.packed_lines import UnreadableFile
from tests.inputs.test_hostile import REFUSED
from tests.inputs.test_large_tables import TOO_MUCH
from tests.support.figures import Line
from tests.support.hostile import written_once

REFUSAL_SECONDS = 2.0


def article_is_refused(path: Path) -> bool:
    """Whether nothing of the file is taken as an article."""
    return all(entry.error for entry in read_articles(path))


def table_is_refused(path: Path) -> bool:
    """Whether the table is refused."""
    try:
        read_table(path, needs=[("sentence",)])
    except UnreadableFile:
        return True
    return False


def refusals() -> Line:
    """The seconds of the processor that each refusal takes."""
    line = Line("refusals")
    taken: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as folder:
        for kind, cases, refused in (("a", REFUSED, article_is_refused), ("t", TOO_MUCH, table_is_refused)):
            (Path(folder) / kind).mkdir()
            written = written_once(Path(folder) / kind, cases)
            for case in cases:
                path = written(case)
                began = time.process_time()
                line.promise(refused(path), f"{case} was not refused")
                taken[case] = time.process_time() - began
    for case, seconds in sorted(taken.items(), key=lambda entry: -entry[1]):
        line.limit(case, seconds, REFUSAL_SECONDS)
    return line


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    raise SystemExit(refusals().report(as_json=parser.parse_args().json))
