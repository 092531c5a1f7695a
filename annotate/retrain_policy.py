"""When training begins by itself and who promotes what comes of it: a choice of the project, stored as a setting."""

from contextlib import suppress
from dataclasses import asdict, dataclass, fields, replace
from enum import StrEnum

from sqlalchemy.orm import Session

import db.settings
from annotate.acting import own_name
from annotate.home import write
from annotate.rights import Right

NAME = "retrain"


class When(StrEnum):
    """What begins a training."""

    CLICK = "click"
    AFTER = "after"  # so many new verdicts
    NIGHT = "night"


class Gate(StrEnum):
    """Who lets a new version propose."""

    HUMAN = "human"
    BETTER = "better"  # the job itself, where the version is better on the test articles by more than its interval


@dataclass(frozen=True, slots=True)
class RetrainPolicy:
    """The choice. `night_hour` is the server's local time; `after_verdicts` counts events since the last training.

    Raises ValueError that names the value and what is allowed.
    """

    when: When = When.CLICK
    after_verdicts: int = 200
    night_hour: int = 2
    gate: Gate = Gate.HUMAN

    def __post_init__(self) -> None:
        for name, kind in ENUMS.items():
            value = getattr(self, name)
            if value not in list(kind):
                raise ValueError(f"{name} {value!r} is none of {', '.join(kind)}")
            object.__setattr__(self, name, kind(value))
        for name, (low, high) in BOUNDS.items():
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
                raise ValueError(f"{name} is {value!r}; it must be a whole number from {low} to {high}")


ENUMS: dict[str, type[StrEnum]] = {"when": When, "gate": Gate}
BOUNDS = {"after_verdicts": (1, 1_000_000), "night_hour": (0, 23)}


def retrain_policy(session: Session) -> RetrainPolicy:
    """The policy that holds; nobody having chosen, training is by click and promotion a person's.

    What another release stored and this one does not know is left out, and a value that it does not take gives way to
    the default: the page on which another can be chosen must open, and a training that is done must not fail.
    """
    stored = db.settings.latest_setting(session, NAME)
    made = RetrainPolicy()
    for field in fields(RetrainPolicy):
        if stored is not None and field.name in stored.content:
            with suppress(ValueError):
                made = replace(made, **{field.name: stored.content[field.name]})
    return made


def change_retrain_policy(by: str, policy: RetrainPolicy) -> None:
    """Makes this the policy from now on; one that holds already is not stored again."""
    with write(Right.TRAIN) as session:
        if retrain_policy(session) != policy:
            content = {name: str(value) if name in ENUMS else value for name, value in asdict(policy).items()}
            db.settings.insert_setting(session, name=NAME, content=content, changed_by=own_name(by))
