"""A topic's text part by part: what is changed is changed, and all else stays as it was written."""

import json
import re

import pytest

from annotate.topics.file import SHIPPED, BadTopic, read_topic, shipped
from annotate.topics.sections import PARTS, REST, parts_of_text, problems_by_part, text_with
from tests.support.topics import SMALL


@pytest.mark.parametrize("text", [SMALL, *(shipped(key).text for key in SHIPPED)], ids=["small", *SHIPPED])
def test_what_is_put_back_as_it_was_means_the_same(text):
    parts = parts_of_text(text)
    assert set(parts) == set(PARTS)
    again = read_topic(text_with(text, parts))
    assert again.file == read_topic(text).file and again.rules.name == read_topic(text).rules.name
    assert text_with(text, {}) == text


def test_one_part_changes_and_comments_and_all_else_stay():
    text = "# What this is.\n" + SMALL.replace("cues:\n", "# Written at night.\ncues:\n")
    changed = text_with(text, {"name": 'A "new"\nname'})
    assert read_topic(changed).name == 'A "new" name'
    assert "# Written at night.\ncues:\n" in changed
    assert changed.splitlines()[3:] == text.splitlines()[3:]


def test_the_guideline_is_written_as_it_reads():
    wanted = '**One.**\n\n- *a: b*\n  and # more\n\n"quoted"'
    changed = text_with(SMALL, {"guideline": wanted})
    assert parts_of_text(changed)["guideline"] == wanted
    assert read_topic(changed).rules.name == read_topic(SMALL).rules.name


def test_a_part_that_was_not_there_is_added_and_an_emptied_one_goes():
    text = text_with(SMALL, {"cues": ""})
    assert read_topic(text).file.cues == []
    more = text_with(text, {"cues": "cues:\n  - {name: a, weight: 1, words: [b]}"})
    assert [cue.name for cue in read_topic(more).file.cues] == ["a"]


def test_problems_stand_with_their_part():
    text = SMALL.replace("weight: 2", "weight: x").replace("form: 1", "form: 3")
    assert problems_by_part(text) == {"cues": ["cues.1.weight: must be a number"], REST: ["form: is 3; it must be 1"]}
    assert problems_by_part(SMALL) == {}
    assert "no YAML" in problems_by_part("a: [")[REST][0]
    with pytest.raises(BadTopic):
        parts_of_text("a: [")


@pytest.mark.parametrize("form", ["one flow", "quoted keys", "blanks before the colon"])
def test_a_topic_in_another_style_of_yaml_is_changed_part_by_part(form):
    before = read_topic(SMALL).file.model_dump(mode="json", exclude_unset=True)
    text = {
        "one flow": json.dumps(before),
        "quoted keys": re.sub(r"^(\w+):", r'"\1":', SMALL, flags=re.M),
        "blanks before the colon": re.sub(r"^(\w+):", r"\1 :", SMALL, flags=re.M),
    }[form]
    parts = parts_of_text(text)
    assert parts["cues"].startswith("cues:") and parts["queries"].startswith("queries:")
    changed = read_topic(text_with(text, {"name": "Dreams", "cues": "cues:\n  - {name: a, weight: 1, words: [b]}"}))
    assert changed.name == "Dreams" and [cue.name for cue in changed.file.cues] == ["a"]
    kept = changed.file.model_dump(mode="json", exclude_unset=True)
    assert {key: kept[key] for key in kept if key not in ("name", "cues")} == {
        key: before[key] for key in before if key not in ("name", "cues")
    }


@pytest.mark.parametrize("name", ["length", "Section", "similarity to the query", "caption, note or table"])
def test_a_cue_is_not_called_as_something_else_is_where_a_proposal_is_explained(name):
    (problem,) = problems_by_part(SMALL.replace("name: sleeping", f'name: "{name}"'))["cues"]
    assert problem == f"cues.1.name: {name} is what something else is called where a proposal is explained"


def test_a_part_is_added_behind_a_text_whose_last_line_has_no_end():
    text = text_with(SMALL, {"cues": ""}).rstrip("\n")
    changed = text_with(text, {"cues": "cues:\n  - {name: a, weight: 1, words: [b]}"})
    assert [cue.name for cue in read_topic(changed).file.cues] == ["a"]
    assert text_with(text, {}) == text
