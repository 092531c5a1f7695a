"""What people choose, for the project or for themselves: every choice stays, and the latest one holds.

A kind of setting of the project is one class: `@checked`, below StoredSettings, with its NAME and RIGHT.
"""

from collections.abc import Mapping
from typing import Any, ClassVar, TypeVar

from sqlalchemy.orm import Session

import db.review.verdicts
import db.rows
from annotate.project.acting import own_name
from annotate.project.home import write
from annotate.project.rights import Right
from db.tables import Setting
from model.checked_settings import NotAllowed, as_json, names_of


class StoredSettings:
    """Settings under one name in the database. The fields and their defaults are declared by the subclass."""

    __slots__ = ()
    NAME: ClassVar[str]
    RIGHT: ClassVar[Right]  # what changing them needs

    def after_change(self, session: Session) -> None:
        """What else changes in the transaction that stores them; by default nothing."""


_Kind = TypeVar("_Kind", bound=StoredSettings)


def settings_now(session: Session, kind: type[_Kind]) -> _Kind:
    """The settings that hold now; the defaults where none were chosen yet.

    A name that only another release knows is left out. A value that this release does not take gives way to the
    default. So no setting stops a review, a job, or the page on which another can be chosen.
    """
    stored = db.rows.find(session, Setting, name=kind.NAME)
    return settings_from(kind, stored.content if stored else {})


def settings_from(kind: type[_Kind], content: Mapping[str, Any]) -> _Kind:
    """The settings made of stored content; unknown names are left out, and values not allowed become the defaults."""
    names = names_of(kind)
    given = {name: value for name, value in content.items() if name in names}
    try:
        return kind(**given)
    except NotAllowed as error:
        return kind(**{name: value for name, value in given.items() if name not in error.names})


def change_settings(by: str, settings: StoredSettings) -> None:
    """Stores these settings under the name of the person who chose them; they hold from now on. Settings that hold
    already are not stored again. Raises Forbidden without their RIGHT, or under the name of another person."""
    with write(settings.RIGHT) as session:
        if settings_now(session, type(settings)) != settings:
            db.rows.add(session, Setting(name=settings.NAME, content=as_json(settings), changed_by=own_name(by)))
            settings.after_change(session)


def own_choice(session: Session, annotator: str, name: str) -> dict[str, Any] | None:
    """What a person chose last for themselves under a name; None where they never did."""
    owner_id = db.review.verdicts.find_annotator(session, annotator)
    found = None if owner_id is None else db.rows.find(session, Setting, name=name, owner_id=owner_id)
    return found.content if found else None


def choose_for_oneself(session: Session, annotator: str, name: str, content: dict[str, Any]) -> None:
    """Keeps what a person chose for themselves under a name. `annotator`: a name that was checked (own_name)."""
    owner_id = db.review.verdicts.annotator_id(session, annotator)
    db.rows.add(session, Setting(name=name, content=content, changed_by=annotator, owner_id=owner_id))
