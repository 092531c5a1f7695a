"""Accounts and identities: what an admin does with them, whose name is whose, and who waits to be let in."""

import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from annotate.project.acting import OPERATOR, Forbidden, acting, allowed, role_of
from annotate.project.home import read
from annotate.project.rights import Right, Role
from annotate.team import logins, people
from annotate.team.logins import UnusableIdentity, actor_of, actor_of_claims, why_not
from annotate.team.people import LastAdmin
from tests.support.making import query
from tests.support.team import PASSWORD, add, browser, cheap_hashes, history

WRONG = "an entirely wrong password"


@pytest.fixture(autouse=True)
def local(home: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Accounts with passwords, and hashes that cost next to nothing."""
    monkeypatch.setenv("KEYLINE_AUTH", "local")
    with cheap_hashes():
        yield


# --- People ---


def test_everything_done_with_accounts_is_told_in_the_history() -> None:
    add("Ada", Role.ADMIN)
    _, ada = browser("Ada")
    with acting(ada):
        anna = people.add("  anna  lee ", Role.ANNOTATOR, password=PASSWORD)
        people.set_role(anna, Role.CURATOR)
        people.set_role(anna, Role.CURATOR)  # is that already
        people.disable(anna)
        people.disable(anna)
        people.enable(anna)
        people.set_password(anna, "another fine password")
        people.end_sessions(anna)
    assert history("account")[1:] == [
        ("Ada", "added anna lee as annotator"),
        ("Ada", "disabled anna lee"),
        ("Ada", "enabled anna lee"),
        ("Ada", "gave anna lee a new password"),
        ("Ada", "logged anna lee out everywhere"),
    ]
    assert history("role") == [("Ada", "made anna lee curator, who was annotator")]
    ada_row, anna_row = people.people()
    assert (ada_row.name, ada_row.role, ada_row.logins) == ("Ada", "admin", 1) and ada_row.last_login
    assert (anna_row.name, anna_row.known_by, anna_row.logins, anna_row.last_login) == ("anna lee", "password", 0, None)


def test_two_admins_who_disable_each_other_at_once_leave_one() -> None:
    ids = {name: add(name, Role.ADMIN) for name in ("Ada", "Bob")}
    actors = {name: browser(name)[1] for name in ids}
    begin, outcomes = threading.Barrier(2), []

    def disable(by: str, whom: str) -> None:
        begin.wait()
        try:
            with acting(actors[by]):
                people.disable(ids[whom])
        except (LastAdmin, Forbidden) as error:  # the second is disabled by then
            outcomes.append(type(error))

    threads = [threading.Thread(target=disable, args=pair) for pair in (("Ada", "Bob"), ("Bob", "Ada"))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert outcomes == [Forbidden] and query("SELECT count(*) FROM account WHERE NOT disabled") == [(1,)]


def test_the_last_admin_stays_one() -> None:
    ada, bob = add("Ada", Role.ADMIN), add("Bob", Role.ADMIN)
    with acting(OPERATOR):
        people.disable(bob)
        for change in (lambda: people.disable(ada), lambda: people.set_role(ada, Role.CURATOR)):
            with pytest.raises(LastAdmin):
                change()
        people.set_role(bob, Role.CURATOR)  # a disabled admin is none
        people.enable(bob)
        people.set_role(bob, Role.ADMIN)
        people.set_role(ada, Role.MAINTAINER)
    assert query("SELECT role, disabled FROM account ORDER BY id") == [("maintainer", 0), ("admin", 0)]


@pytest.mark.parametrize("name", ["Anna", "ANNA", "Ａnna", "operator", "Keyline", "", "x" * 61, "a:b", "a\nb;c"])
def test_a_name_is_had_by_one_account_alone(name: str) -> None:
    add("Anna")
    with acting(OPERATOR), pytest.raises(ValueError):
        people.add(name, Role.ANNOTATOR, password=PASSWORD)
    assert query("SELECT count(*) FROM account") == [(1,)]


def test_an_account_needs_a_known_role_and_one_way_to_be_known() -> None:
    ways: tuple[dict[str, Any], ...] = ({}, {"password": PASSWORD, "issuer": "i", "subject": "s"}, {"issuer": "i"})
    with acting(OPERATOR):
        for values in ways:
            with pytest.raises(ValueError, match="a password, or an issuer"):
                people.add("Anna", Role.ANNOTATOR, **values)
        with pytest.raises(ValueError, match="must be one of annotator, curator"):
            people.add("Anna", "owner", password=PASSWORD)
        with pytest.raises(people.NoSuchPerson):
            people.find("Anna")
        with pytest.raises(people.NoSuchPerson):
            people.disable(7)


# --- Identities ---


def claims(subject: str = "1", issuer: str = "https://id.example", **more: Any) -> dict[str, Any]:
    """What a provider says of a person who has just logged in."""
    return {"iss": issuer, "sub": subject, "iat": time.time(), "nonce": "n", "name": "Anna", **more}


def test_an_identity_is_its_issuer_and_subject_and_waits_for_an_admin() -> None:
    add("Ada", Role.ADMIN)
    query_accounts = "SELECT issuer, subject, role, disabled FROM account WHERE issuer IS NOT NULL ORDER BY id"
    first = actor_of_claims(claims(email="ada@example.org", email_verified=False))
    assert first is not None and first.name == "Anna"
    with read() as session:
        assert role_of(session, first) is None and "waits for an admin" in why_not(session, first)
    again = actor_of_claims(claims(email="ADA@example.org", name="Another"))
    assert again is not None and (again.account_id, again.name) == (first.account_id, "Anna")
    second = actor_of_claims(claims(issuer="https://other.example", email="ada@example.org"))
    third = actor_of_claims(claims(subject="2", email="ada@example.org", name="ADA"))
    assert second is not None and third is not None and (second.name, third.name) == ("Anna 2", "ADA 2")
    assert query(query_accounts) == [
        ("https://id.example", "1", "annotator", 1),
        ("https://other.example", "1", "annotator", 1),
        ("https://id.example", "2", "annotator", 1),
    ]


def test_an_identity_named_by_an_admin_has_its_role_from_the_first_login_on() -> None:
    with acting(OPERATOR):
        people.add("Ada", Role.ADMIN, issuer="https://id.example", subject="7")
        with pytest.raises(ValueError, match="has an account already"):
            people.add("Bea", Role.ADMIN, issuer="https://id.example", subject="7")
        with pytest.raises(ValueError, match="not with a password"):
            people.set_password(1, PASSWORD)
    actor = actor_of_claims(claims("7", name="Mallory"))
    assert actor is not None and actor.name == "Ada"
    with read() as session:
        assert allowed(session, Right.PEOPLE, actor)


def test_a_login_of_an_identity_can_be_ended_although_the_provider_s_cookie_lasts() -> None:
    said = claims()
    actor = actor_of_claims(said)
    assert actor is not None
    with acting(OPERATOR):
        people.enable(actor.account_id or 0)
        people.end_sessions(actor.account_id or 0)
    assert actor_of_claims(said) == actor  # known again by the same row, which has ended
    with read() as session:
        assert role_of(session, actor) is None
    fresh = actor_of_claims(said | {"iat": said["iat"] + 1})
    with read() as session:
        assert fresh is not None and role_of(session, fresh) == "annotator"
    with acting(fresh):
        logins.end_my_login(fresh.login_id or 0)
        with read() as session:
            assert not allowed(session, Right.REVIEW)


@pytest.mark.parametrize("hours", [-2, 2])
def test_a_cookie_that_was_never_used_while_fresh_is_nobody_s(hours: int) -> None:
    assert actor_of_claims(claims(iat=time.time() + hours * 3600)) is None
    assert query("SELECT count(*) FROM account") == [(0,)]


@pytest.mark.parametrize(
    "wrong", [{"iss": None}, {"sub": ""}, {"sub": 7}, {"iss": "x" * 256}, {"sub": "a\0b"}, {"iat": None}, {"iat": "1"}]
)
def test_claims_that_do_not_tell_who_it_is_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(UnusableIdentity):
        actor_of_claims(claims() | wrong)
    assert query("SELECT count(*) FROM account") == [(0,)]


@pytest.mark.parametrize("name", [None, "", "x" * 5000, "a\n;b", "\u202e", 7])
def test_a_name_that_a_provider_makes_up_breaks_nothing(name: Any) -> None:
    actor = actor_of_claims(claims(name=name))
    assert actor is not None and 0 < len(actor.name) <= 60 and actor.name.isprintable()


def test_nobody_is_anybody_without_a_login() -> None:
    add("Anna")
    assert actor_of("") is None
    with pytest.raises(Forbidden, match="a person without login may not manage people"):
        people.add("Mallory", Role.ADMIN, password=PASSWORD)
