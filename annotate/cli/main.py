"""The command line of Keyline: the same functions as the pages.

Exit codes: 0 done; 1 nothing could be done; 2 wrong usage; 3 done in part (the report names what failed);
4 a job of this kind is running already; 130 cancelled.
"""

import sys
from collections.abc import Callable, Sequence
from functools import partial

from annotate.cli.frame.common import NO_PAGES, Commands, Pages


def main(arguments: Sequence[str] | None = None, pages: Pages = NO_PAGES) -> int:
    """Runs one command; returns its exit code. The commands that need the pages fail without them."""
    return ready(arguments, pages)()


def ready(arguments: Sequence[str] | None = None, pages: Pages = NO_PAGES) -> Callable[[], int]:
    """One command, with all that it imports, as a function that runs it and returns its exit code."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    commands = Commands(pages)
    commands.declare([word for word in given if not word.startswith("-")][:1])
    options = commands.parser.parse_args(commands.completed(given))
    from annotate.cli.frame.running import run  # noqa: PLC0415 (--help need not wait for the database)

    return partial(run, options)
