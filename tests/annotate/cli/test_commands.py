"""The list of modules that declare commands: none is forgotten, and each command says what it does."""

import argparse
from types import ModuleType

import pytest

from annotate.cli.common import NO_PAGES, Commands
from annotate.cli.main import MODULES
from tests.support.paths import ROOT

NOT_COMMANDS = {"__init__", "common", "main"}  # what several of them share


def declared(*modules: ModuleType) -> dict[str, argparse.ArgumentParser]:
    """The commands of these modules by name, as `gold import`."""
    parser = argparse.ArgumentParser(prog="")
    commands = Commands(parser, NO_PAGES)
    for module in modules:
        module.add_commands(commands)
    return dict(_leaves(parser, ""))


def _leaves(parser: argparse.ArgumentParser, name: str) -> list[tuple[str, argparse.ArgumentParser]]:
    groups = [action for action in parser._actions if isinstance(action, argparse._SubParsersAction)]
    if not groups:
        return [(name, parser)]
    return [leaf for group in groups for word, sub in group.choices.items() for leaf in _leaves(sub, f"{name} {word}")]


def test_every_module_of_the_command_line_is_in_the_list() -> None:
    names = {path.stem for path in (ROOT / "annotate" / "cli").rglob("*.py")} - NOT_COMMANDS
    assert {module.__name__.rpartition(".")[2] for module in MODULES} == names and len(MODULES) == len(names)


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__)
def test_every_module_declares_commands_that_say_what_they_do_and_answer_in_json(module: ModuleType) -> None:
    found = declared(module)
    assert found
    for name, parser in found.items():
        assert parser.description and parser.description.endswith("."), name
        assert callable(parser.get_default("run")), name
        assert "--json" in parser.format_help(), name


def test_no_two_modules_declare_the_same_command() -> None:
    assert len(declared(*MODULES)) == sum(len(declared(module)) for module in MODULES)
