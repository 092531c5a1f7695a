"""The guideline as blocks that a page can show."""

import pytest

from annotate.topics.file import SHIPPED, shipped
from annotate.topics.guideline import blocks_of


def test_headings_lists_and_paragraphs_are_blocks():
    text = "# What counts\nOne line\nand its rest.\n\nAnother.\n- **first** thing\n  goes on\n2. *second*, by `S`"
    assert blocks_of(text) == [
        {"tag": "h4", "runs": [["What counts", ""]]},
        {"tag": "p", "runs": [["One line and its rest.", ""]]},
        {"tag": "p", "runs": [["Another.", ""]]},
        {"tag": "li", "runs": [["first", "b"], [" thing goes on", ""]]},
        {"tag": "li", "runs": [["second", "i"], [", by ", ""], ["S", "kbd"]]},
    ]


@pytest.mark.parametrize("text", ["", " \n\n", "\n"])
def test_an_empty_guideline_has_no_block(text):
    assert blocks_of(text) == []


def test_markup_is_text():
    assert blocks_of("<b>a</b> **") == [{"tag": "p", "runs": [["<b>a</b> **", ""]]}]


@pytest.mark.parametrize("key", SHIPPED)
def test_every_shipped_guideline_has_examples_in_a_list(key):
    tags = [block["tag"] for block in blocks_of(shipped(key).file.guideline)]
    assert tags.count("li") >= 2 and tags[0] == "p"
