"""The check of many files in one test."""

from pathlib import Path

import pytest

from tests.support.each import each

FILES = [Path("long.py"), Path("short.py")]


def test_every_file_that_fails_is_named_with_its_reason():
    @each(FILES)
    def test_no_file_is_short(path):
        assert path.stem != "short", "too short"

    assert test_no_file_is_short.__name__ == "test_no_file_is_short"
    with pytest.raises(AssertionError, match="too short"):
        test_no_file_is_short()


def test_files_that_all_pass_pass():
    seen = []
    each(FILES)(seen.append)()
    assert seen == FILES


def test_a_check_of_no_file_is_refused():
    with pytest.raises(AssertionError, match="of no file"):
        each([])
