"""What the commands share: exit codes, how a command is declared, and what three of them ask of the app's pages."""

import argparse
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from annotate.cli.frame.words import modules_of, words
from annotate.engines.chosen import ENGINES, LOCAL, asked_engine
from annotate.project.release import PROGRAM, VERSION

LARGEST = 2**31 - 1  # what a column of numbers holds
DONE, FAILED, USAGE, IN_PART, BUSY, CANCELLED = 0, 1, 2, 3, 4, 130
# What a command found; behind an exit code where that is not DONE.
Result = dict[str, Any] | tuple[int, dict[str, Any]]
Command = Callable[[argparse.Namespace], Result]


def _not_given(*_: object) -> Any:
    raise RuntimeError(
        "this command needs the pages of the app, which were not handed in: run it by python -m annotate"
    )


@dataclass(frozen=True, slots=True)
class Pages:
    """What commands ask of the pages: nothing in this package imports these, so annotate/__main__.py hands them in."""

    report_html: Callable[[int, str], bytes] = _not_given  # of the report with this id, with links to this address
    options_of_run: Callable[[Sequence[str]], dict[str, Any]] = _not_given  # Streamlit's, under these arguments
    command_of_app: Callable[[Sequence[str]], list[str]] = (
        _not_given  # the program that serves it, with these arguments
    )


NO_PAGES = Pages()


def number(text: str) -> int:
    """A whole number of an option, at least 1: the number of a row, or the most of something.

    Raises ArgumentTypeError.
    """
    with suppress(ValueError):
        if 1 <= (found := int(text)) <= LARGEST:
            return found
    raise argparse.ArgumentTypeError(f"{text[:20]!r} is no whole number from 1 to {LARGEST:,}")


def code_of(good: int, bad: int) -> int:
    """The exit code of work of which so much went well and so much did not."""
    return DONE if not bad else IN_PART if good else FAILED


def add_engine(parser: argparse.ArgumentParser) -> None:
    """The options that say where the work of a command is done; `engine_asked` reads them."""
    parser.add_argument("--engine", choices=list(ENGINES), default=LOCAL, help="where it is done (default %(default)s)")
    parser.add_argument(
        "--address", default="", metavar="HOST:PORT", help="of a Ray cluster; else Ray uses this machine's cores"
    )


def engine_asked(options: argparse.Namespace) -> dict[str, Any]:
    """The engine that the options name, as part of a payload. Raises ValueError, and NoEngine where it is not
    installed."""
    return asked_engine(options.engine, options.address)


def aligned(cells: Sequence[Mapping[str, str]]) -> str:
    """Lines of heading -> cell as text with aligned columns, the first one to the left."""
    lines = [list(cells[0]), *(list(line.values()) for line in cells)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join(
        "  ".join(cell.rjust(width) if number else cell.ljust(width) for number, (cell, width) in enumerate(pairs))
        for pairs in (list(zip(line, widths, strict=True)) for line in lines)
    )


class Commands:
    """The commands of the program, each declared once with the function that runs it."""

    def __init__(self, pages: Pages = NO_PAGES) -> None:
        self.pages = pages
        self.parser = argparse.ArgumentParser(prog=PROGRAM, description="Keyline, by commands: what the pages do, too.")
        self.parser.add_argument("--version", action="version", version=f"Keyline {VERSION}")
        self._words = words() | {word.also: word for word in words().values() if word.also}
        made = self.parser.add_subparsers(required=True, metavar="COMMAND")
        for name, word in words().items():
            also = [word.also] if word.also else []
            made.add_parser(name, help=word.text, description=word.text, aliases=also)
        self._parsers = made.choices
        self._groups: dict[str, Any] = {}

    def declare(self, named: Iterable[str]) -> None:
        """Has the commands that begin with these words declared, with what they import; of other words, none."""
        for module in modules_of(self._words[word] for word in named if word in self._words):
            import_module(module).add_commands(self)

    def add(self, name: str, run: Command, text: str = "", within: Any = None) -> argparse.ArgumentParser:
        """A command: one of the words, or with its text one of a group."""
        added = within.add_parser(name, help=text, description=text) if within else self._parsers[name]
        added.add_argument("--json", action="store_true", help="print one JSON object on stdout, nothing else")
        added.set_defaults(run=run)
        return added

    def group(self, name: str) -> Any:
        """One of the words as the first of several commands; several modules may declare some."""
        if name not in self._groups:
            self._groups[name] = self._parsers[name].add_subparsers(required=True, metavar="ACTION")
        return self._groups[name]

    def completed(self, arguments: Sequence[str]) -> list[str]:
        """The arguments of a command line, with a group's default action added where a group has one and none is
        named."""
        first, *rest = arguments or [""]
        meant = self._words[first].meant if first in self._words else ""
        named = rest and (rest[0] in self._groups[first].choices or rest[0] in ("-h", "--help")) if meant else True
        return list(arguments) if named else [first, meant, *rest]
