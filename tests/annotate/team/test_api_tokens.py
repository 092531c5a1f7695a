"""API tokens: a program acts by one as its person may now, and not a moment longer."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from annotate.cli.main import main
from annotate.project.acting import KEYLINE, OPERATOR, Forbidden, acting, allowed
from annotate.project.home import read, write
from annotate.project.rights import Right, Role
from annotate.team import api_tokens, logins, people
from annotate.team.api_tokens import MAX_TOKENS, PREFIX, NoSuchToken, actor_of_token
from annotate.team.logins import sha256_of
from annotate.team.people import NoSuchPerson
from tests.support.api import token_of
from tests.support.making import query
from tests.support.team import browser, cheap_hashes, history, team


@pytest.fixture(autouse=True)
def local(home: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("KEYLINE_AUTH", "local")
    with cheap_hashes():
        team()
        yield


def test_the_database_holds_a_hash_and_the_history_who_made_and_revoked_a_token() -> None:
    _, anna = browser("Anna")
    with acting(anna):
        token = api_tokens.make("  my   script ")
        (mine,) = api_tokens.my_tokens()
        assert (mine.name, mine.annotator, mine.last_used_at) == ("my script", "Anna", None)
        api_tokens.revoke(mine.id)
        assert api_tokens.my_tokens() == []
    assert token.startswith(PREFIX) and len(token) > 40
    assert query("SELECT token_sha256 FROM api_token") == [(sha256_of(token),)]
    assert token not in str([query(f"SELECT * FROM {table}") for table in ("api_token", "history")])
    assert history("account")[-2:] == [
        ("Anna", "made the API token my script of Anna"),
        ("Anna", "revoked the API token my script of Anna"),
    ]


def test_a_token_has_the_rights_of_its_person_as_they_are_now() -> None:
    actor = actor_of_token(token_of("Cora"))
    assert actor is not None and (actor.name, actor.operator) == ("Cora", False)
    with acting(OPERATOR):
        people.set_role(people.find("Cora"), Role.ANNOTATOR)
    with read() as session:
        assert allowed(session, Right.REVIEW, actor) and not allowed(session, Right.GOLD, actor)


@pytest.mark.parametrize("way", ["revoked", "disabled", "enabled again", "new password", "logged out everywhere"])
def test_a_token_ends_at_once_even_for_a_call_that_has_begun(way: str) -> None:
    token = token_of("Anna")
    begun = actor_of_token(token)
    assert begun is not None
    with acting(OPERATOR):
        anna = people.find("Anna")
        if way == "revoked":
            api_tokens.revoke(begun.token_id or 0)
        elif way in ("disabled", "enabled again"):
            people.disable(anna)
            if way == "enabled again":
                people.enable(anna)
        elif way == "new password":
            people.set_password(anna, "another fine password")
        else:
            with acting(browser("Anna")[1]):
                logins.end_my_logins()
    assert actor_of_token(token) is None
    with acting(begun), pytest.raises(Forbidden), write(Right.REVIEW):
        pass
    assert api_tokens.all_tokens() == []


def test_when_it_was_used_last_is_written_once_a_minute(monkeypatch: pytest.MonkeyPatch) -> None:
    token = token_of("Anna")
    actor_of_token(token)
    ((first,),) = query("SELECT last_used_at FROM api_token")
    actor_of_token(token)
    assert query("SELECT last_used_at FROM api_token") == [(first,)]
    with acting(KEYLINE), write(Right.SYSTEM) as session:
        session.connection().exec_driver_sql("UPDATE api_token SET last_used_at = '2020-01-01T00:00:00.000Z'")
    actor_of_token(token)
    assert query("SELECT last_used_at FROM api_token")[0][0] >= first


def test_nobody_makes_or_revokes_a_token_of_another_but_an_admin_revokes() -> None:
    token = token_of("Cora")
    number = query("SELECT id FROM api_token")[0][0]
    with acting(browser("Anna")[1]):
        with pytest.raises(Forbidden, match="may not make a token of Cora"):
            api_tokens.make("x", "Cora")
        with pytest.raises(NoSuchToken):
            api_tokens.revoke(number)
    assert actor_of_token(token)
    with acting(browser("Ada")[1]):
        with pytest.raises(Forbidden):
            api_tokens.make("x", "Cora")
        api_tokens.revoke(number)
        with pytest.raises(NoSuchToken):
            api_tokens.revoke(number)
    assert actor_of_token(token) is None


def test_names_are_told_apart_and_tokens_are_few() -> None:
    with acting(browser("Anna")[1]):
        for number in range(MAX_TOKENS):
            api_tokens.make(f"script {number}")
        with pytest.raises(ValueError, match="revoke one first"):
            api_tokens.make("one more")
        api_tokens.revoke(api_tokens.my_tokens()[0].id)
        with pytest.raises(ValueError, match="is called script 0 already"):
            api_tokens.make("script 0")
        with pytest.raises(ValueError, match="a name is"):
            api_tokens.make(" ")
    with acting(OPERATOR), pytest.raises(NoSuchPerson):
        api_tokens.make("x", "Nobody")


@pytest.mark.parametrize("token", ["", "keyline_", "keyline_wrong", "\udc80", "x" * 100_000, "\0"])
def test_what_is_no_token_is_nobody(token: str) -> None:
    token_of("Anna")
    assert actor_of_token(token) is None


def test_without_login_a_token_is_the_operators_and_ends_where_login_begins(monkeypatch: pytest.MonkeyPatch) -> None:
    of_a_team = token_of("Anna")
    monkeypatch.setenv("KEYLINE_AUTH", "off")
    assert actor_of_token(of_a_team) is None
    token = token_of("Zoe")
    actor = actor_of_token(token)
    assert actor is not None and actor.operator and actor.name == "Zoe"
    monkeypatch.setenv("KEYLINE_AUTH", "local")
    assert actor_of_token(token) is None and actor_of_token(of_a_team)


def test_the_command_line_makes_lists_and_revokes(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["token", "add", "a script", "--person", "anna"]) == 0
    token = capsys.readouterr().out.split()[-1]
    assert actor_of_token(token)
    assert main(["token", "list"]) == 0
    told = capsys.readouterr().out
    assert "Anna | a script" in told and token not in told
    number = str(query("SELECT id FROM api_token")[0][0])
    assert main(["token", "revoke", number]) == 0 and actor_of_token(token) is None
    assert main(["token", "revoke", number]) == 1
