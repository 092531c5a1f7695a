"""A topic as it is read: its text, its hash, its form and its rules. Errors are told with field and reason."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from importlib.resources import files
from typing import Any

from pydantic import ValidationError

from annotate.project.files.plain_yaml import BadYaml, read_yaml
from annotate.topics.rules_of import Problem, Written, common_of, examples_of, rules_of, shared_words_of
from annotate.topics.schema import TopicFile
from model.proposing.rules import Rules

SHIPPED = ("gene_editing", "clinical_trial_findings", "blank")
FIRST = "gene_editing"  # the topic of projects of releases without topics
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
    """A topic that was checked. `sha256` is of its text; `patterns` are all regular expressions in it.

    `left_out` are the fields of patterns that are not searched, with the reasons; `rules_sha256` names the rules with
    all patterns.
    """

    text: str
    sha256: str
    file: TopicFile
    rules: Rules
    patterns: tuple[Written, ...]
    rules_sha256: str
    left_out: tuple[Problem, ...] = ()

    @property
    def name(self) -> str:
        """What people call it."""
        return self.file.name

    @property
    def keys(self) -> tuple[str, ...]:
        """The keys of its kinds, under which labels are stored."""
        return tuple(kind.key for kind in self.file.kinds)

    @property
    def choices(self) -> dict[str, tuple[str, ...]]:
        """What may be chosen, by the key of each kind whose values are chosen."""
        return {kind.key: tuple(choice.key for choice in kind.choices) for kind in self.file.kinds if kind.choices}


def sha256_of_text(text: str) -> str:
    """The hash that tells a version of a topic from all others."""
    return hashlib.sha256(text.encode()).hexdigest()


@lru_cache(maxsize=32)
def read_topic(text: str, source: str = "topic", left_out: tuple[Problem, ...] = ()) -> Topic:
    """The topic of a text, without the patterns of the fields that are left out.

    Raises BadTopic, which names the source, each wrong field and the reason.
    """
    text = text.replace("\r\n", "\n")
    try:
        fields = read_yaml(text)
        if not isinstance(fields, dict):
            raise BadYaml("holds no fields such as name, guideline and queries")
        form = TopicFile.model_validate(fields)
    except BadYaml as error:
        raise BadTopic(source, [("", str(error))]) from None
    except ValidationError as error:
        problems = []
        for each in error.errors():  # entries are counted from 1, as in cues.2.weight
            field = ".".join(str(part + 1) if isinstance(part, int) else str(part) for part in each["loc"])
            reason = _reason(each["type"], each["input"], each.get("ctx", {}))
            problems.append((field, reason or str(each["msg"]).lower()))
        raise BadTopic(source, problems) from None
    name = _ranking_sha256(form)
    fields = sorted(field for field, _ in left_out)
    known = None if text in map(_shipped_text, SHIPPED) else shipped_patterns()
    rules, patterns, problems = rules_of(form, name, known, fields)
    if problems:
        raise BadTopic(source, problems)
    if fields:  # what was ranked or learnt with all patterns is outdated
        rules = replace(rules, name=sha256_of_text(" ".join([name, *fields])))
    return Topic(text, sha256_of_text(text), form, rules, tuple(patterns), name, left_out)


def _ranking_sha256(form: TopicFile) -> str:
    """The hash of what affects ranking: another guideline or colour makes no feature or ranker outdated."""
    fields = form.model_dump(mode="json", exclude={"name", "about", "guideline", "examples", "facets"})
    fields["shared_words"] = shared_words_of(form) if form.queries.article else 0.0
    if (examples := examples_of(form)).weight:  # else they only show people what counts
        fields["examples"] = asdict(examples)
    fields["common"] = common_of(form)
    # Without these fields the hash is the one of releases that did not know them: what they learnt stays good.
    for part, name in [
        (fields, "shared_words"),
        (fields, "common"),
        (fields["queries"], "each"),
        *((cue, "section") for cue in fields["cues"]),
    ]:
        if not part[name]:
            del part[name]
    for kind, entry in zip(fields["kinds"], form.kinds, strict=True):
        # Part of the hash since the releases that stored labels there: what they learnt stays good.
        kind["stands_in"] = entry.stood_in
        for name in ("name", "plural", "colour", "line", "vocabularies", "example"):
            del kind[name]
    return sha256_of_text(json.dumps(fields, sort_keys=True))


@lru_cache(maxsize=1)
def shipped_patterns() -> frozenset[str]:
    """All patterns of the topics that Keyline brings: these need no bound, and no trial."""
    return frozenset(pattern for key in SHIPPED for _, pattern, _ in shipped(key).patterns)


@lru_cache(maxsize=8)
def _shipped_text(key: str) -> str:
    return (files("annotate.topics") / "shipped" / f"{key}.yaml").read_text(encoding="utf-8")


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
    return read_topic(_shipped_text(key), f"{key}.yaml")
