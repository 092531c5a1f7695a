"""A search by a pattern that people wrote is bounded by the work of its own thread, and never half an answer."""

import pickle
import re
import threading
import time

import pytest

from model.proposing import bounded
from model.proposing.bounded import Bounded, Place, SlowPattern
from model.proposing.names import names_pattern
from model.proposing.rules import Naming, Style
from model.proposing.terms import DocumentTerms

ENDLESS, AWKWARD = "(?:a|aa|aaa)+c", "a" * 80 + "b"
PLACE = Place("rules", "cues.1.pattern")


@pytest.fixture
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounded, "BOUND_SECONDS", 0.02)


def test_it_finds_what_a_pattern_of_python_finds() -> None:
    text = "Knock-out of Foxq1; knockouts, KO and Knock in."
    for pattern, flags in ((r"knock-?outs?\b", re.I), (r"K[OI]\b", 0), (r"(?<!\w)Fox\w+(?=;)", 0)):
        one, other = Bounded(pattern, flags), re.compile(pattern, flags)
        assert [m.span() for m in one.finditer(text)] == [m.span() for m in other.finditer(text)]
        assert (one.search(text) or [""])[0] == (other.search(text) or [""])[0]
        assert bool(one.match(text)) is bool(other.match(text))
        assert bool(one.fullmatch(text)) is bool(other.fullmatch(text))
        assert one.sub("-", text) == other.sub("-", text)


@pytest.mark.usefixtures("soon")
@pytest.mark.parametrize("method", ["search", "match", "fullmatch", "finditer"])
def test_an_endless_search_is_an_error_that_names_the_pattern(method: str) -> None:
    pattern = Bounded(ENDLESS, 0, PLACE)
    with pytest.raises(SlowPattern, match=r"the topic's cues\.1\.pattern searches too long") as error:
        getattr(pattern, method)(AWKWARD)
    assert pickle.loads(pickle.dumps(error.value)).place == PLACE
    assert pattern.search("aac") is not None


def test_the_work_of_other_threads_changes_no_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    """The library counts the time of all threads: here it ends a search while this thread has hardly begun."""
    monkeypatch.setattr(bounded, "BOUND_SECONDS", 5.0)
    pattern, asked = Bounded(ENDLESS), []

    def ended_by_others(text: str, **bound: float) -> str:
        asked.append(bound["timeout"])
        if len(asked) < 3:
            raise TimeoutError
        return f"found in {text}"

    assert pattern._within(lambda **bound: ended_by_others("this", **bound)) == "found in this"
    assert asked == [5.0, 10.0, 20.0]


@pytest.mark.usefixtures("soon")
def test_a_slow_pattern_is_slow_and_a_quick_one_quick_next_to_busy_threads() -> None:
    stop = threading.Event()

    def busy() -> None:
        while not stop.is_set():
            sum(range(1000))

    threads = [threading.Thread(target=busy) for _ in range(3)]
    for thread in threads:
        thread.start()
    try:
        for _ in range(5):
            assert Bounded(r"(?:a|b)+b").search(AWKWARD) is not None
            with pytest.raises(SlowPattern):
                Bounded(ENDLESS).search(AWKWARD)
    finally:
        stop.set()
        for thread in threads:
            thread.join()


@pytest.mark.usefixtures("soon")
def test_what_is_done_between_two_matches_does_not_count() -> None:
    found = Bounded("a+c").finditer("aac aac")
    assert next(found).span() == (0, 3)
    began = time.process_time()
    while time.process_time() - began < 2 * bounded.BOUND_SECONDS:
        pass
    assert next(found).span() == (4, 7)


@pytest.mark.usefixtures("soon")
@pytest.mark.parametrize("style", Style)
def test_names_with_parts_that_people_wrote_are_bounded(style: Style) -> None:
    naming = Naming(style, behind=r"(?:-\w+)+", behind_is="edit", heads=r"(?:o+)+", place=PLACE)
    found = names_pattern(["FOXQ1"], naming)
    assert isinstance(found, Bounded) and found.place == PLACE
    assert [match["name"] for match in found.finditer("FOXQ1 was")] == ["FOXQ1"]


@pytest.mark.usefixtures("soon")
def test_what_is_left_off_a_name_is_searched_within_the_bound_too() -> None:
    with pytest.raises(SlowPattern):
        names_pattern(["x " + AWKWARD], Naming(Style.PHRASE, own_heads=ENDLESS, place=PLACE))


def test_no_names_need_no_pattern() -> None:
    assert names_pattern(DocumentTerms().names("gene"), Naming(Style.PHRASE, place=PLACE)) is None
