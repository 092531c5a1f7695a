"""What the commands share: exit codes, how a command is declared, and what three of them ask of the app's pages."""

import argparse
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from annotate.engines.chosen import ENGINES, LOCAL, asked_engine
from model.checked_settings import bounds, closed_sets, names_of

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


def add_settings(parser: argparse.ArgumentParser, kind: type[Any], texts: Mapping[str, str] | None = None) -> None:
    """An option for each field of a checked class; `texts` tell what the texts among them are. `settings_given` reads
    them."""
    sets, numbers, texts = closed_sets(kind), bounds(kind), texts or {}
    more: dict[str, Any] = {"default": argparse.SUPPRESS}
    for name in names_of(kind):
        option = f"--{name.replace('_', '-')}"
        if name in sets:
            parser.add_argument(option, choices=list(map(str, sets[name])), **more)
        elif name in numbers:
            low, high = numbers[name]
            text = f"from {low} to {high}" if type(low) is int else f"from {low:g} to {high:g}"
            parser.add_argument(option, type=type(low), metavar="N", help=text, **more)
        elif name in texts:
            parser.add_argument(option, help=texts[name], **more)
        else:
            parser.add_argument(option, action=argparse.BooleanOptionalAction, **more)


def add_usual(
    parser: argparse.ArgumentParser, names: Iterable[str], usual: Any, numbers: Mapping[str, tuple[float, float]]
) -> None:
    """An option for each of these fields of the usual settings, which are what holds without it."""
    for name in names:
        option, now = f"--{name.replace('_', '-')}", getattr(usual, name)
        if isinstance(now, bool):
            kind: dict[str, Any] = {"action": argparse.BooleanOptionalAction, "help": f"default {now}"}
        else:
            low, high = numbers.get(name, ("any", "any"))
            kind = {"type": type(now), "metavar": "N", "help": f"{low} to {high}, default {now}"}
        parser.add_argument(option, default=argparse.SUPPRESS, **kind)


def settings_given(options: argparse.Namespace, names: Iterable[str]) -> dict[str, Any]:
    """The settings of these names that a command line gives."""
    return {name: getattr(options, name) for name in names if hasattr(options, name)}


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

    def __init__(self, parser: argparse.ArgumentParser, pages: Pages) -> None:
        self.pages = pages
        self.all = parser.add_subparsers(required=True, metavar="COMMAND")
        self._groups: dict[str, Any] = {}
        self._meant: dict[str, str] = {}

    def add(self, name: str, run: Command, text: str, within: Any = None) -> argparse.ArgumentParser:
        """A command, of a group where one is given."""
        added = (within or self.all).add_parser(name, help=text, description=text)
        added.add_argument("--json", action="store_true", help="print one JSON object on stdout, nothing else")
        added.set_defaults(run=run)
        return added

    def group(self, name: str, text: str = "", *, meant: str = "", also: str = "") -> Any:
        """A word in front of several commands, made when it is first asked for. `meant`: the action of it that is meant
        where none is named; `also`: another word for it."""
        if name not in self._groups:
            made = self.all.add_parser(name, help=text, aliases=[also] * bool(also))
            self._groups[name] = made.add_subparsers(required=True, metavar="ACTION")
        if meant:
            self._meant[name] = meant
        return self._groups[name]

    def completed(self, arguments: Sequence[str]) -> list[str]:
        """The arguments of a command line, with a group's default action added where a group has one and none is
        named."""
        group, *rest = arguments or [""]
        named = (
            rest and (rest[0] in self._groups[group].choices or rest[0] in ("-h", "--help"))
            if group in self._meant
            else True
        )
        return list(arguments) if named else [group, self._meant[group], *rest]
