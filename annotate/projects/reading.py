"""A look into the database of one project from outside of its app: nothing is made, brought up to date or written."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy.orm import Session

import db.team.people
from annotate.project.names import name_key
from annotate.projects.environment import address_of
from annotate.projects.project_file import Project
from db.engine import DATABASE_ERRORS, engine, reading


@dataclass(frozen=True, slots=True)
class Member:
    """An account of a project: who it is to the people there, and to an identity provider."""

    account_id: int
    name: str
    role: str
    disabled: bool
    identity: tuple[str, str] | None

    def is_also(self, other: "Member") -> bool:
        """Whether an account elsewhere is this person's: by the same identity, or, with passwords, the same name."""
        if self.identity or other.identity:
            return self.identity == other.identity
        return name_key(self.name) == name_key(other.name)


@contextmanager
def looking_into(project: Project) -> Iterator[Session | None]:
    """A session that reads; None where there is no database yet. Raises DATABASE_ERRORS where it cannot be read."""
    address = address_of(project)
    if isinstance(address, Path) and not address.exists():
        yield None
        return
    try:
        with reading(address) as session:
            yield session
    finally:  # a file that is moved or restored meanwhile is not held open
        engine(address, read_only=True).dispose()


def members(project: Project) -> list[Member] | None:
    """All accounts of a project in the order of the alphabet; None where they cannot be read now."""
    with suppress(*DATABASE_ERRORS, ValueError), looking_into(project) as session:
        return [
            Member(
                account_id=account.id,
                name=name,
                role=account.role,
                disabled=account.disabled,
                identity=(account.issuer, account.subject) if account.issuer and account.subject else None,
            )
            for account, name in (db.team.people.accounts(session) if session else ())
        ]
    return None
