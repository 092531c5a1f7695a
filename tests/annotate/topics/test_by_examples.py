"""A topic by examples: what people write becomes a topic's file, and is read back from it."""

import re
from dataclasses import replace

import pytest

from annotate.topics.by_examples import ByExamples, sentences_in, text_of, written_by_examples
from annotate.topics.file import read_topic, shipped
from annotate.topics.guideline import blocks_of
from annotate.topics.schema import EXAMPLES_WEIGHT
from tests.support.topics import SMALL, TOPIC

SLEEP = ByExamples(
    "Sleep: a topic",
    "It says what lets people sleep. The study itself found it.",
    ("Warm feet: people slept.", "Milk let them sleep.", "They fell asleep after a bath."),
    ("Sleep is known - to be good.", "We sent letters.", "# All were asked."),
)


def test_sentences_are_read_one_a_line_without_bullets_and_each_once():
    assert sentences_in("- One is.\n\n  2) Two  are.\n• One is.\n5 mice slept.\n") == (
        "One is.",
        "Two are.",
        "5 mice slept.",
    )


def test_it_becomes_a_file_that_ranks_by_the_examples_and_is_read_back():
    topic = read_topic(text_of(SLEEP, TOPIC))
    assert (topic.name, topic.file.about, topic.rules.kinds, topic.rules.cues) == (SLEEP.name, SLEEP.about, (), ())
    examples = topic.rules.examples
    assert (examples.accepted, examples.rejected, examples.weight) == (SLEEP.accepted, SLEEP.rejected, EXAMPLES_WEIGHT)
    assert topic.rules.queries[topic.rules.best_query] == SLEEP.about
    assert [block["tag"] for block in blocks_of(topic.file.guideline)] == ["p", "p", *["li"] * 3, "p", *["li"] * 3]
    assert written_by_examples(topic) == SLEEP
    other_cosine = re.sub(r"generic: 0\.\d+", "generic: 0.7", topic.text)
    assert other_cosine != topic.text and written_by_examples(read_topic(other_cosine)) == SLEEP


@pytest.mark.parametrize("key", ["gene_editing", "clinical_trial_findings"])
def test_kinds_of_names_are_copied_with_what_they_need(key):
    present = shipped(key)
    topic = read_topic(text_of(ByExamples(SLEEP.name, SLEEP.about, SLEEP.accepted, SLEEP.rejected, True), present))
    assert (topic.keys, topic.rules.cues) == (present.keys, ())
    assert written_by_examples(topic).kinds


def test_a_topic_that_holds_more_is_not_told_by_the_form():
    assert written_by_examples(TOPIC) is None and written_by_examples(read_topic(SMALL)) is None
    text = text_of(SLEEP, TOPIC) + "cues:\n- {name: asleep, weight: 1, words: [asleep]}\n"
    assert written_by_examples(read_topic(text)) is None


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"name": " "}, "Write a name."),
        ({"about": ""}, "Write what counts."),
        ({"accepted": SLEEP.accepted[:2]}, "Write at least 3 sentences that count; there are 2."),
        ({"rejected": ()}, "Write at least 3 sentences that do not count; there are 0."),
        ({"rejected": (*SLEEP.rejected, SLEEP.accepted[0])}, "both lists have: Warm feet: people slept."),
    ],
)
def test_what_is_missing_is_said_in_words(changed, said):
    with pytest.raises(ValueError, match=said):
        text_of(replace(SLEEP, **changed), TOPIC)
