"""Sentences with a function by the list of phrases, from abstracts that nobody labelled."""

from collections.abc import Sequence
from functools import lru_cache
from importlib.resources import files

import yaml

from annotate.functions.labelled import unlabelled_abstracts
from model.functions.phrases import Phrases
from model.functions.roles import Role, role_number


@lru_cache(maxsize=1)
def phrases() -> tuple[Phrases, tuple[int, ...]]:
    """The shipped list, and for each of its functions the place of its role in ROLES."""
    said = yaml.safe_load((files("annotate.functions") / "phrases.yaml").read_text(encoding="utf-8"))
    functions = said["functions"]
    roles = tuple(role_number(Role(one["role"])) for one in functions.values())
    return Phrases({name: one["phrases"] for name, one in functions.items()}, said["alternatives"]), roles


def distant_labels() -> list[tuple[tuple[str, ...], tuple[int, ...]]]:
    """The unlabelled abstracts of the package that comes along, each sentence with its function's place, or -1.

    Abstracts in which no sentence has one are left out.
    """
    found = ((abstract, functions_of(abstract)) for abstract in unlabelled_abstracts())
    return [(abstract, functions) for abstract, functions in found if max(functions, default=-1) >= 0]


def functions_of(sentences: Sequence[str]) -> tuple[int, ...]:
    """The place of each sentence's function, -1 where the phrases tell none."""
    rule, _ = phrases()
    found = map(rule.function_of, sentences)
    return tuple(one[0] if one else -1 for one in found)
