"""What a language model may answer: thoughts before, words around, and ten megabytes of nonsense, read in one go."""

import json

import pytest
from pydantic import ValidationError

from annotate.llm.client import MOST_BYTES
from annotate.llm.scores import Answered, BadAnswer, read_scores

ASKED = {1, 2}
ANSWER = json.dumps({"sentences": [{"number": 1, "score": 0.25}, {"number": 2, "score": 0.75}]})
SCORES = {1: 0.25, 2: 0.75}


@pytest.mark.parametrize(
    "content",
    [
        ANSWER,
        f"<think>{{or not}}</think>{ANSWER}",
        f"<thinking>\n{{\n</thinking>\n{ANSWER} <think>}}</think>",
        f"<think>{{<think>{{</think>{ANSWER}",
        f"Here it is: {ANSWER}\nAnything else?",
        f"Not {{thought}} of. </think>{ANSWER}",
        f"{{</think><think>{{</think>{ANSWER}",
        f"<think>without end {ANSWER}",
    ],
)
def test_thoughts_and_words_around_an_answer_are_passed_over(content):
    assert read_scores(content, ASKED) == SCORES


# As much as is taken from a server. Work that grows with the square takes hours for it, and is ended.
@pytest.mark.timeout(60)
@pytest.mark.parametrize(
    ("piece", "reason"),
    [
        ("<think>", "in words"),
        ("<think></think", "in words"),
        ("</think>", "in words"),
        ("<think></think>", "in words"),
        ("<think>{</think>}", "in words"),
        ("{", "in words"),
        ("{}", "not of the form"),
        ('{"sentences":[', "in words"),
    ],
)
def test_an_answer_as_long_as_may_be_is_refused_at_once_whatever_is_repeated_in_it(piece, reason):
    with pytest.raises(BadAnswer, match=reason):
        read_scores(piece * (MOST_BYTES // len(piece)), ASKED)


def test_of_a_million_errors_the_first_is_told_and_no_other_is_looked_for():
    content = '{"sentences": [' + ", ".join(['{"score": 0.5}', *['{"number": 1, "score": 9}'] * 3]) + "]}"
    with pytest.raises(ValidationError) as caught:
        Answered.model_validate_json(content)
    assert caught.value.error_count() == 1
    with pytest.raises(BadAnswer, match=r"sentences\.0\.number: Field required"):
        read_scores(content, ASKED)
