"""Which of the prompts that an encoder names stands before a query, and which before a sentence."""

import json

import pytest

from model.prompts import Prompts, Side, prompts_in, prompts_named


@pytest.mark.parametrize(
    ("named", "default", "wanted"),
    [
        ({"query": "query: ", "passage": "passage: "}, None, Prompts("query: ", "passage: ")),  # E5
        ({"query": "query: ", "document": "", "passage": "passage: "}, None, Prompts("query: ", "passage: ")),
        ({"query": "Represent this: "}, None, Prompts("Represent this: ", "")),  # BGE
        ({"query": "Represent this: "}, "query", Prompts("Represent this: ", "")),
        ({"query": "q: ", "document": "d: ", "passage": "p: ", "corpus": "c: "}, None, Prompts("q: ", "d: ")),  # Nomic
        ({"corpus": "c: ", "clustering": "g: "}, "clustering", Prompts("", "c: ")),
        ({"clustering": "g: ", "query": ""}, "clustering", Prompts("g: ", "g: ")),
        ({"clustering": "g: "}, None, Prompts()),
        ({"query": "", "document": ""}, None, Prompts()),
        ({"query": None, "document": 3, "passage": ["p"]}, "other", Prompts()),
        (None, None, Prompts()),
        (["query"], ["query"], Prompts()),
    ],
)
def test_each_side_has_the_prompt_that_is_named_for_it(named, default, wanted):
    found = prompts_named(named, default if isinstance(default, str) else None)
    assert found == wanted
    assert (found.of(Side.QUERY), found.of(Side.DOCUMENT)) == (wanted.query, wanted.document)
    assert found.any is (wanted != Prompts())


@pytest.mark.parametrize(
    ("content", "wanted"),
    [
        (json.dumps({"prompts": {"query": "où: "}}), Prompts("où: ")),
        (json.dumps({"prompts": {"a": "b: "}, "default_prompt_name": "a"}), Prompts("b: ", "b: ")),
        ("{}", Prompts()),
        ("[1]", Prompts()),
        ("{", Prompts()),
        (None, Prompts()),
    ],
)
def test_the_files_of_an_encoder_say_what_its_prompts_are(tmp_path, content, wanted):
    if content is not None:
        (tmp_path / "config_sentence_transformers.json").write_text(content, encoding="utf-8")
    assert prompts_in(tmp_path) == wanted
