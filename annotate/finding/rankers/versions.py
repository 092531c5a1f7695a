"""Versions of the trained stages: files in models/ with their SHA-256, and the choice of the one that serves."""

import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

import db.finding.ranking_models
from annotate.jobs.monitor import Monitor
from annotate.project.acting import current_actor, own_name
from annotate.project.home import folder, read, write
from annotate.project.notes import Noted, note
from annotate.project.rights import Right
from db.tables import RetrievalModel
from model.files import manifest_of, verify


class Trained(StrEnum):
    """The stages that are trained."""

    REL = "rel"
    EXT = "ext"
    ABS = "abs"
    FUSION = "fusion"
    RELATED = "related"  # no stage of Find: what related articles are compared by (annotate/related)


# Keyline brings a version of these: that none serves is a choice, too.
BROUGHT = frozenset({Trained.RELATED})
OF_FIND = tuple(stage for stage in Trained if stage is not Trained.RELATED)

TITLES = {
    Trained.REL: "reads question and article together",
    Trained.EXT: "picks the words that an article would be asked for",
    Trained.ABS: "writes the questions that an article answers",
    Trained.FUSION: "weighs the other stages as judged questions teach",
    Trained.RELATED: "brings articles near to what they cite",
}


@dataclass(frozen=True, slots=True)
class Version:
    """A version as people see it. `in_use`: it serves its stage."""

    name: str
    stage: str
    about: str
    parent: str | None
    in_use: bool
    settings: Mapping[str, Any]
    trained_on: Mapping[str, Any]
    metrics: Mapping[str, Any]
    created_by: str
    created_at: str


def versions() -> list[Version]:
    """All versions, oldest first."""
    with read() as session:
        rows = db.finding.ranking_models.models(session)
        serving = {row.id for row in db.finding.ranking_models.chosen(session).values()}
    names = {row.id: row.name for row in rows}
    return [
        Version(
            row.name,
            row.stage,
            TITLES.get(Trained(row.stage), "") if row.stage in set(Trained) else "",
            names.get(row.parent_id) if row.parent_id else None,
            row.id in serving,
            row.settings,
            row.trained_on,
            row.metrics,
            row.created_by,
            row.created_at,
        )
        for row in rows
    ]


def version_named(name: str) -> RetrievalModel:
    """The version with this name. Raises ValueError that lists the names."""
    with read() as session:
        found = db.finding.ranking_models.model_named(session, name)
        names = [row.name for row in db.finding.ranking_models.models(session)]
    if found is None:
        raise ValueError(f"no ranking model {name!r}; there are {', '.join(names) or 'none'}")
    return found


def serving(stage: str) -> RetrievalModel | None:
    """The version that serves a stage."""
    with read() as session:
        return db.finding.ranking_models.chosen(session).get(stage)


def files_of(version: RetrievalModel) -> Path:
    """Where a version's files are, once every SHA-256 has been checked. Raises DamagedModel."""
    path = folder("models") / version.folder
    verify(path, version.manifest)
    return path


def use(name: str, stage: str | None = None, *, by: str) -> dict[str, str | None]:
    """Lets a version serve its stage from now on; "none" lets none serve `stage`, or without one any stage of Find.

    Returns the name that serves, by stage changed. Raises ValueError, DamagedModel.
    """
    if name == "none":
        if stage is not None and stage not in set(Trained):
            raise ValueError(f"no stage {stage!r} is trained; there are {', '.join(Trained)}")
        chosen: dict[str, RetrievalModel | None] = dict.fromkeys([stage] if stage else OF_FIND)
    else:
        version = version_named(name)
        if stage not in (None, version.stage):
            raise ValueError(f"{name} is a version of {version.stage}, not of {stage}")
        files_of(version)
        chosen = {version.stage: version}
    with write(Right.PROMOTE) as session:
        now = db.finding.ranking_models.chosen(session)
        for each, version_or_none in chosen.items():
            before, after = now.get(each), version_or_none
            undecided = each in BROUGHT and db.finding.ranking_models.last_choice(session, each) is None
            if (before and before.id) == (after and after.id) and not undecided:
                continue
            db.finding.ranking_models.insert_choice(session, each, after.id if after else None, chosen_by=own_name(by))
            place = "Related's map" if each == Trained.RELATED else f"Find's stage {each}"
            note(session, Noted.RANKER, f"let {after.name} serve {place}" if after else f"took {place} out of use")
    return {each: version.name if version else None for each, version in chosen.items()}


def keep(
    stage: Trained,
    save: Callable[[Path], None],
    monitor: Monitor,
    *,
    settings: Mapping[str, Any],
    trained_on: Mapping[str, Any],
    metrics: Mapping[str, Any],
    parent: RetrievalModel | None = None,
    name: str | None = None,
) -> RetrievalModel:
    """Writes a new version's files and records it: it is there whole or not at all. `name`: by default the next one.

    What a training that was killed before it recorded anything left there is removed.
    """
    with read() as session:
        taken = {row.name for row in db.finding.ranking_models.models(session)}
    name = name or next(f"{stage}-{n}" for n in range(1, len(taken) + 2) if f"{stage}-{n}" not in taken)
    partial, final = folder("models") / f"find-{name}.partial", folder("models") / f"find-{name}"
    for leftover in (partial, final):
        shutil.rmtree(leftover, ignore_errors=True)
    partial.mkdir()
    save(partial)
    manifest = manifest_of(partial)
    partial.rename(final)
    with write(Right.TRAIN) as session:
        monitor.hold(session)  # a process that was taken for dead makes no second version
        return db.finding.ranking_models.insert_model(
            session,
            name=name,
            stage=str(stage),
            parent_id=parent.id if parent else None,
            folder=final.name,
            manifest=manifest,
            settings=dict(settings),
            trained_on=dict(trained_on),
            metrics=dict(metrics),
            job_id=monitor.job_id,
            created_by=current_actor().name,
        )


def made_before(job_id: int) -> RetrievalModel | None:
    """The version that an earlier attempt of this job has made."""
    with read() as session:
        return db.finding.ranking_models.made_by(session, job_id)
