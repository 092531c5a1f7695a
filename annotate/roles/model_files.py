"""Versions of the model of roles: found, stored and measured by the registry, the one in use read once a process.

Imports torch when one is loaded.
"""

from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import db.registry
from annotate.project.home import folder, write
from annotate.project.release import PROGRAM
from annotate.project.rights import Right
from annotate.registry.kinds import KINDS
from annotate.registry.new_files import write_files
from annotate.registry.versions import in_use, listed, model_folder, record
from db.values import Kind
from model.roles.model_folder import BadRoleModel, manifest

if TYPE_CHECKING:
    from model.roles.role_model import RoleModel

_ABOUT_TRAINING = ("version", "trained_at", "loss", "encoder", "seed")
_SHORT = (*_ABOUT_TRAINING, "sources", "left_out", "sentences_with_function")


def described(trained_on: dict[str, Any]) -> dict[str, Any]:
    """What a model was trained on, without the list of its articles and files."""
    return {name: trained_on[name] for name in _SHORT if name in trained_on} | {
        "articles": len(trained_on.get("articles", ()))
    }


def compared() -> list[dict[str, Any]]:
    """All versions, oldest first: what they were trained on, their figures by file, and whether one is in use."""
    return [
        {
            **{name: one.version.trained_on.get(name, "") for name in _ABOUT_TRAINING},
            "articles": one.version.trained_on.get("articles", 0),
            "in_use": one.in_use,
            "evaluations": one.version.metrics,
        }
        for one in listed(Kind.ROLES)
    ]


def trained_on_now() -> dict[str, Any]:
    """What the version in use was trained on, its articles too; empty where there is none."""
    version = in_use(Kind.ROLES)
    return manifest(model_folder(version)) if version else {}


def version_now() -> str:
    """Names the version in use; "" where there is none."""
    version = in_use(Kind.ROLES)
    return version.name if version else ""


def model_now() -> "RoleModel":
    """The version in use. Raises BadRoleModel where there is none, or its files are damaged."""
    version = in_use(Kind.ROLES)
    if version is None:
        raise BadRoleModel(f"no model of roles has been trained yet: {PROGRAM} functions train")
    return load_version(version.name, model_folder(version))


@lru_cache(maxsize=1)
def load_version(version: str, within: Path) -> "RoleModel":
    """The version of this name, from its folder, read once a process. Raises BadRoleModel for damaged files."""
    from model.roles.role_model import RoleModel  # noqa: PLC0415 (with torch and scikit-learn)

    try:
        return RoleModel.load(within)
    except BadRoleModel as error:
        what = "promote another version on the page Roles, or by functions promote, or train one by functions train"
        raise BadRoleModel(f"version {version}: {error}; {what}") from error


def store_model(model: "RoleModel") -> None:
    """Adds a version to the others, whole or not at all."""

    def save(into: Path) -> str:
        model.save(into)
        return model.version

    path = write_files(folder(KINDS[Kind.ROLES].within), save)
    record(Kind.ROLES, path, name=model.version, trained_on=described(model.metadata))


def keep_evaluation(name: str, file: str, figures: dict[str, Any]) -> None:
    """Stores the figures of a version on a file, in the place of those before."""
    with write(Right.SYSTEM) as session:
        version = db.registry.version_named(session, name, Kind.ROLES)
        if version:
            version.metrics = {**version.metrics, file: figures}
