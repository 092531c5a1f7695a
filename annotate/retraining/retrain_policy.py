"""When training begins by itself and who promotes its version: a choice of the project, stored as a setting."""

from enum import StrEnum

from pydantic import Field

from annotate.project.rights import Right
from annotate.project.stored_settings import StoredSettings
from model.checked_settings import ByText, checked


class When(StrEnum):
    """What begins a training."""

    CLICK = "click"
    AFTER = "after"  # a number of new verdicts
    NIGHT = "night"


class Gate(StrEnum):
    """Who lets a new version propose."""

    HUMAN = "human"
    BETTER = "better"  # the job itself, where the version is better on the test articles by more than its interval


@checked
class RetrainPolicy(StoredSettings):
    """The policy of training; by default, training starts by click and a person promotes.

    `night_hour` is the server's local time; `after_verdicts` counts events since the last training.
    """

    NAME = "retrain"
    RIGHT = Right.TRAIN

    when: ByText[When] = When.CLICK
    after_verdicts: int = Field(default=200, ge=1, le=1_000_000)
    night_hour: int = Field(default=2, ge=0, le=23)
    gate: ByText[Gate] = Gate.HUMAN
