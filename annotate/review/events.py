"""What pages send: each kind of event is one class, checked on its own, so that a bad one hinders no other."""

import re
from typing import Annotated, Any, Self

from annotated_types import Predicate
from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    ValidationError,
    ValidatorFunctionWrapHandler,
    WrapValidator,
)

from db.values import Value
from model.checked_settings import ByText

MAX_COMMENT = 4_000
# Control characters but tab and line feed, those that turn the direction of the text around them, and lone surrogates.
_UNFIT = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


class Refused(ValueError):
    """One event that cannot be stored; the message says why."""


class Event(BaseModel):
    """What somebody did on a page. The description of a field is why it is refused without one that fits."""

    model_config = ConfigDict(strict=True)

    id: str = Field(pattern="^[A-Za-z0-9_-]{8,64}$", description="an event needs an id of 8 to 64 letters or digits")

    @classmethod
    def of(cls, sent: Any) -> Self:
        """The event that a page sent. Raises Refused."""
        if not isinstance(sent, dict):
            raise Refused("not an event")
        try:
            return cls.model_validate(sent)
        except ValidationError as error:
            name = error.errors(include_url=False, include_context=False, include_input=False)[0]["loc"][0]
            raise Refused(cls.model_fields[str(name)].description) from None


Position = Annotated[int, Field(ge=0, lt=2**31)]


_Number = Annotated[int, Field(gt=-(2**31), lt=2**31)]
_Words = Annotated[str, Field(max_length=199), Predicate(str.isprintable)]


class Shown(BaseModel):
    """What the screen showed together with the sentence."""

    model_config = ConfigDict(strict=True)

    rank: _Number | None = None
    cosine: Annotated[float, Field(ge=-1.01, le=1.01)] | None = None  # float16 rounds a little beyond 1
    ranking: _Words | None = None
    model: _Words | None = None
    set: _Number | None = None
    sentences: _Number | None = None


def _without_the_odd(sent: Any, take: ValidatorFunctionWrapHandler) -> Any:
    """The details sent with an event, None for invalid ones: details only explain an event and never hinder it."""
    if not isinstance(sent, dict) or not sent:
        return None
    try:
        return take(sent)
    except ValidationError as error:
        odd = {each["loc"][0] for each in error.errors(include_url=False, include_context=False, include_input=False)}
        return take({name: None if name in odd else value for name, value in sent.items()})


class PageEvent(Event):
    """An event of the review page, with the page's time and what it showed."""

    time: Any = None
    shown: Annotated[Shown | None, WrapValidator(_without_the_odd)] = None


class VerdictEvent(PageEvent):
    """What an annotator says of a sentence, by its position."""

    value: ByText[Value] = Field(description=f"the verdict is none of {', '.join(Value)}")
    sentence: Position = Field(description="the sentence is not a number")


_Names = Annotated[str, Field(max_length=MAX_COMMENT), AfterValidator(lambda text: _UNFIT.sub("", text))]


class LabelsEvent(PageEvent):
    """What a key sentence names, by its position: by the key of a kind, names separated by semicolons.

    None: what it names of its article's labels.
    """

    value: dict[str, _Names] | None = Field(description=f"labels are texts of at most {MAX_COMMENT} characters by kind")
    sentence: Position = Field(description="the sentence is not a number")


class CommentEvent(PageEvent):
    """A comment on a sentence, or on the article; its text is fit to be stored after `clean_comment`."""

    value: Any = None
    sentence: Position | None = Field(default=None, description="the sentence is not a number")


class ReadingEvent(PageEvent):
    """Whether the article was read in full."""

    value: bool = Field(description="read in full is true or false")


SHAPES: dict[str, type[PageEvent]] = {
    "verdict": VerdictEvent,
    "labels": LabelsEvent,
    "comment": CommentEvent,
    "read": ReadingEvent,
}


def event_of(sent: dict[str, Any]) -> tuple[str, Any]:
    """The kind of an event that the reader sent, and the event. Raises Refused."""
    kind = sent.get("kind")
    if not isinstance(kind, str) or kind not in SHAPES:
        raise Refused(f"the kind of event is none of {', '.join(SHAPES)}")
    return kind, SHAPES[kind].of(sent)


def clean_comment(text: Any) -> str:
    """A comment as it is stored. Raises Refused for one that is no text, or too long."""
    if not isinstance(text, str) or len(text) > MAX_COMMENT:
        raise Refused(f"a comment is text of at most {MAX_COMMENT} characters")
    return _UNFIT.sub("", text).strip()
