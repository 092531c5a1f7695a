"""Who is acting: named in a block, told by a page, one's only user without login, and asked of the database."""

import threading
from pathlib import Path

import pytest

from annotate.project import acting as module
from annotate.project.acting import (
    ANONYMOUS,
    KEYLINE,
    OPERATOR,
    Actor,
    Auth,
    Forbidden,
    acting,
    allowed,
    auth,
    current_actor,
    demand,
    own_name,
    resolve_by,
    role_of,
)
from annotate.project.home import read
from annotate.project.refusals import MOST_IN, note_refusal
from annotate.project.rights import Right, Role
from annotate.team import people
from tests.support.team import add, browser, cheap_hashes, history

ANNA = Actor("Anna", 1, 1)


@pytest.fixture
def local(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """People log in."""
    monkeypatch.setenv("KEYLINE_AUTH", "local")


def test_how_people_are_known_is_set_by_a_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    for given, expected in ((None, Auth.OFF), ("", Auth.OFF), ("local", Auth.LOCAL), ("oidc", Auth.OIDC)):
        monkeypatch.delenv("KEYLINE_AUTH", raising=False)
        if given is not None:
            monkeypatch.setenv("KEYLINE_AUTH", given)
        assert auth() is expected
    monkeypatch.setenv("KEYLINE_AUTH", "none")
    with pytest.raises(ValueError, match="'none'; it must be one of off, local, oidc"):
        current_actor()  # a typing error opens nothing


def test_without_login_the_only_user_may_do_everything_under_any_name(home: Path) -> None:
    assert current_actor() is OPERATOR and own_name("Anybody") == "Anybody"
    with read() as session:
        assert all(allowed(session, right) for right in Right)


def test_with_login_nobody_acts_unless_named(local: None) -> None:
    assert current_actor() is ANONYMOUS
    with acting(ANNA):
        assert current_actor() is ANNA and own_name("Anna") == "Anna"
        with acting(KEYLINE):
            assert current_actor() is KEYLINE
        assert current_actor() is ANNA
        seen: list[Actor] = []
        thread = threading.Thread(target=lambda: seen.append(current_actor()))
        thread.start()
        thread.join()
        assert seen == [ANONYMOUS]  # another thread is not this block
    assert current_actor() is ANONYMOUS
    with pytest.raises(Forbidden, match="a person without login may not act as Anna"):
        own_name("Anna")


def test_pages_are_asked_who_acts_where_nobody_was_named(local: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_resolvers", [])
    answers: list[Actor | None] = [None, ANNA]

    def resolver() -> Actor | None:
        return answers.pop(0)

    resolve_by(resolver)
    resolve_by(resolver)
    assert current_actor() is ANONYMOUS and current_actor() is ANNA and not answers
    with acting(KEYLINE):
        assert current_actor() is KEYLINE


def test_a_role_is_asked_of_the_database_each_time(local: None) -> None:
    with cheap_hashes():
        anna, ada = add("Anna"), add("Ada", Role.ADMIN)
    _, actor = browser("Anna")

    def role(of: Actor = actor) -> str | None:
        with read() as session:
            return role_of(session, of)

    assert role() == "annotator" and role(Actor("Anna", anna, actor.epoch)) == "annotator"
    for wrong in (ANONYMOUS, Actor("X", 99, 1), Actor("Anna", anna, 7), Actor("Anna", ada, 1, login_id=actor.login_id)):
        assert role(wrong) is None
    assert role(Actor("Anna", anna, actor.epoch, login_id=999)) is None
    with acting(OPERATOR):
        people.set_role(anna, Role.CURATOR)
    assert role() == "curator"
    with acting(OPERATOR):
        people.disable(anna)
    assert role() is None
    with acting(OPERATOR):
        people.enable(anna)
    assert role() is None  # the login ended with the disabling
    with acting(actor), read() as session, pytest.raises(Forbidden, match="Anna may not review articles"):
        demand(session, Right.REVIEW)


def test_a_refusal_is_noted_in_the_name_of_whoever_was_refused_once_a_minute(local: None) -> None:
    with cheap_hashes():
        add("Anna")
    with acting(ANNA):
        for _ in range(5):
            note_refusal(Forbidden("Anna may not promote"))
        note_refusal("x" * 1_000)
    note_refusal("somebody")
    assert history("refused") == [("Anna", "Anna may not promote"), ("Anna", "x" * 300), ("", "somebody")]


def test_other_words_each_time_fill_no_disk_either(local: None) -> None:
    with cheap_hashes():
        add("Anna")
    with acting(ANNA):
        for number in range(50):
            note_refusal(f"the article has no sentence {number}")
    note_refusal("somebody else")
    assert len(history("refused")) == MOST_IN + 1
