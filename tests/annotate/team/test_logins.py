"""Passwords and logins: which are fit, how often one may guess, over restarts and set clocks, and what ends a login."""

import threading
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import argon2
import pytest
import time_machine

from annotate.project.acting import IDLE, OPERATOR, Forbidden, acting, current_actor, idle_limit, role_of
from annotate.project.home import read
from annotate.project.rights import Role
from annotate.team import logins, passwords, people
from annotate.team.logins import (
    PER_ACCOUNT,
    PER_ADDRESS,
    WINDOW_SECONDS,
    LoginFailed,
    NotEnabled,
    TooManyAttempts,
    actor_of,
    change_password,
    log_in,
    log_out,
    why_not,
)
from annotate.team.passwords import UnfitPassword, fit, hashed, matches, new_hash
from tests.support.making import query
from tests.support.team import PASSWORD, add, browser, cheap_hashes, history, team

WRONG = "an entirely wrong password"


@pytest.fixture(autouse=True)
def local(home: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Accounts with passwords, and hashes that cost next to nothing."""
    monkeypatch.setenv("KEYLINE_AUTH", "local")
    with cheap_hashes():
        yield


@pytest.fixture
def evaluated(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The passwords that were looked at."""
    found: list[str] = []
    real = passwords.matches

    def counted(stored: str | None, password: str) -> bool:
        found.append(password)
        return real(stored, password)

    monkeypatch.setattr(logins, "matches", counted)
    return found


def guess(name: str = "Anna", password: str = WRONG, address: str = "10.0.0.1") -> str:
    """What became of one attempt."""
    try:
        return "in" if log_in(name, password, address=address) else ""
    except (LoginFailed, TooManyAttempts, NotEnabled) as error:
        return type(error).__name__


def role_now(token: str) -> str | None:
    """The role of whoever has this token."""
    actor = actor_of(token)
    with read() as session:
        return role_of(session, actor) if actor else None


# --- Passwords ---


@pytest.mark.parametrize(
    "password", ["", "eleven char", "x" * 129, "x" * 1_000_000, "with\0a NUL within it", "\ud800" * 20, "ﷺ" * 100]
)
def test_an_unfit_password_is_refused_and_never_hashed(password: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def never(*_: Any) -> None:
        raise AssertionError("hashed")

    monkeypatch.setattr(passwords, "_hasher", type("Never", (), {"hash": never, "verify": never})())
    with pytest.raises(UnfitPassword):
        hashed(password)
    with pytest.raises(UnfitPassword):
        matches("$argon2id$", password)


@pytest.mark.parametrize(
    "password",
    [
        "password1234",
        "123456789012",
        "aaaaaaaaaaaa",
        "qwertyuiopas",
        "keyline-admin",
        "celllines2026",
        "Blanch2026Blanch",
    ],
)
def test_a_new_password_that_is_soon_guessed_is_refused(password: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KEYLINE_PROJECT_NAME", "Cell lines")
    with acting(OPERATOR):
        with pytest.raises(UnfitPassword, match="this password is soon guessed: "):
            people.add("Blanch", Role.ADMIN, password=password)
        blanch = people.add("Blanch", Role.ADMIN, password=PASSWORD)
        with pytest.raises(UnfitPassword, match="soon guessed"):
            people.set_password(blanch, password)
    token = log_in("Blanch", PASSWORD, address="a")
    with pytest.raises(UnfitPassword, match="soon guessed"):
        change_password(token, PASSWORD, password, address="a")
    assert new_hash("x1" * 32 + "&any 64 characters and more", "Blanch")


def test_unicode_forms_of_one_password_are_the_same() -> None:
    composed, decomposed, wide = "pässwörd-größe", "pässwörd-größe", "ｐässwörd-größe"
    assert fit(composed) == fit(decomposed) == fit(wide)
    add_hash = hashed(decomposed)
    assert add_hash.startswith("$argon2id$") and matches(add_hash, composed) and matches(add_hash, wide)
    assert not matches(add_hash, composed.upper()) and not matches(None, composed) and not matches("broken", composed)
    assert fit("x" * 12) and fit("x" * 128)


def test_no_more_than_two_passwords_are_hashed_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    running, most, lock, pair = [0], [0], threading.Lock(), threading.Barrier(2, timeout=60)

    def slow(_: str) -> str:
        with lock:
            running[0] += 1
            most[0] = max(most[0], running[0])
        pair.wait()
        time.sleep(0.02)  # for a third
        with lock:
            running[0] -= 1
        return "hash"

    monkeypatch.setattr(passwords, "_hasher", type("Slow", (), {"hash": staticmethod(slow)})())
    threads = [threading.Thread(target=hashed, args=(PASSWORD,)) for _ in range(10)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most == [2]


def test_a_hash_of_another_cost_is_renewed_at_login() -> None:
    add("Anna")
    before = query("SELECT password_hash FROM account")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(passwords, "_hasher", type(passwords._hasher)(time_cost=2, memory_cost=8, parallelism=1))
        assert guess(password=PASSWORD) == "in"
    assert query("SELECT password_hash FROM account") != before and guess(password=PASSWORD) == "in"


# --- Guessing ---


def test_a_name_that_is_not_known_gets_the_same_answer_after_the_same_work(monkeypatch: pytest.MonkeyPatch) -> None:
    add("Anna")
    hasher, costs = passwords._hasher, []

    def verify(stored: str, password: str) -> bool:
        costs.append(argon2.extract_parameters(stored))
        return hasher.verify(stored, password)

    passwords._nobodys()  # made once, by the first attempt of a process
    monkeypatch.setattr(passwords, "_hasher", type("Watched", (), {"verify": staticmethod(verify)})())
    answers = set()
    for name in ("Anna", "Nobody"):
        with pytest.raises(LoginFailed) as caught:
            log_in(name, WRONG, address="10.1.0.1")
        answers.add(str(caught.value))
    assert answers == {"the name or the password is wrong"}
    known, unknown = costs  # one comparison each
    assert known == unknown


@pytest.mark.sqlite("how many are looked at; over many accounts they are counted in both databases")
def test_of_a_thousand_wrong_passwords_ten_are_looked_at(evaluated: list[str]) -> None:
    add("Anna")
    outcomes = [guess(name, address=f"10.0.{n % 250}.1") for n in range(500) for name in ("Anna", "  aNNa ")]
    assert len(evaluated) == PER_ACCOUNT == 10
    assert outcomes.count("LoginFailed") == 10 and outcomes.count("TooManyAttempts") == 990
    assert guess(password=PASSWORD, address="10.9.9.9") == "TooManyAttempts"  # the right one neither


def test_over_many_accounts_fifty_of_an_address_are_looked_at(evaluated: list[str]) -> None:
    outcomes = [guess(f"name {n}") for n in range(200)]
    assert len(evaluated) == PER_ADDRESS == 50 and outcomes.count("TooManyAttempts") == 150
    add("Anna")
    assert guess(password=PASSWORD, address="10.0.0.2") == "in"


def test_guesses_at_the_same_time_are_counted_before_they_are_looked_at(evaluated: list[str]) -> None:
    add("Anna")
    threads = [threading.Thread(target=guess, kwargs={"address": f"10.0.0.{n}"}) for n in range(40)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(evaluated) == PER_ACCOUNT


def test_guesses_are_counted_over_a_restart_and_forgotten_in_time(
    evaluated: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    add("Anna")
    assert {guess() for _ in range(10)} == {"LoginFailed"}
    clock = logins._CLOCK
    monkeypatch.setattr(logins, "_CLOCK", clock + 1)  # as another process works it out
    assert guess() == "TooManyAttempts"
    monkeypatch.setattr(logins, "_CLOCK", clock + WINDOW_SECONDS + 1)
    assert guess() == "LoginFailed" and len(evaluated) == 11
    monkeypatch.setattr(logins, "_CLOCK", clock + 2 * 24 * 3600)
    assert guess(password=PASSWORD) == "in"
    assert query("SELECT count(*) FROM login_attempt") == [(1,)]


@pytest.mark.parametrize("name", ["", "\0", "An\0na", "x" * 100_000, "\ud800", "ﷺ" * 500, "'; DROP TABLE account; --"])
def test_whatever_is_typed_as_a_name_is_a_name_that_is_not_known(name: str) -> None:
    add("Ben")
    assert guess(name) == "LoginFailed"
    ((stored,),) = query("SELECT name FROM login_attempt")
    assert len(stored) <= 120 and (stored.isprintable() or not stored)


def test_right_passwords_lock_nobody_out() -> None:
    add("Anna")
    assert {guess(password=PASSWORD) for _ in range(12)} == {"in"}


@pytest.mark.parametrize("jump", [-3600.0, 24 * 3600.0, -1e9])
def test_a_clock_that_is_set_while_the_app_runs_changes_nothing(evaluated: list[str], jump: float) -> None:
    add("Anna")
    now = time.time()
    with time_machine.travel(now, tick=True):
        assert {guess() for _ in range(10)} == {"LoginFailed"}
    with time_machine.travel(now + jump, tick=True):
        assert guess() == "TooManyAttempts"
    assert len(evaluated) == PER_ACCOUNT


def test_after_a_clock_was_set_back_between_starts_nobody_is_locked_out_for_longer_than_usual(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    add("Anna")
    clock = logins._CLOCK
    assert {guess() for _ in range(10)} == {"LoginFailed"}
    monkeypatch.setattr(logins, "_CLOCK", clock - 24 * 3600)
    assert guess(password=PASSWORD) == "TooManyAttempts"
    monkeypatch.setattr(logins, "_CLOCK", clock - 24 * 3600 + WINDOW_SECONDS - 5)
    assert guess(password=PASSWORD) == "TooManyAttempts"
    monkeypatch.setattr(logins, "_CLOCK", clock - 24 * 3600 + WINDOW_SECONDS + 5)
    assert guess(password=PASSWORD) == "in"


# --- Logins ---


def test_a_login_is_stored_without_its_token_and_ends_when_it_says() -> None:
    add("Anna")
    token = log_in("anna", PASSWORD, address="10.0.0.7", browser="Firefox " * 100)
    ((stored, address, browser_, ended),) = query("SELECT token_sha256, address, browser, ended_at FROM login_session")
    assert token not in stored and len(stored) == 64 and (address, len(browser_), ended) == ("10.0.0.7", 200, None)
    assert len(token) >= 43 and role_now(token) == "annotator" and actor_of(token + "x") is None
    assert history("login") == [("Anna", "logged in from 10.0.0.7")]
    assert "password" in str(query("SELECT details FROM history WHERE kind = 'login'")[0][0])
    with time_machine.travel(datetime.now(UTC) + timedelta(days=13, hours=23), tick=False):
        logins.note_login_used(actor_of(token) or OPERATOR)
        assert role_now(token) == "annotator"
    with time_machine.travel(datetime.now(UTC) + timedelta(days=14, minutes=1), tick=False):
        assert role_now(token) is None
    log_out(token)
    assert role_now(token) is None and (found := actor_of(token)) is not None
    with read() as session:
        assert why_not(session, found) == "You are logged out."


@pytest.mark.postgresql
def test_a_login_that_is_not_used_ends_after_eight_hours(monkeypatch: pytest.MonkeyPatch) -> None:
    add("Anna")
    token = log_in("Anna", PASSWORD, address="a")
    actor, start = actor_of(token) or OPERATOR, datetime.now(UTC)
    for hours, used in ((7.9, True), (15.8, False), (15.95, None)):
        with time_machine.travel(start + timedelta(hours=hours), tick=False):
            assert role_now(token) == (None if used is None else "annotator"), hours
            assert [person.logins for person in people.people()] == [0 if used is None else 1]
            if used:
                logins.note_login_used(actor)
    with time_machine.travel(start + timedelta(hours=15.95), tick=False):
        monkeypatch.setenv(IDLE, "24")
        assert role_now(token) == "annotator"


@pytest.mark.parametrize("hours", ["0", "337", "8.5", "-1", "a day", "²"])
def test_an_unfit_time_of_idleness_is_refused(hours: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(IDLE, hours)
    with pytest.raises(ValueError, match=r"KEYLINE_IDLE_HOURS is .*; it must be a whole number from 1 to 336"):
        idle_limit()


def test_a_disabled_person_is_told_so_only_with_the_right_password() -> None:
    add("Ada", Role.ADMIN)
    anna = add("Anna")
    with acting(OPERATOR):
        people.disable(anna)
    assert guess(password=PASSWORD) == "NotEnabled" and guess() == "LoginFailed"


def test_all_that_ends_logins_ends_them_at_once() -> None:
    ids = team()

    def ended(how: Any) -> bool:
        token, actor = browser("Anna")
        assert role_now(token) == "annotator"
        with acting(actor):
            how()
        return role_now(token) is None

    def by_admin(change: Any, *more: Any) -> Any:
        def run() -> None:
            with acting(OPERATOR):
                change(ids["Anna"], *more)

        return run

    assert ended(logins.end_my_logins)
    assert ended(lambda: logins.end_my_login(current_actor().login_id or 0))
    assert ended(by_admin(people.end_sessions))
    assert ended(by_admin(people.set_password, "another fine password"))
    assert ended(by_admin(people.disable))
    with acting(OPERATOR):
        people.enable(ids["Anna"])
    assert query("SELECT count(*) FROM login_session WHERE ended_at IS NULL") == [(0,)]


def test_nobody_ends_the_login_of_another() -> None:
    team()
    (token, _), (_, cora) = browser("Anna"), browser("Cora")
    with acting(cora):
        with pytest.raises(Forbidden, match="Cora may not end the login 1"):
            logins.end_my_login(1)
        assert [login.account_id for login in logins.my_logins()] == [cora.account_id]
    assert role_now(token) == "annotator"


def test_ones_own_password_is_changed_with_the_old_one_and_logs_out_everywhere_else() -> None:
    add("Anna")
    token, other = log_in("Anna", PASSWORD, address="a"), log_in("Anna", PASSWORD, address="b")
    with pytest.raises(LoginFailed):
        change_password(token, WRONG, "another fine password", address="a")
    with pytest.raises(UnfitPassword):
        change_password(token, PASSWORD, "short", address="a")
    assert role_now(token) == role_now(other) == "annotator"
    fresh = change_password(token, PASSWORD, "another fine password", address="a")
    assert [role_now(one) for one in (token, other, fresh)] == [None, None, "annotator"]
    assert guess(password=PASSWORD) == "LoginFailed" and guess(password="another fine password") == "in"
    with pytest.raises(LoginFailed):
        change_password(other, "another fine password", PASSWORD, address="a")
    assert history("account")[-1] == ("Anna", "changed their password")
