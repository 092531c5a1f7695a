"""Events as pages send them: each refused with its reason, and what only explains one left out where it is odd."""

from typing import Any

import pytest

from annotate.review.events import CommentEvent, Event, PageEvent, ReadingEvent, Refused, VerdictEvent

VERDICT = {"id": "0123456789abcdef", "kind": "verdict", "sentence": 1, "value": "accept"}
NO_NUMBER = "the sentence is not a number"
NO_ID = "an event needs an id of 8 to 64 letters or digits"


@pytest.mark.parametrize(
    ("kind", "changed", "reason"),
    [
        (VerdictEvent, {"id": "short"}, NO_ID),
        (VerdictEvent, {"id": None}, NO_ID),
        (VerdictEvent, {"id": "01234567\n"}, NO_ID),
        (VerdictEvent, {"id": "0123456٣"}, NO_ID),
        (VerdictEvent, {"sentence": True}, NO_NUMBER),
        (VerdictEvent, {"sentence": 1.0}, NO_NUMBER),
        (VerdictEvent, {"sentence": 2**31}, NO_NUMBER),
        (VerdictEvent, {"sentence": 10**5000}, NO_NUMBER),
        (VerdictEvent, {"sentence": None}, NO_NUMBER),
        (VerdictEvent, {"value": "ACCEPT"}, "the verdict is none of accept, reject, unsure, withdrawn"),
        (VerdictEvent, {"value": ["accept"]}, "the verdict is none of accept, reject, unsure, withdrawn"),
        (CommentEvent, {"sentence": -1}, NO_NUMBER),
        (ReadingEvent, {"value": 1}, "read in full is true or false"),
        (ReadingEvent, {"value": "true"}, "read in full is true or false"),
    ],
)
def test_an_event_is_refused_with_the_reason_of_the_field_that_does_not_fit(
    kind: type[Event], changed: dict[str, Any], reason: str
) -> None:
    with pytest.raises(Refused) as refusal:
        kind.of(VERDICT | changed)
    assert str(refusal.value) == reason


@pytest.mark.parametrize("kind", [VerdictEvent, ReadingEvent])
def test_a_field_that_is_missing_is_refused_as_one_that_does_not_fit(kind: type[Event]) -> None:
    with pytest.raises(Refused, match=r"the verdict is none of|read in full is"):
        kind.of({"id": VERDICT["id"]})


@pytest.mark.parametrize("sent", [None, 7, "verdict", [], [VERDICT]])
def test_what_is_no_event_is_refused(sent: Any) -> None:
    with pytest.raises(Refused, match=r"^not an event$"):
        VerdictEvent.of(sent)


def test_every_field_that_can_be_refused_says_why() -> None:
    silent = {
        (kind.__name__, name)
        for kind in (VerdictEvent, CommentEvent, ReadingEvent)
        for name, field in kind.model_fields.items()
        if field.description is None and name not in PageEvent.model_fields
    }
    assert silent == {("CommentEvent", "value")}  # anything: clean_comment refuses it
    odd = VerdictEvent.of(VERDICT | {"time": ["soon"], "shown": 7, "another": {}})  # nor are those of every event
    assert (odd.time, odd.shown) == (["soon"], None)


def test_what_was_shown_is_taken_field_by_field() -> None:
    shown = {"rank": "1", "cosine": 1, "ranking": "hybrid", "model": "a\x00b", "set": -(2**31), "sentences": 2**31 - 1}
    found = VerdictEvent.of(VERDICT | {"shown": shown}).shown
    assert found is not None
    assert found.model_dump() == {
        "rank": None,
        "cosine": 1.0,
        "ranking": "hybrid",
        "model": None,
        "set": None,
        "sentences": 2**31 - 1,
    }


def test_nothing_shown_is_told_from_something_unknown() -> None:
    assert VerdictEvent.of(VERDICT | {"shown": {}}).shown is None
    assert VerdictEvent.of(VERDICT | {"shown": {"colour": "red"}}).shown is not None
