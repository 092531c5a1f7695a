"""The command that writes what a shell needs to complete all others."""

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import shtab

from annotate.cli.frame.common import Commands, Result
from annotate.cli.frame.words import words

SHELLS = ("bash", "zsh", "fish")


def _completion(options: argparse.Namespace) -> Result:
    commands = Commands()
    commands.declare(words())
    commands.parser.prog = "keyline"  # also where a checkout writes it
    for action in _actions(commands.parser):
        if action.type is Path:
            action.complete = shtab.FILE  # where shtab looks for it
    script = shtab.complete(commands.parser, options.shell)
    return {"script": script, "text": script}


def _actions(parser: argparse.ArgumentParser) -> Iterator[Any]:
    for action in parser._actions:
        yield action
        if isinstance(action, argparse._SubParsersAction):
            for inner in action.choices.values():
                yield from _actions(inner)


def add_commands(commands: Commands) -> None:
    """Registers the command `completion` with the parser."""
    commands.add("completion", _completion).add_argument("shell", choices=SHELLS)
