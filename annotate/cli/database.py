"""The command that moves a project from SQLite to PostgreSQL."""

import argparse

from annotate.cli.common import DONE, Commands, Result
from annotate.jobs.progress_bar import Bar
from annotate.operations.copying import copy_to


def _copy(options: argparse.Namespace) -> Result:
    bar = Bar()
    try:
        result = copy_to(options.to, lambda stage, done, total: bar({"stage": stage, "done": done, "total": total}))
    finally:
        bar.close()
    lines = [f"{'table':<20} {'rows':>10}  SHA-256 on both sides"]
    lines += [f"{name:<20} {rows:>10,}  {sha256}" for name, rows, sha256 in result["tables"]]
    lines += [f"{'label set':<20} {'':>10}  {result['label_set_sha256']}", "equal: set DATABASE_URL, restart the app"]
    return DONE, result | {"text": "\n".join(lines)}


def add_commands(commands: Commands) -> None:
    """Adds them."""
    copying = commands.add("copy", _copy, "Copy this folder's SQLite database to PostgreSQL, and prove it equal.")
    copying.add_argument("--to", required=True, metavar="URL", help="postgresql://... of an empty database")
