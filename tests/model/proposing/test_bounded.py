"""A search by a pattern that people wrote ends after its limit, and a pattern that is ended often is left out."""

import re
import time

import pytest

from model.proposing import bounded
from model.proposing.bounded import MOST_ENDED, Bounded
from model.proposing.names import names_pattern
from model.proposing.rules import Cue, Kind, Naming, Rules, Style
from model.proposing.terms import find_terms
from tests.support.labels import gene_terms
from tests.support.logged import Logged

ENDLESS, AWKWARD = "(?:a|aa|aaa)+c", "a" * 80 + "b"


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounded, "LIMIT_SECONDS", 0.02)


def test_it_finds_what_a_pattern_of_python_finds() -> None:
    text = "Knock-out of Foxq1; knockouts, KO and Knock in."
    for pattern, flags in ((r"knock-?outs?\b", re.I), (r"K[OI]\b", 0), (r"(?<!\w)Fox\w+(?=;)", 0)):
        one, other = Bounded(pattern, flags), re.compile(pattern, flags)
        assert [m.span() for m in one.finditer(text)] == [m.span() for m in other.finditer(text)]
        assert (one.search(text) or [""])[0] == (other.search(text) or [""])[0]
        assert bool(one.match(text)) is bool(other.match(text))


def test_an_endless_search_ends_and_finds_nothing() -> None:
    pattern = Bounded(ENDLESS)
    assert pattern.search(AWKWARD) is None
    assert list(pattern.finditer(AWKWARD)) == []
    assert not pattern.is_left_out
    assert pattern.search("aac") is not None


def test_what_is_done_between_two_matches_does_not_count() -> None:
    pattern, text = Bounded("a+c"), "aac aac"
    for _ in range(MOST_ENDED + 1):
        found = pattern.finditer(text)
        assert next(found).span() == (0, 3)
        began = time.process_time()
        while time.process_time() - began < 2 * bounded.LIMIT_SECONDS:
            pass
        assert next(found).span() == (4, 7)
    assert not pattern.is_left_out


def test_one_that_is_ended_often_is_left_out_and_the_log_says_so(logged: Logged) -> None:
    pattern = Bounded(ENDLESS)
    for _ in range(MOST_ENDED):
        assert pattern.search(AWKWARD) is None
    assert pattern.is_left_out
    assert "takes too long and is left out" in logged.text
    assert pattern.search("aac") is None
    assert list(pattern.finditer("aac")) == []


def test_a_whole_page_of_an_endless_topic_ends() -> None:
    kind = Kind("outcome", mentions=Bounded(ENDLESS))
    rules = Rules(kinds=(kind,), cues=(Cue("slow", 1, Bounded(ENDLESS)),))
    assert [find_terms(AWKWARD, gene_terms(), rules) for _ in range(300)] == [[]] * 300


@pytest.mark.parametrize("style", Style)
def test_names_with_parts_that_people_wrote_are_bounded(style: Style) -> None:
    naming = Naming(style, behind=r"(?:-\w+)+", behind_is="edit", heads=r"(?:o+)+", is_bounded=True)
    found = names_pattern(["FOXQ1"], naming)
    assert isinstance(found, Bounded)
    assert [match["name"] for match in found.finditer("FOXQ1 was")] == ["FOXQ1"]
