"""Debian 12's own Python, 3.11.2, and older ones of 3.11: nothing is used that they do wrongly. Older ones still are
refused by make."""

import ast
import re
import shutil
import subprocess
import sys

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


@each(PRODUCT)
def test_no_pattern_gives_nothing_back_where_pythons_own_re_matches_it(path):
    assert "re" not in imported(path, late=True) or not [text for text in texts(path) if is_wrong_on_old_python(text)]


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


# Runs what is behind -c as if Python were another one.
OTHER = """#!/bin/sh
exec {python} -c 'import sys; sys.version_info = {version}; exec(sys.argv[2])' "$@"
"""


@pytest.mark.skipif(shutil.which("make") is None, reason="there is no make")
@pytest.mark.parametrize("target", [".venv/ready", ".venv/docs/ready"])
@pytest.mark.parametrize("version", [(3, 10, 14), (2, 7, 18)])
def test_make_names_a_python_that_is_too_old_and_how_to_take_another_and_makes_nothing(tmp_path, target, version):
    shutil.copy(ROOT / "Makefile", tmp_path)
    shutil.copytree(ROOT / "docs" / "site", tmp_path / "docs" / "site")
    shutil.copy(ROOT / "requirements.txt", tmp_path)
    python = tmp_path / "python"
    python.write_text(OTHER.format(python=sys.executable, version=version))
    python.chmod(0o700)
    done = subprocess.run(
        ["make", target, f"PYTHON={python}"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    told = f"and {python} is {'.'.join(map(str, version))}. Name another one: make PYTHON="
    assert done.returncode and f"Keyline needs Python 3.11 or newer, {told}" in done.stderr
    assert not (tmp_path / ".venv").exists()
