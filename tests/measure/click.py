"""Prints how long a click on Retrain takes to new proposals, on this machine's GPU where there is one.

`python -m tests.measure.click FILE [--every N]`: imports articles into a new data folder, proposes, labels the last
sentence of every N-th article, then trains, evaluates, promotes and proposes by commands, each a process of its own.
"""

import argparse
import csv
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from sqlalchemy import select

from annotate.project.home import read
from db.articles import sentences
from db.tables import Article
from model.devices import best_device


def run(*words: str) -> None:
    """Runs a command, and prints the seconds that it took; what it says goes to stderr. Ends where it fails."""
    began = time.monotonic()
    subprocess.run([sys.executable, "-m", "annotate", *words], stdout=sys.stderr, check=True)
    print(f"{words[0]}: {time.monotonic() - began:.1f} s", flush=True)


def write_gold(path: Path, every: int) -> int:
    """Writes the last sentences of every so many-th article with a PMID as gold; returns how many."""
    with read() as session, path.open("w", newline="") as file:
        pmids = dict(session.execute(select(Article.id, Article.pmid).where(Article.pmid.is_not(None))).all())
        chosen = sorted(pmids)[::every]
        last = {one.article_id: one.text for one in sentences(session, chosen)}
        csv.writer(file).writerows([["pmid", "sentence"], *([pmids[own], text] for own, text in last.items())])
    return len(last)


def main() -> None:
    """Prints a line for each command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path, help="articles with PMIDs, as `import` takes them")
    parser.add_argument("--every", type=int, default=25, help="one of so many is labelled (default %(default)s)")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        os.environ["KEYLINE_HOME"] = str(Path(folder, "home"))
        run("import", str(given.file.resolve()))
        gold = Path(folder, "gold.csv")
        print(f"{write_gold(gold, given.every):,} key sentences; {best_device()}", flush=True)
        run("propose")
        run("gold", "import", str(gold))
        run("train", "--preset", "best")
        run("promote", "v1", "--even-if-worse")


if __name__ == "__main__":
    main()
