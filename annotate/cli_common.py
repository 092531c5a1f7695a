"""What the commands share: exit codes, the progress bar, and how a command is declared."""

import argparse
import sys
from collections.abc import Callable
from typing import Any

from tqdm import tqdm

from annotate.jobs import run_here
from annotate.work import HANDLERS

DONE, FAILED, USAGE, IN_PART, BUSY, CANCELLED = 0, 1, 2, 3, 4, 130
Result = tuple[int, dict[str, Any]]
Command = Callable[[argparse.Namespace], Result]
# What a bar shows of a job's progress beside how far it is.
DETAILS = ("loss", "pairs_per_second", "seconds_left")


class Bar:
    """A progress bar on standard error that follows a job's stages."""

    def __init__(self) -> None:
        self.stage = ""
        self.bar: tqdm[Any] | None = None

    def __call__(self, progress: dict[str, Any]) -> None:
        """Shows one report of a job."""
        if progress["stage"] != self.stage:
            self.close()
            self.stage = progress["stage"]
            self.bar = tqdm(desc=self.stage, total=progress["total"] or None, file=sys.stderr, leave=True)
        if self.bar is not None:
            self.bar.total = progress["total"] or None
            details = {name: value for name, value in progress.items() if name in DETAILS}
            if details:
                self.bar.set_postfix(details, refresh=False)
            self.bar.update(progress["done"] - self.bar.n)

    def close(self) -> None:
        """Ends the bar."""
        if self.bar is not None:
            self.bar.close()
            self.bar = None


def run_job(kind: str, payload: dict[str, Any]) -> dict[str, Any]:
    """Runs a job in this process with a bar; returns its result. Raises what the work raises."""
    bar = Bar()
    try:
        return run_here(kind, payload, HANDLERS, bar)
    finally:
        bar.close()


def code_of(good: int, bad: int) -> int:
    """The exit code of work of which so much went well and so much did not."""
    return DONE if not bad else IN_PART if good else FAILED


class Commands:
    """The commands of the program, each declared once with the function that runs it."""

    def __init__(self, parser: argparse.ArgumentParser) -> None:
        self.all = parser.add_subparsers(required=True, metavar="COMMAND")

    def add(self, name: str, run: Command, text: str, within: Any = None) -> argparse.ArgumentParser:
        """A command, of a group where one is given."""
        added = (within or self.all).add_parser(name, help=text, description=text)
        added.add_argument("--json", action="store_true", help="print one JSON object on stdout, nothing else")
        added.set_defaults(run=run)
        return added

    def group(self, name: str, text: str) -> Any:
        """A word in front of several commands."""
        return self.all.add_parser(name, help=text).add_subparsers(required=True, metavar="ACTION")
