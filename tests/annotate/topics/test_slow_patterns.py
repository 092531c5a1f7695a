"""Patterns of a topic that search too long are refused before they are used; one that slips through is left out."""

import re

import pytest

import db.rows
from annotate.cli.main import main
from annotate.jobs import lifecycle
from annotate.jobs.lifecycle import leave_out_and_propose, run_here, without_slow_patterns
from annotate.project.acting import Actor, acting
from annotate.project.home import read, write
from annotate.project.rights import Right
from annotate.proposing.propose import propose
from annotate.proposing.scoring import Batch
from annotate.topics.file import SHIPPED, BadTopic, Topic, read_topic, shipped
from annotate.topics.project_topic import current_topic, leave_out, searched_topic, use_topic
from annotate.topics.sections import problems_by_part
from annotate.topics.slow_patterns import slow_pattern, tried_topic
from annotate.work import _proposals_follow
from db import tables
from model.proposing import bounded
from model.proposing.bounded import Bounded, Place, SlowPattern
from model.proposing.ranking import Ranking
from tests.support.making import paper, propose_with, query, store, store_cosines, version_without_weights
from tests.support.topics import SMALL

NEVER_ENDING = [
    r"(a+)+$",
    r"(?:\w+\s?)+\.",
    r"(x|[a-z]y?)+!",
    r"(?=(b|bb)+c)",
    r"\s*\s*\s*\s*x",
    r"(?:a|aa|aaa)+c",
    "(.*,)*x",
]
SLOW = "(?:a|aa|aaa)+c"
AWKWARD = "It fell asleep " + "a" * 80 + "b."


@pytest.fixture
def soon(monkeypatch):
    monkeypatch.setattr(bounded, "BOUND_SECONDS", 0.02)


@pytest.fixture
def begun(monkeypatch):
    """The kinds of the jobs that were begun."""
    kinds = []
    monkeypatch.setattr(lifecycle, "start_after_other_work", lambda kind, payload: kinds.append(kind))
    return kinds


def with_cue(pattern: str) -> str:
    return SMALL.replace("cues:\n", f"cues:\n  - {{name: slow, weight: 1, pattern: '{pattern}'}}\n")


def slow(*patterns: str) -> str | None:
    found = slow_pattern(tuple((f"cues.{place}.pattern", text, re.I) for place, text in enumerate(patterns, 1)))
    return found and found[0]


def as_stored_before(text: str) -> Topic:
    """The topic, stored as a release has that tried no patterns."""
    topic = read_topic(text)
    with write(Right.TOPIC) as session:
        db.rows.add(session, tables.Topic(sha256=topic.sha256, name=topic.name, text=text, chosen_by="Anna"))
    return topic


@pytest.mark.parametrize("pattern", NEVER_ENDING)
def test_a_pattern_that_never_ends_is_found_among_others(pattern):
    assert slow(r"\bmice\b", pattern, r"\w+s") == "cues.2.pattern"


@pytest.mark.parametrize(
    "pattern", [r"\w+\s+x", r"(?:not? )+x", r"[A-Z]{2,}\d*(?:-\d+)?", r"(?<!\w)rat\w*", "é", r"([^,]+,?)+;"]
)
def test_a_pattern_that_ends_is_let_through(pattern):
    assert slow(pattern) is None


@pytest.mark.parametrize("key", SHIPPED)
def test_the_shipped_topics_end(key):
    assert slow_pattern(shipped(key).patterns) is None
    assert shipped(key).patterns or key == "blank"


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
    text = SMALL.replace("example: warm feet", "names: {heads: '(?:o|oo|ooo)+c'}")
    with pytest.raises(BadTopic, match=r"kinds\.1\.names\.heads may search for minutes"):
        use_topic(text, by="Anna")


def test_a_pattern_is_tried_on_sentences_of_the_project_too(home):
    text, sentence = with_cue("(?:snore|snore)+ loudly"), "They " + "snore" * 40 + ", but not loudly."
    assert tried_topic(text).patterns
    with pytest.raises(BadTopic, match=r"cues\.1\.pattern may search for minutes"):
        tried_topic(text, samples=("Warm feet.", sentence))
    store(paper([sentence, "Warm feet."], pmid="1"))
    with pytest.raises(BadTopic, match=r"cues\.1\.pattern may search for minutes"):
        use_topic(text, by="Anna")


def test_what_people_write_has_a_bound_and_what_is_shipped_needs_none():
    for key in SHIPPED:
        kinds, cues = shipped(key).rules.kinds, shipped(key).rules.cues
        assert not any(isinstance(each.pattern, Bounded) for each in cues)
        assert not any(isinstance(kind.mentions, Bounded) or (kind.naming and kind.naming.place) for kind in kinds)
    mine = read_topic(with_cue(r"\bslow\w+"))
    assert mine.rules.cues[0].pattern.place == Place(mine.rules.name, "cues.1.pattern")
    named = read_topic(SMALL.replace("example: warm feet", "names: {heads: '(?:feet|toes)'}"))
    assert named.rules.kinds[0].naming.place == Place(named.rules.name, "kinds.1.names")


def test_a_changed_copy_of_a_shipped_topic_keeps_its_patterns_as_they_are():
    copy = read_topic(shipped("gene_editing").text.replace("name: Gene editing", "name: Ours", 1))
    assert copy.name == "Ours"
    assert not any(isinstance(cue.pattern, Bounded) for cue in copy.rules.cues)


