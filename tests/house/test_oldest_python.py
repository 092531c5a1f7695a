"""Debian 12's own Python, 3.11.2, and older ones of 3.11: nothing is used that they do wrongly."""

import ast
import re

import pytest
import yaml

from tests.house.test_house import PRODUCT, imported, tree
from tests.support.each import each
from tests.support.paths import ROOT

pytestmark = pytest.mark.sqlite("files alone")
# What stands in brackets is a character, and so is what a backslash takes along.
IN_BRACKETS = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]", re.DOTALL)
# `a++`, `a*+`, `a?+`, `a{2}+` and `(?>a)`: until 3.11.5 Python matched some of them wrongly, without an error.
TAKES_AND_NEVER_GIVES_BACK = re.compile(r"[+*?}]\+|\(\?>")


def texts(path):
    """The texts of a module and the pieces of its f-strings, but no docstrings."""
    alone = {id(node.value) for node in ast.walk(tree(path)) if isinstance(node, ast.Expr)}
    nodes = (node for node in ast.walk(tree(path)) if isinstance(node, ast.Constant) and id(node) not in alone)
    return [node.value for node in nodes if isinstance(node.value, str)]


def is_wrong_on_old_python(pattern):
    return TAKES_AND_NEVER_GIVES_BACK.search(IN_BRACKETS.sub("x", pattern)) is not None


@pytest.mark.parametrize("pattern", ["[.?]*+", "a?+", r"\s++(?=\S)", "(?:a|b){0,6}+", "(?>a)", "[^]]++", r"\]*+"])
def test_a_pattern_that_gives_nothing_back_is_seen(pattern):
    assert is_wrong_on_old_python(pattern)


@pytest.mark.parametrize("pattern", ["[-*+]", r"\*+", r"a\?+", r"[\]*+]", "a+b", "C[+][+]", "[*]+"])
def test_a_plus_that_is_a_character_or_repeats_one_is_not_taken_for_it(pattern):
    assert not is_wrong_on_old_python(pattern)


@each([path for path in PRODUCT if "re" in imported(path, late=True)])
def test_no_pattern_gives_nothing_back_where_pythons_own_re_matches_it(path):
    assert not [text for text in texts(path) if is_wrong_on_old_python(text)]


def written_in(content):
    """The texts of a YAML file."""
    if isinstance(content, str):
        yield content
    elif isinstance(content, list | dict):
        for part in content.values() if isinstance(content, dict) else content:
            yield from written_in(part)


@each((ROOT / "annotate" / "topics" / "shipped").glob("*.yaml"))
def test_nor_does_a_pattern_of_a_topic_that_is_shipped(path):
    found = list(written_in(yaml.safe_load(path.read_text())))
    assert found and not [text for text in found if is_wrong_on_old_python(text)]


@each(PRODUCT)
def test_no_archive_is_extracted_by_the_filters_that_came_with_python_3_11_4(path):
    assert not {"data_filter", "tar_filter", "fully_trusted_filter", "extractall", "unpack_archive"} & {
        node.attr for node in ast.walk(tree(path)) if isinstance(node, ast.Attribute)
    }
    calls = [node for node in ast.walk(tree(path)) if isinstance(node, ast.Call)]
    assert not [call for call in calls if isinstance(call.func, ast.Attribute) and call.func.attr == "extract"]
