"""The rules by which what several people said of a sentence becomes its label.

A new one is a function and its line in Rule.
"""

from collections.abc import Callable, Collection, Iterable, Sequence
from enum import StrEnum
from typing import Any, Self

from db.values import Value

LABEL_NAMES = {Value.ACCEPT: "1", Value.REJECT: "0", Value.UNSURE: "unsure"}
DISPUTED = "disputed"
# How many must agree where no adjudicator decided.
WITNESSES = 2


def resolve(values: Iterable[str]) -> str:
    """The label of a sentence from its annotators' verdicts: the majority of accept and reject.

    A tie is "disputed"; only unsure verdicts make "unsure".
    """
    given = tuple(values)
    accepted, rejected = given.count(Value.ACCEPT), given.count(Value.REJECT)
    if accepted == rejected:
        return DISPUTED if accepted else LABEL_NAMES[Value.UNSURE]
    return LABEL_NAMES[Value.ACCEPT if accepted > rejected else Value.REJECT]


def majority(values: Collection[str], decision: str | None) -> str:
    """What an adjudicator decided, else the majority of accept and reject."""
    return LABEL_NAMES[Value(decision)] if decision else resolve(values)


def adjudicated(values: Collection[str], decision: str | None) -> str | None:
    """What an adjudicator decided, else what all annotators say, of whom there must be two; None for the rest.

    Two who are both unsure have decided nothing.
    """
    if decision:
        return LABEL_NAMES[Value(decision)]
    agreed = len(values) >= WITNESSES and len(set(values)) == 1 and Value.UNSURE not in values
    return resolve(values) if agreed else None


def single(values: Collection[str], decision: str | None) -> str | None:
    """What the one annotator says whose verdicts alone are given; None where that is nothing."""
    return resolve(values) if values else None


Label = Callable[[Sequence[str], str | None], str | None]
_MAJORITY = "What an adjudicator decided, else the majority of accept and reject; a tie is disputed."
_ADJUDICATED = (
    "What an adjudicator decided, or at least two annotators say with one voice; the rest is left out as undecided."
)
_SINGLE = "Only the verdicts of one annotator."


class Rule(StrEnum):
    """How gold is made of verdicts: by name, the function that labels a sentence, and what it does in words."""

    label: Label
    words: str

    def __new__(cls, name: str, *given: Any) -> Self:
        """A string enum member that also holds its function and words. A look-up by the name alone, Rule("single"),
        never comes here."""
        rule = str.__new__(cls, name)
        rule._value_, (rule.label, rule.words) = name, given
        return rule

    MAJORITY = "majority", majority, _MAJORITY
    ADJUDICATED = "adjudicated", adjudicated, _ADJUDICATED
    SINGLE = "single", single, _SINGLE


def check_rule(rule: str, annotator: str | None) -> Rule:
    """The rule of this name. Raises ValueError for an unknown one, and where an annotator lacks or is in vain."""
    if rule not in set(Rule):
        raise ValueError(f"rule is {rule!r}; it must be one of {', '.join(Rule)}")
    if (rule == Rule.SINGLE) != bool(annotator):
        raise ValueError("the rule single needs the name of one annotator, and no other rule takes one")
    return Rule(rule)
