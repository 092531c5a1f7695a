"""Which version of the model of roles is in use: promoted by somebody, with the figures of each beside each other."""

from typing import Any

from sqlalchemy.orm import Session

import db.settings
from annotate.functions.model_files import evaluations, version_folder, version_now, versions
from annotate.functions.settings import FunctionModel
from annotate.project.home import read
from annotate.project.stored_settings import change_settings

_TOLD = ("version", "trained_at", "loss", "encoder", "seed")


def compared() -> list[dict[str, Any]]:
    """All versions, oldest first: what they were trained on, their figures by file, and whether one is in use."""
    now = version_now()
    return [
        {
            **{name: told.get(name, "") for name in _TOLD},
            "articles": len(told.get("articles", ())),
            "in_use": told["version"] == now,
            "evaluations": evaluations(told["version"]),
        }
        for told in versions()
    ]


def promote(by: str, version: str) -> str:
    """Lets a version read roles from now on, under the name of whoever chose it; articles are then read anew.

    Raises LookupError for a version that is not there, BadRoleModel for damaged files, Forbidden.
    """
    from model.functions.role_model import RoleModel  # noqa: PLC0415 (with torch)

    RoleModel.load(version_folder(version))
    change_settings(by, FunctionModel(version=version))
    return version


def roll_back(by: str) -> str:
    """Lets the version read roles that was in use before the one of now was promoted; returns its name.

    Raises LookupError where there was none.
    """
    now = version_now()
    there = {told["version"] for told in versions()}
    with read() as session:
        before = next((one for one in _promoted(session) if one != now and one in there), None)
    # Before the first promotion the newest of the others was in use.
    before = before or next((told["version"] for told in reversed(versions()) if told["version"] != now), None)
    if before is None:
        raise LookupError("there is no other version of the model of roles to go back to")
    return promote(by, before)


def _promoted(session: Session) -> list[str]:
    """The versions that were promoted, the latest first."""
    rows = db.settings.settings_of(session, FunctionModel.NAME)
    return [str(row.content.get("version", "")) for row in rows]
