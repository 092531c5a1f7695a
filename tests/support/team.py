"""A team for tests: accounts of every role with one cheap password, and whoever is to act."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

from argon2 import PasswordHasher

from annotate.project.acting import KEYLINE, OPERATOR, Actor, acting
from annotate.project.home import write
from annotate.project.rights import Right, Role
from annotate.team import passwords, people
from annotate.team.logins import actor_of, insert_login
from tests.support.making import query

PASSWORD = "correct horse battery staple"
CHEAP = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)
NAMES = {"Anna": Role.ANNOTATOR, "Cora": Role.CURATOR, "Mats": Role.MAINTAINER, "Ada": Role.ADMIN}


@contextmanager
def cheap_hashes() -> Iterator[None]:
    """Passwords cost next to nothing."""
    with patch.object(passwords, "_hasher", CHEAP):
        passwords._nobodys.cache_clear()
        yield
    passwords._nobodys.cache_clear()


def add(name: str, role: str = Role.ANNOTATOR) -> int:
    """An account with PASSWORD."""
    with acting(OPERATOR):
        return people.add(name, role, password=PASSWORD)


def team() -> dict[str, int]:
    """One account of each role: {name: id}."""
    return {name: add(name, role) for name, role in NAMES.items()}


def browser(name: str) -> tuple[str, Actor]:
    """(token, actor) of a person who logged in, without asking for the password."""
    token = f"token of {name} {query('SELECT count(*) FROM login_session')[0][0]}"
    joined = "account JOIN annotator ON annotator.id = annotator_id WHERE name = :name"
    ((account_id, epoch),) = query(f"SELECT account.id, session_epoch FROM {joined}", name=name)
    with acting(KEYLINE), write(Right.SYSTEM) as session:
        began = {"account_id": account_id, "epoch": epoch}
        insert_login(session, token, began=began, address="test", browser="test", name=name)
    actor = actor_of(token)
    assert actor is not None and actor.name == name
    return token, actor


def history(kind: str) -> list[tuple[Any, ...]]:
    """(who, what) of the history's entries of a kind, oldest first."""
    return query("SELECT done_by, summary FROM history WHERE kind = :kind ORDER BY id", kind=kind)