def test_only_what_people_wrote_is_tried(monkeypatch):
    tried = []
    monkeypatch.setattr("annotate.topics.slow_patterns.slow_pattern", lambda patterns, _: tried.append(patterns))
    text = shipped("gene_editing").text
    tried_topic(text)
    tried_topic(
        text.replace("cues:\n", "cues:\n  - {name: slow, weight: 1, pattern: 'a+b'}\n", 1).replace(
            "  - {name: cell, weight: 1.0, kind: cell, likely: always}\n", ""
        )
    )
    assert tried == [(), (("cues.1.pattern", "a+b", re.I),)]


def test_a_field_that_is_left_out_is_searched_in_no_text_and_what_was_learnt_with_it_is_outdated():
    text = with_cue("a+c").replace("example: warm feet", "names: {heads: '(?:feet|toes)'}")
    whole = read_topic(text)
    less = read_topic(text, "topic", (("cues.1.pattern", "slow"), ("kinds.1.names", "slow")))
    assert less.rules.cues[0].pattern is None and less.rules.kinds[0].naming.heads == ""
    assert less.rules.cues[1].pattern is not None
    assert less.rules.name != whole.rules.name and less.rules_sha256 == whole.rules_sha256 == whole.rules.name
    assert less.sha256 == whole.sha256 and less.patterns == whole.patterns


def test_a_pattern_that_is_left_out_is_named_until_the_topic_is_changed(home, capsys):
    topic, _ = as_stored_before(with_cue(SLOW)), version_without_weights("tiny")
    before = _proposals_follow()
    with acting(Actor("Anna", operator=True)):
        assert leave_out(SlowPattern(Place(topic.rules_sha256, "cues.1.pattern")))
        assert leave_out(SlowPattern(Place(topic.rules_sha256, "cues.1.pattern")))  # found by another process, too
    assert not leave_out(SlowPattern(Place("rules of another topic", "cues.1.pattern")))
    reason = "one search took more than 0.5 s of processor time; write it simpler"
    assert current_topic().left_out == (("cues.1.pattern", reason),)
    assert query("SELECT summary FROM history") == [(f"cues.1.pattern of the topic Sleep is left out: {reason}",)]
    assert main(["topic", "show"]) == 0
    assert capsys.readouterr().out.startswith(f"# left out of all searches: cues.1.pattern {reason}\nform: 1\n")
    assert _proposals_follow() != before  # a job that proposes meanwhile begins again
    with read() as session:
        assert searched_topic(session, SMALL).left_out == ()
        other_guideline = with_cue(SLOW).replace("Warm feet let", "Cold feet let")
        assert searched_topic(session, other_guideline).left_out == current_topic().left_out
    assert use_topic(SMALL, by="Anna")
    assert current_topic().left_out == ()


@pytest.mark.usefixtures("soon")
def test_a_job_that_meets_one_goes_on_without_it_and_all_articles_are_ranked_alike(home, begun):
    """The first article is ranked with the pattern, before the second shows that it is slow."""
    store(paper(["It is aac.", "We sleep."], pmid="1"), paper([AWKWARD, "We sleep."], pmid="2"))
    as_stored_before(with_cue(SLOW))
    version = version_without_weights("tiny")
    propose_with(version)
    for article_id in (1, 2):
        store_cosines(version, article_id, "What lets people sleep?", (0.5, 0.5))
    tries = []

    def proposed_one_by_one() -> None:
        tries.append(1)
        for article_id in (1, 2):
            propose(ranking=Ranking.TERMS, article_ids=[article_id])

    without_slow_patterns(proposed_one_by_one)
    assert len(tries) == 2
    first = "SELECT s.position FROM proposal p JOIN sentence s ON s.id = p.sentence_id WHERE p.rank = 1 AND p.set_id = "
    last_sets = "SELECT max(id) FROM proposal_set GROUP BY article_id ORDER BY article_id"
    assert [query(f"{first}{number}") for (number,) in query(last_sets)] == [[(1,)], [(0,)]]
    assert begun == ["propose"]


def test_after_a_job_that_met_one_all_is_proposed_again(home, monkeypatch):
    """Also where the job proposed for some articles, and so stood in the way of another one while it ran."""
    topic = as_stored_before(with_cue(SLOW))
    states = []
    monkeypatch.setattr(lifecycle, "start_after_other_work", lambda *_: states.extend(query("SELECT state FROM job")))

    def works(payload, monitor) -> dict[str, object]:
        if not current_topic().left_out:
            raise SlowPattern(Place(topic.rules_sha256, "cues.1.pattern"))
        return payload

    assert run_here("propose", {"article_ids": [1]}, {"propose": works}, lambda _: None) == {"article_ids": [1]}
    assert states == [("done",)]


def test_an_error_that_no_topic_explains_is_passed_on(home, begun):
    def fails() -> None:
        raise SlowPattern(Place("none", "cues.1.pattern"))

    with pytest.raises(SlowPattern):
        without_slow_patterns(fails)
    assert begun == [] and not leave_out_and_propose(SlowPattern(Place("", "")))


def test_a_batch_that_is_sent_elsewhere_knows_what_is_left_out():
    topic = read_topic(with_cue(SLOW), "topic", (("cues.1.pattern", "slow"),))
    function, given = Batch(0, topic, {}, {}, {}).__reduce__()
    assert function(*given).topic.rules.name == topic.rules.name
