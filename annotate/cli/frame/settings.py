"""Options for the fields of checked settings."""

import argparse
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from model.checked_settings import bounds, closed_sets, names_of

# What else there is to know of a class's fields: none.
NONE: Mapping[str, str] = {}


def add_settings(
    parser: argparse.ArgumentParser,
    kind: type[Any],
    texts: Mapping[str, str] = NONE,
    *,
    title: str = "",
    usual: Any = None,
    read: Callable[[str, str], Any] | None = None,
) -> None:
    """An option for each field of a checked class. `settings_given` reads them.

    `texts` tell what the texts among them are, and what a number may be else. In the help they stand under `title`.
    `usual`: the settings without options. `read` gives the value of a field, by its name, from what was written; by
    default its type does.
    """
    place = parser.add_argument_group(title) if title else parser
    sets, numbers = closed_sets(kind), bounds(kind)
    for name in names_of(kind):
        default = [f"default {getattr(usual, name)}"] if usual else []
        more: dict[str, Any] = {"default": argparse.SUPPRESS}
        if name in sets:
            more |= {"choices": list(map(str, sets[name])), "help": ", ".join(default)}
        elif name in numbers:
            low, high = numbers[name]
            allowed = f"from {low} to {high}" if type(low) is int else f"from {low:g} to {high:g}"
            words = [allowed, *([texts[name]] if name in texts else []), *default]
            more |= {"type": partial(read, name) if read else type(low), "metavar": "N", "help": ", ".join(words)}
        elif name in texts:
            more |= {"type": partial(read, name) if read else str, "help": texts[name]}
        else:
            more |= {"action": argparse.BooleanOptionalAction, "help": ", ".join(default)}
        place.add_argument(f"--{name.replace('_', '-')}", **more)


def settings_given(options: argparse.Namespace, kind: type[Any]) -> dict[str, Any]:
    """The settings of a checked class that a command line gives."""
    return {name: getattr(options, name) for name in names_of(kind) if hasattr(options, name)}
