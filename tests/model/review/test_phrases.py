"""The rule that gives a sentence a function by its phrase."""

import csv

import pytest

from annotate.review.sentence_roles import phrases
from model.review.phrases import Phrases
from tests.support.paths import DATA

RULE = Phrases(
    {"gap": ["little is known about", "known"], "aim": ["the aim of * was to"]}, [("is", "was"), ("aim", "goal")]
)


@pytest.mark.parametrize(
    ("text", "function"),
    [
        ("Little is known about yeast.", "gap"),
        ("Little was known about yeast.", "gap"),  # words that replace each other
        ("The goal of this small study was to sleep.", "aim"),  # a star is one to four words
        ("However, little is known about yeast.", "gap"),
    ],
)
def test_a_phrase_in_the_main_clause_gives_its_function(text, function):
    found = RULE.function_of(text)
    assert found is not None and RULE.functions[found[0]] == function


@pytest.mark.parametrize(
    "text",
    [
        "Yeast is known.",  # a phrase of one word is too general
        "We grew yeast, which means little is known about it.",  # in a subordinate clause
        "Little is known about yeast and the aim of this study was to learn more.",  # two functions
        "The aim of this very long and wordy study was to sleep.",  # more than four words
    ],
)
def test_other_sentences_get_none(text):
    assert RULE.function_of(text) is None


def test_the_span_is_that_of_the_phrase_in_words():
    assert RULE.function_of("So little is known about it.") == (0, (1, 5))


def test_what_was_judged_by_eye_names_functions_of_the_list() -> None:
    with (DATA / "distant_labels.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 200 and {row["right"] for row in rows} == {"0", "1"}
    assert len({(row["pmid"], row["sentence"]) for row in rows}) == 200
    assert {row["function"] for row in rows} <= set(phrases()[0].functions)


def test_a_sentence_can_be_had_without_its_phrase():
    assert RULE.without_phrase("However, little is known about yeast.") == "however yeast"
    assert RULE.without_phrase("Yeast is known.") == "Yeast is known."
