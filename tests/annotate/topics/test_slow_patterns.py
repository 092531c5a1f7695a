"""Patterns of a topic that would search for ever are refused with their name, before they are used."""

import re
import subprocess

import pytest

from annotate.cli.main import main
from annotate.topics.file import SHIPPED, BadTopic, read_topic, shipped
from annotate.topics.pattern_trial import LONG, awkward_texts, first_slow
from annotate.topics.project_topic import current_topic, use_topic
from annotate.topics.sections import problems_by_part
from annotate.topics.slow_patterns import slow_pattern, tried_topic
from model.proposing.bounded import Bounded
from tests.support.topics import SMALL

NEVER_ENDING = [
    r"(a+)+$",
    r"knockout of (?:\w+\s?)+\.",
    r"(x|[a-z]y?)+!",
    r"(.*,)*x",
    r"([^,]+,?)+;",
    r"(?=(b|bb)+c)",
    r"\s*\s*\s*\s*x",
]


def with_cue(pattern: str) -> str:
    return SMALL.replace("cues:\n", f"cues:\n  - {{name: slow, weight: 1, pattern: '{pattern}'}}\n")


def slow(*patterns: str) -> str | None:
    found = slow_pattern(tuple((f"cues.{place}.pattern", text, re.I) for place, text in enumerate(patterns, 1)))
    return found and found[0]


@pytest.mark.parametrize("pattern", NEVER_ENDING)
def test_a_pattern_that_never_ends_is_found_among_others(pattern):
    assert slow(r"\bmice\b", pattern, r"\w+s") == "cues.2.pattern"


@pytest.mark.parametrize("pattern", [r"\w+\s+x", r"(?:not? )+x", r"[A-Z]{2,}\d*(?:-\d+)?", r"(?<!\w)rat\w*", "é"])
def test_a_pattern_that_ends_is_let_through(pattern):
    assert slow(pattern) is None


@pytest.mark.parametrize("key", SHIPPED)
def test_the_shipped_topics_end(key):
    assert slow_pattern(shipped(key).patterns) is None
    assert shipped(key).patterns or key == "blank"


def test_awkward_texts_lead_to_each_repeat_in_each_way():
    """Reads the private parser of Python's regular expressions: seen in 3.11 to 3.13."""
    assert awkward_texts("go (?:a|[x-z]b)+ and [^a0]*") == [
        ("go ", "a"), ("go ", "xb"), ("go ", "zb"),
        *(("go zb and ", letter) for letter in "A .-,_"),
    ]  # fmt: skip
    assert awkward_texts("a{2}b?") == []


def test_a_topic_with_such_a_pattern_is_neither_stored_nor_checked_nor_shown_as_sound(home, tmp_path, capsys):
    text = with_cue(r"(?:\w+\s?)+\.")
    before = current_topic().sha256
    with pytest.raises(BadTopic, match=r"mine\.yaml: cues\.1\.pattern may search for minutes"):
        use_topic(text, by="Anna", source="mine.yaml")
    assert current_topic().sha256 == before
    assert [problem[:15] for problem in problems_by_part(text)["cues"]] == ["cues.1.pattern:"]
    path = tmp_path / "mine.yaml"
    path.write_text(text)
    assert main(["topic", "check", str(path)]) == 1
    assert "mine.yaml: cues.1.pattern may search for minutes" in capsys.readouterr().err


def test_a_slow_part_of_names_is_named_too(home):
    text = SMALL.replace("example: warm feet", "names: {heads: '(?:o+)+'}")
    with pytest.raises(BadTopic, match=r"kinds\.1\.names\.heads may search for minutes"):
        use_topic(text, by="Anna")


def test_the_alarm_ends_a_search_in_its_middle():
    assert first_slow([("(a+)+$", 0)]) == 0  # it would search for centuries
    assert first_slow([("x+" * 3, 0), ("x" * LONG, 0)]) is None


def test_repeats_of_repeats_are_tried_on_short_texts():
    assert max(len(before + body) for before, body in awkward_texts("(?:(?:(?:(?:a{50}){50}){50}){50}b)+")) < 10 * LONG


@pytest.mark.parametrize(
    "error", [subprocess.TimeoutExpired("trial", 1), subprocess.CalledProcessError(-9, "trial")], ids=["late", "killed"]
)
def test_a_trial_that_did_not_end_is_made_again_the_next_time(home, monkeypatch, error):
    text = with_cue(r"\w+ that no other test tries")

    def fails(*_, **__):
        raise error

    slow_pattern.cache_clear()
    with monkeypatch.context() as patch:
        patch.setattr(subprocess, "run", fails)
        with pytest.raises(BadTopic, match="could not be tried: the machine is too busy"):
            tried_topic(text)
    assert tried_topic(text).patterns


def test_what_people_write_has_a_limit_of_time_and_what_is_shipped_needs_none():
    for key in SHIPPED:
        kinds, cues = shipped(key).rules.kinds, shipped(key).rules.cues
        assert not any(isinstance(each.pattern, Bounded) for each in cues)
        assert not any(isinstance(kind.mentions, Bounded) or (kind.naming and kind.naming.is_bounded) for kind in kinds)
    mine = read_topic(with_cue(r"\bslow\w+"))
    assert isinstance(mine.rules.cues[0].pattern, Bounded)
    named = read_topic(SMALL.replace("example: warm feet", "names: {heads: '(?:feet|toes)'}"))
    assert named.rules.kinds[0].naming.is_bounded


def test_a_changed_copy_of_a_shipped_topic_keeps_its_patterns_as_they_are():
    copy = read_topic(shipped("gene_editing").text.replace("name: Gene editing", "name: Ours", 1))
    assert copy.name == "Ours"
    assert not any(isinstance(cue.pattern, Bounded) for cue in copy.rules.cues)
