"""A topic as it is read: its text, its hash, its form and its rules. What is wrong is said with field and reason."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Any

import yaml
from pydantic import ValidationError

from annotate.topics.rules_of import Problem, Written, rules_of
from annotate.topics.schema import KindEntry, Slot, TopicFile
from model.proposing.rules import Rules

SHIPPED = ("gene_editing", "clinical_trial_findings", "blank")
FIRST = "gene_editing"  # that of projects of releases without topics
MAX_CHARACTERS = 200_000
MAX_DEPTH = 100
_REASONS = {
    "missing": "is missing",
    "extra_forbidden": "is no field of a topic",
    "string_too_short": "is empty",
    "model_type": "must be a mapping",
    "dict_type": "must be a mapping",
    "list_type": "must be a list",
    "string_type": "must be a text",
    "float_type": "must be a number",
    "float_parsing": "must be a number",
    "int_type": "must be a whole number",
    "int_parsing": "must be a whole number",
    "bool_type": "must be true or false",
    "bool_parsing": "must be true or false",
}


class BadTopic(ValueError):
    """A topic's text that cannot be one; `problems` are (field, reason), the message names the file and the first."""

    def __init__(self, source: str, problems: Sequence[Problem]) -> None:
        field, reason = problems[0]
        more = f" (and {len(problems) - 1} more)" if problems[1:] else ""
        super().__init__(f"{source}: {f'{field} ' if field else ''}{reason}{more}")
        self.problems = list(problems)


@dataclass(frozen=True, eq=False)
class Topic:
    """A topic that was checked. `sha256` is of its text; `patterns` are all regular expressions in it."""

    text: str
    sha256: str
    file: TopicFile
    rules: Rules
    patterns: tuple[Written, ...]

    @property
    def name(self) -> str:
        """What people call it."""
        return self.file.name

    def kind_in(self, slot: str) -> KindEntry | None:
        """The kind that stands in this column of document labels; None where the topic has none there."""
        return next((kind for kind in self.file.kinds if kind.stands_in == slot), None)

    @property
    def choices(self) -> tuple[str, ...] | None:
        """What may stand in the third column where its values are chosen; None where they are names."""
        kind = self.kind_in(Slot.EDIT)
        return tuple(choice.key for choice in kind.choices) if kind and kind.choices else None


def sha256_of_text(text: str) -> str:
    """The hash that tells a version of a topic from all others."""
    return hashlib.sha256(text.encode()).hexdigest()


@lru_cache(maxsize=32)
def read_topic(text: str, source: str = "topic") -> Topic:
    """The topic of a text. Raises BadTopic, which names the source, each wrong field and the reason."""
    text = text.replace("\r\n", "\n")
    try:
        form = TopicFile.model_validate(_loaded(text))
    except _Unreadable as error:
        raise BadTopic(source, [("", str(error))]) from None
    except ValidationError as error:
        raise BadTopic(source, [_problem(each) for each in error.errors()]) from None
    sha256 = sha256_of_text(text)
    rules, patterns, problems = rules_of(form, _ranking_sha256(form))
    if problems:
        raise BadTopic(source, problems)
    return Topic(text, sha256, form, rules, tuple(patterns))


def _ranking_sha256(form: TopicFile) -> str:
    """The hash of what ranks: a better guideline or another colour makes no feature and no ranker outdated."""
    told = form.model_dump(mode="json", exclude={"name", "about", "guideline", "examples", "facets"})
    for kind in told["kinds"]:
        for name in ("name", "plural", "colour", "line", "vocabularies", "example"):
            del kind[name]
    return sha256_of_text(json.dumps(told, sort_keys=True))


class _Unreadable(ValueError):
    """A text that is no YAML mapping."""


def _loaded(text: str) -> dict[Any, Any]:
    if len(text) > MAX_CHARACTERS:
        raise _Unreadable(f"longer than {MAX_CHARACTERS:,} characters")
    try:
        _demand_plain(text)
        found = yaml.load(text, yaml.CSafeLoader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        where = f"line {mark.line + 1}: " if mark else ""
        raise _Unreadable(f"{where}no YAML: {error.problem}") from None
    except (yaml.YAMLError, RecursionError, ValueError, KeyError, AttributeError, TypeError) as error:  # of tags, too
        raise error if isinstance(error, _Unreadable) else _Unreadable(f"no YAML: {error}") from None
    if not isinstance(found, dict):
        raise _Unreadable("holds no fields such as name, guideline and queries")
    return found


def _demand_plain(text: str) -> None:
    """Refuses what refers to itself, which would be read for ever, and what is nested deeper than any topic.

    By libyaml: PyYAML's own parser takes half a minute for 20,000 open brackets.
    """
    depth = 0
    for event in yaml.parse(text, yaml.CSafeLoader):
        if isinstance(event, yaml.AliasEvent):
            raise _Unreadable("anchors and aliases (& and *) are not read: write it out")
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if depth > MAX_DEPTH:
            raise _Unreadable(f"no YAML of a topic: lists and fields within one another {MAX_DEPTH} deep")


def _problem(each: Any) -> Problem:
    """The field counted from 1, as in cues.2.weight, and the reason in words."""
    field = ".".join(str(part + 1) if isinstance(part, int) else str(part) for part in each["loc"])
    return field, _reason(each["type"], each["input"], each.get("ctx", {})) or str(each["msg"]).lower()


def _reason(kind: str, given: Any, context: dict[str, Any]) -> str:
    if kind in ("greater_than_equal", "less_than_equal"):
        word, bound = ("at least", context["ge"]) if "ge" in context else ("at most", context["le"])
        return f"is {given}; it must be {word} {bound:g}"
    if kind in ("enum", "literal_error"):
        return f"is {given!r}; it must be {str(context['expected']).replace(chr(39), '')}"
    most, least = context.get("max_length"), context.get("min_length")
    lengths = {
        "too_long": f"has more than {most} entries",
        "string_too_long": f"has more than {most} characters",
        "too_short": f"needs at least {least} entry",
        "string_pattern_mismatch": f"is {given!r}; it must look like {context.get('pattern')}",
    }
    return _REASONS.get(kind) or lengths.get(kind, "")


@lru_cache(maxsize=8)
def shipped(key: str) -> Topic:
    """A topic that Keyline brings, by the name of its file. Raises ValueError that lists them."""
    if key not in SHIPPED:
        raise ValueError(f"no topic {key!r} is shipped; there are {', '.join(SHIPPED)}")
    name = f"{key}.yaml"
    return read_topic((files("annotate.topics") / "shipped" / name).read_text(encoding="utf-8"), name)
