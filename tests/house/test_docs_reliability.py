"""The pages of promises have a row for each line of the bar, and each test that they name is there."""

import re

import pytest

from tests.support.paths import ROOT

TEXT = "".join((ROOT / "docs" / name).read_text() for name in ("reliability.md", "hostile_input.md"))
LINES = [*(f"L{n}" for n in range(1, 7)), *(f"F{n}" for n in range(1, 20)), *(str(n) for n in range(1, 46))]
NAMED = sorted(set(re.findall(r"`(tests/[a-z/]+/test_\w+\.py)(?:::(test_\w+))?`", TEXT)))


def test_every_line_has_one_row_and_no_other_has() -> None:
    assert sorted(re.findall(r"^\| ([LF]?\d+) \|", TEXT, re.MULTILINE)) == sorted(LINES)


def test_tests_are_named() -> None:
    assert len(NAMED) > 60


@pytest.mark.parametrize(("file", "function"), NAMED, ids=lambda part: part or "file")
def test_a_test_that_is_named_is_there(file: str, function: str) -> None:
    source = (ROOT / file).read_text()
    assert re.search(rf"^(async )?def {function or 'test_'}", source, re.MULTILINE)
