"""A second factor: codes and recovery codes count once, are guessed as seldom as passwords, and can be taken off."""

from collections.abc import Iterator
from pathlib import Path

import pyotp
import pytest
import time_machine

from annotate.project.acting import OPERATOR, acting, role_of
from annotate.project.home import read
from annotate.team import logins, people, second_factor
from annotate.team.logins import (
    PER_ACCOUNT,
    CodeNeeded,
    LoginFailed,
    TooManyAttempts,
    actor_of,
    ask_for_second_factor,
    change_password,
    end_second_factor,
    log_in,
    log_in_by_code,
)
from tests.support.making import query
from tests.support.team import PASSWORD, add, cheap_hashes, history

pytestmark = pytest.mark.postgresql
NOW = 1_800_000_000


@pytest.fixture(autouse=True)
def local(home: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[time_machine.Traveller]:
    """Accounts with passwords, hashes that cost next to nothing, and a clock that stands still."""
    monkeypatch.setenv("KEYLINE_AUTH", "local")
    with cheap_hashes(), time_machine.travel(NOW, tick=False) as clock:
        yield clock


def ticket(name: str = "Anna") -> second_factor.Ticket:
    """What a login by the right password asks for."""
    with pytest.raises(CodeNeeded) as needed:
        log_in(name, PASSWORD, address="10.0.0.1")
    return needed.value.ticket


def by_code(code: str, asked: second_factor.Ticket | None = None) -> str:
    """The token of a login by this code."""
    return log_in_by_code((asked or ticket()).signed(), code, address="10.0.0.1")[0]


def code_at(secret: str, seconds: int = NOW) -> str:
    return pyotp.TOTP(secret).at(seconds)


@pytest.fixture
def anna() -> tuple[str, list[str]]:
    """(secret, recovery codes) of Anna, who has switched it on."""
    add("Anna")
    token = log_in("Anna", PASSWORD, address="10.0.0.1")
    with pytest.raises(CodeNeeded) as needed:
        ask_for_second_factor(token, PASSWORD, address="10.0.0.1")
    asked = needed.value.ticket
    with pytest.raises(LoginFailed, match="the code is wrong"):
        by_code("000000", asked)
    _, codes = log_in_by_code(asked.signed(), code_at(asked.secret, NOW - 30), address="10.0.0.1")
    assert history("account")[-1] == ("Anna", "switched a second factor on")
    return asked.secret, codes


def test_a_login_needs_a_code_which_counts_once(anna: tuple[str, list[str]], local: time_machine.Traveller) -> None:
    secret, _ = anna
    assert ticket().secret == ""
    token = by_code(f" {code_at(secret)[:3]} {code_at(secret)[3:]}")
    actor = actor_of(token)
    with read() as session:
        assert actor is not None and (actor.name, role_of(session, actor)) == ("Anna", "annotator")
    for used in (code_at(secret), code_at(secret, NOW - 30), code_at(secret, NOW + 90)):
        with pytest.raises(LoginFailed, match="the code is wrong, or was used before"):
            by_code(used)
    local.shift(30)
    assert by_code(code_at(secret, NOW + 30))
    assert "password and code" in str(query("SELECT details FROM history WHERE kind = 'login' ORDER BY id")[-1][0])


def test_a_recovery_code_counts_once_and_is_stored_as_a_hash(anna: tuple[str, list[str]]) -> None:
    secret, codes = anna
    assert len(set(codes)) == 10 and {len(code.replace("-", "")) for code in codes} == {32}
    ((stored,),) = query("SELECT recovery_codes FROM account")
    assert not any(code in str(stored) for code in codes)
    assert by_code(codes[3].lower().replace("-", " "))
    assert history("account")[-1] == ("Anna", "used a recovery code; 9 are left")
    for wrong in (codes[3], "", secret):
        with pytest.raises(LoginFailed):
            by_code(wrong)
    assert by_code(codes[4])


def test_codes_are_guessed_as_seldom_as_passwords(anna: tuple[str, list[str]]) -> None:
    secret, _ = anna
    asked = ticket()
    outcomes = []
    for _ in range(15):
        try:
            by_code("000000", asked)
        except (LoginFailed, TooManyAttempts) as error:
            outcomes.append(type(error))
    # One wrong code was given before.
    assert outcomes == [LoginFailed] * (PER_ACCOUNT - 1) + [TooManyAttempts] * (16 - PER_ACCOUNT)
    with pytest.raises(TooManyAttempts):
        by_code(code_at(secret), asked)


def test_a_ticket_is_of_one_account_and_ends(anna: tuple[str, list[str]], local: time_machine.Traveller) -> None:
    secret, codes = anna
    asked = ticket()
    signed = asked.signed()
    for forged in ("", "x", signed[:-2] + "ab", logins.sha256_of(signed)):
        with pytest.raises(LoginFailed, match="that took too long"):
            log_in_by_code(forged, code_at(secret), address="10.0.0.1")
    # No ticket of a moment ago puts another secret in the place of one that is stored.
    with pytest.raises(LoginFailed):
        by_code(code_at(secret), asked._replace(secret=secret))
    with acting(OPERATOR):
        people.end_sessions(asked.account_id)
    with pytest.raises(LoginFailed, match="that took too long"):
        by_code(code_at(secret), asked)
    fresh = ticket().signed()
    local.shift(second_factor.TICKET_SECONDS + 2)
    with pytest.raises(LoginFailed, match="that took too long"):
        log_in_by_code(fresh, codes[0], address="10.0.0.1")


def test_it_is_switched_off_by_password_and_code_alone(anna: tuple[str, list[str]]) -> None:
    secret, codes = anna
    token = by_code(code_at(secret))
    for password, code in ((PASSWORD, "000000"), ("an entirely wrong password", codes[0])):
        with pytest.raises(LoginFailed):
            end_second_factor(token, password, code, address="10.0.0.1")
    end_second_factor(token, PASSWORD, codes[0], address="10.0.0.1")
    assert log_in("Anna", PASSWORD, address="10.0.0.1")
    assert query("SELECT totp_secret, totp_step FROM account") == [(None, None)]
    assert history("account")[-1] == ("Anna", "took the second factor off Anna")


def test_an_admin_takes_it_off_whoever_lost_it(anna: tuple[str, list[str]]) -> None:
    assert [person.second_factor for person in people.people()] == [True]
    with acting(OPERATOR):
        people.take_second_factor_off(people.find("Anna"))
    assert log_in("Anna", PASSWORD, address="10.0.0.1")
    assert history("account")[-1] == ("operator", "took the second factor off Anna")
    before = history("account")
    with acting(OPERATOR):
        people.take_second_factor_off(people.find("Anna"))  # who has none
    assert history("account") == before


def test_another_password_needs_no_code_and_keeps_the_second_factor(anna: tuple[str, list[str]]) -> None:
    token = by_code(code_at(anna[0]))
    fresh = change_password(token, PASSWORD, "another fine password", address="10.0.0.1")
    actor = actor_of(fresh)
    with read() as session:
        assert actor is not None and role_of(session, actor) == "annotator"
    with pytest.raises(CodeNeeded):
        log_in("Anna", "another fine password", address="10.0.0.1")
    with acting(OPERATOR):
        people.set_password(people.find("Anna"), PASSWORD)
    assert ticket().secret == ""


def test_where_all_must_have_one_the_first_login_switches_it_on(monkeypatch: pytest.MonkeyPatch) -> None:
    add("Anna")
    monkeypatch.setenv(second_factor.REQUIRED, "required")
    asked = ticket()
    assert len(asked.secret) == 32
    token, codes = log_in_by_code(asked.signed(), code_at(asked.secret), address="10.0.0.1")
    assert len(codes) == 10 and actor_of(token) is not None
    assert ticket().secret == ""
    monkeypatch.setenv(second_factor.REQUIRED, "yes")
    with pytest.raises(ValueError, match="KEYLINE_SECOND_FACTOR is 'yes'"):
        second_factor.is_required()


def test_an_authenticator_reads_the_account_and_the_project(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KEYLINE_PROJECT_NAME", "Cell lines")
    read_back = pyotp.parse_uri(second_factor.address_of("A" * 32, "Zoe & Ben"))
    assert (read_back.name, read_back.issuer, read_back.secret) == ("Zoe & Ben", "Keyline Cell lines", "A" * 32)


def test_codes_to_switch_it_off_are_guessed_as_seldom_as_passwords(anna):
    token = by_code(code_at(anna[0]))
    with pytest.raises(TooManyAttempts):
        for guess in range(PER_ACCOUNT + 1):
            with pytest.raises(LoginFailed):
                end_second_factor(token, PASSWORD, f"{guess:06}", address="10.0.0.1")
    assert PER_ACCOUNT - 3 < guess <= PER_ACCOUNT
