"""Options for the fields of checked settings."""

import argparse
from collections.abc import Iterable, Mapping
from typing import Any

from model.checked_settings import bounds, closed_sets, names_of


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
