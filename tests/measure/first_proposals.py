"""Prints how long it takes to the first proposals in a new data folder.

python -m tests.measure.first_proposals          # keyline serve: the app answers, five articles proposed, the sample
python -m tests.measure.first_proposals FILE     # keyline import FILE --propose: the first five, all, the job's end
"""

import argparse
import os
import sqlite3
import subprocess
import sys
import tempfile
import time
from contextlib import closing
from pathlib import Path

import requests

from tests.support.browser import free_port

LOOK_SECONDS = 0.2
PROPOSED_FOR = "SELECT article_id FROM proposal_set"
PROPOSED = f"SELECT count(*) FROM ({PROPOSED_FOR} GROUP BY 1)"
WITHOUT = f"SELECT count(*) FROM article WHERE sentence_count > 0 AND id NOT IN ({PROPOSED_FOR})"
LEFT = "SELECT count(*) FROM job WHERE kind = 'import' AND state != 'done'"


def asked(home: Path, sql: str) -> int:
    """A number of the database; 0 where there is none yet."""
    try:
        with closing(sqlite3.connect(f"file:{home / 'keyline.sqlite'}?mode=ro", uri=True)) as connection:
            return int(connection.execute(sql).fetchone()[0])
    except sqlite3.Error:
        return 0


def answers(port: int) -> bool:
    """Whether the app does."""
    try:
        return requests.get(f"http://127.0.0.1:{port}/healthz", timeout=1).ok
    except requests.RequestException:
        return False


def main() -> None:
    """Runs the command and prints the seconds since it began, a line each."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path, nargs="?", help="articles; without it the app is served with the sample")
    given, port = parser.parse_args(), free_port()
    if given.file:
        words, waits = ["import", str(given.file.resolve()), "--propose"], {}
    else:
        words, waits = ["serve", "--", "--server.port", str(port)], {"the app answers": lambda: answers(port)}
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        home, began = Path(folder), time.monotonic()
        waits |= {
            "first proposals": lambda: asked(home, PROPOSED) > 0,
            "all proposals": lambda: asked(home, WITHOUT) == 0,
            "the job is done": lambda: asked(home, LEFT) == 0,
        }
        command = [sys.executable, "-m", "annotate", *words]
        with subprocess.Popen(command, env=os.environ | {"KEYLINE_HOME": folder}, stdout=sys.stderr) as process:
            for what, there in waits.items():
                while not there():
                    time.sleep(LOOK_SECONDS)
                load = os.getloadavg()[0]
                print(f"{what}: {time.monotonic() - began:.1f} s, {asked(home, PROPOSED):,} articles, load {load:.1f}")
            if not given.file:
                process.terminate()


if __name__ == "__main__":
    main()
