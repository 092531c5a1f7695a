"""The list of modules that declare commands: none is forgotten, and each command says what it does."""

import argparse
from importlib import import_module

import pytest

from annotate.cli.frame.common import LARGEST, Commands, number
from annotate.cli.frame.words import ALL, modules_of
from tests.support.paths import ROOT

MODULES = modules_of(ALL.values())
NOT_COMMANDS = {"__init__", "common", "main", "running", "settings", "words"}  # what several of them share


def declared(*modules: str) -> dict[str, argparse.ArgumentParser]:
    """The commands of these modules by name, as `gold import`."""
    commands = Commands()
    for module in modules:
        import_module(module).add_commands(commands)
    return {name: leaf for name, leaf in _leaves(commands.parser, "") if leaf.get_default("run")}


def _leaves(parser: argparse.ArgumentParser, name: str) -> list[tuple[str, argparse.ArgumentParser]]:
    groups = [action for action in parser._actions if isinstance(action, argparse._SubParsersAction)]
    if not groups:
        return [(name, parser)]
    return [leaf for group in groups for word, sub in group.choices.items() for leaf in _leaves(sub, f"{name} {word}")]


def test_every_module_of_the_command_line_is_in_the_list() -> None:
    names = {path.stem for path in (ROOT / "annotate" / "cli").rglob("*.py")} - NOT_COMMANDS
    assert {module.rpartition(".")[2] for module in MODULES} == names and len(MODULES) == len(names)


@pytest.mark.parametrize("module", MODULES)
def test_every_module_declares_commands_that_say_what_they_do_and_answer_in_json(module: str) -> None:
    found = declared(module)
    words = {name for name, word in ALL.items() if module in modules_of([word])}
    assert {name.split()[0] for name in found} - {word.also for word in ALL.values()} == words
    for name, parser in found.items():
        assert parser.description and parser.description.endswith("."), name
        assert callable(parser.get_default("run")), name
        assert "--json" in parser.format_help(), name


def test_no_two_modules_declare_the_same_command() -> None:
    assert len(declared(*MODULES)) == sum(len(declared(module)) for module in MODULES)


@pytest.mark.parametrize("text", ["0", "-1", "9" * 23, "one", ""])
def test_the_number_of_a_row_and_the_most_of_something_are_from_1_to_the_largest_that_is_stored(text: str) -> None:
    assert number("1") == 1 and number("2147483647") == LARGEST
    with pytest.raises(argparse.ArgumentTypeError, match="no whole number from 1 to 2,147,483,647"):
        number(text)
