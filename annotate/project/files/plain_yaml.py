"""YAML that people write: topics, experiments, simulations, projects. One reader, which takes only plain YAML."""

from pathlib import Path
from typing import Any

import yaml

MOST_CHARACTERS = 200_000  # the longest topic that is shipped has 11,000
MOST_DEPTH = 100
# What PyYAML raises for a value that does not fit its tag, such as `!!int ""`, or is none, such as 2026-13-45.
_OF_TAGS = (yaml.YAMLError, RecursionError, ValueError, LookupError, ArithmeticError, AttributeError, TypeError)


class BadYaml(ValueError):
    """A text that is no plain YAML; the message says why, with the line where there is one."""


def read_yaml(text: str) -> Any:
    """What a text holds: fields, lists, texts, numbers, dates. Raises BadYaml.

    Refused is what would cost more than it says: anchors and aliases, ten lines of which may stand for billions, lists
    and fields in one another without end, and more than MOST_CHARACTERS.
    """
    if len(text) > MOST_CHARACTERS:
        raise BadYaml(f"longer than {MOST_CHARACTERS:,} characters")
    try:
        _demand_plain(text)
        return yaml.load(text, yaml.CSafeLoader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        where = f"line {mark.line + 1}: " if mark else ""
        raise BadYaml(f"{where}no YAML: {error.problem}") from None
    except _OF_TAGS as error:
        raise error if isinstance(error, BadYaml) else BadYaml(f"no YAML: {error}") from None


def read_yaml_file(path: Path) -> Any:
    """What a file holds, as `read_yaml` and `demand_once`; no more of it is read than could be one. Raises BadYaml,
    OSError."""
    try:
        with path.open(encoding="utf-8") as file:
            text = file.read(MOST_CHARACTERS + 1)
    except UnicodeDecodeError:
        raise BadYaml("no text in UTF-8") from None
    found = read_yaml(text)
    demand_once(text)
    return found


def demand_once(text: str) -> None:
    """Raises BadYaml where a field of a YAML text stands twice: only the last one would count."""
    within: list[set[str] | None] = []  # the fields so far of each mapping around a place; None for a list
    nodes = [0]  # in each of these: in a mapping fields and what they hold take turns
    for event in yaml.parse(text, yaml.CSafeLoader):
        if isinstance(event, yaml.NodeEvent):
            nodes[-1] += 1
            fields = within[-1] if within else None
            if fields is not None and nodes[-1] % 2 and isinstance(event, yaml.ScalarEvent):
                if event.value in fields:
                    raise BadYaml(f"line {_line(event)}: {event.value} stands twice")
                fields.add(event.value)
        if isinstance(event, yaml.CollectionStartEvent):
            within.append(set() if isinstance(event, yaml.MappingStartEvent) else None)
            nodes.append(0)
        elif isinstance(event, yaml.CollectionEndEvent):
            within.pop()
            nodes.pop()


def _demand_plain(text: str) -> None:
    """By libyaml: PyYAML's own parser takes half a minute for 20,000 open brackets."""
    depth = 0
    for event in yaml.parse(text, yaml.CSafeLoader):
        if isinstance(event, yaml.AliasEvent):
            raise BadYaml(f"line {_line(event)}: anchors and aliases (& and *) are not read: write it out")
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if depth > MOST_DEPTH:
            raise BadYaml(f"line {_line(event)}: lists and fields within one another {MOST_DEPTH} deep")


def _line(event: yaml.Event) -> int:
    return event.start_mark.line + 1 if event.start_mark else 1
