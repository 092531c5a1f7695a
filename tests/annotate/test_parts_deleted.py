"""A part whose line is gone can be deleted: nothing that is left imports it."""

import pytest

from tests.support.parts import arrows_into

CLEAN = ("search", "finding", "entities", "roles", "related", "encoders", "experiments", "webhook", "projects", "api")


@pytest.mark.parametrize("name", CLEAN)
def test_what_is_left_without_a_part_imports_none_of_it(name):
    assert arrows_into(name) == []
