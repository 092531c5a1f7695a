"""Every kind of settings that the project stores: its defaults hold, a choice is stored, and only by who may."""

import sys

import pytest

import annotate.work  # with all that stores settings
from annotate.project.acting import OPERATOR, acting
from annotate.project.home import read
from annotate.project.rights import Right
from annotate.project.stored_settings import StoredSettings, change_settings, settings_now
from tests.support.making import query

pytestmark = pytest.mark.usefixtures("home")
# A dataclass with slots is made twice; the first is no longer the one of its module.
KINDS = [kind for kind in StoredSettings.__subclasses__() if vars(sys.modules[kind.__module__])[kind.__name__] is kind]


def test_the_kinds_that_there_are_have_names_of_their_own() -> None:
    assert annotate.work and len(KINDS) >= 3
    assert len({kind.NAME for kind in KINDS}) == len(KINDS)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_every_kind_names_a_right_and_holds_its_defaults_until_somebody_chooses(kind: type[StoredSettings]) -> None:
    assert kind.RIGHT in set(Right) - {Right.SYSTEM}
    with read() as session:
        assert settings_now(session, kind) == kind()
    with acting(OPERATOR):
        change_settings("Anna", kind())
    assert query("SELECT count(*) FROM setting") == [(0,)]  # what holds already is not stored
