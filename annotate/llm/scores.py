"""What the language model answers: JSON with a score for each number, read strictly, since it may say anything."""

import re
from collections.abc import Collection
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, FailFast, Field, ValidationError, field_validator

DIGITS = 4
_THOUGHT_BEGINS = re.compile("<think(?:ing)?>")
_THOUGHT_ENDS = re.compile("</think(?:ing)?>")


class BadAnswer(ValueError):
    """An answer that cannot be used, with what is wrong about it."""


class _Part(BaseModel):
    """Strict, but for further fields: a server that knows no schema may let a model add some."""

    model_config = ConfigDict(strict=True, frozen=True, json_schema_extra={"additionalProperties": False})


class Scored(_Part):
    """One sentence by its number, with the probability that it is a key sentence."""

    number: int
    score: float = Field(allow_inf_nan=False)

    @field_validator("score")
    @classmethod
    def _probability(cls, score: float) -> float:
        # Not bounds of the field: they would stand in the schema, where some servers refuse them.
        if not 0 <= score <= 1:
            raise ValueError(f"the score {score:g} is not between 0 and 1")
        return score


class Answered(_Part):
    """The whole answer."""

    sentences: Annotated[list[Scored], FailFast()]  # the first error is told; an answer may hold a million


def schema() -> dict[str, Any]:
    """The JSON schema of an answer, as servers that hold a model to one take it."""
    return {"name": "scores", "strict": True, "schema": Answered.model_json_schema()}


def read_scores(content: str, asked: Collection[int]) -> dict[int, float]:
    """The scores by number, of some or all of those that were asked for. Raises BadAnswer for anything else."""
    text = _without_thoughts(content)
    begin, end = text.find("{"), text.rfind("}") + 1
    if begin < 0 or end <= begin:
        raise BadAnswer("it answered in words, not in JSON")
    try:
        answer = Answered.model_validate_json(text[begin:end])
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        raise BadAnswer(
            f"its JSON is not of the form that was asked for ({place or 'whole'}: {first['msg']})"
        ) from None
    found: dict[int, float] = {}
    for entry in answer.sentences:
        if entry.number not in asked:
            raise BadAnswer(f"it scored number {entry.number}, which it was not asked about")
        score = round(entry.score, DIGITS)
        if found.setdefault(entry.number, score) != score:
            raise BadAnswer(f"it gave number {entry.number} two scores")
    return found


def _without_thoughts(content: str) -> str:
    """The text without the thoughts that some models write; a thought that never ends is no thought.

    Some templates begin the thought in the question: then the answer holds only its end. By two searches and not by
    one pattern, which would search for an end again behind each beginning.
    """
    begin, end = _THOUGHT_BEGINS.search(content), _THOUGHT_ENDS.search(content)
    kept, at = [], end.end() if end and (begin is None or end.start() < begin.start()) else 0
    while (start := _THOUGHT_BEGINS.search(content, at)) and (end := _THOUGHT_ENDS.search(content, start.end())):
        kept.append(content[at : start.start()])
        at = end.end()
    return "".join([*kept, content[at:]])
