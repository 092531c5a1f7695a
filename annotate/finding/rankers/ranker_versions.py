"""Which versions serve Find's stage rel and Related's map: one name, or none; and what rel learnt from."""

from collections.abc import Mapping, Sequence
from typing import Any

import db.rows
from annotate.finding.question import Question, marks_of
from annotate.project.acting import own_name
from annotate.project.home import read
from annotate.registry.kinds import FOR_FINDING
from annotate.registry.versions import NONE, choose, in_use, version_named
from db.tables import ModelVersion
from db.values import Kind


def use(name: str, stage: str | None = None, *, by: str) -> dict[str, str | None]:
    """Lets a version serve its stage from now on; "none" lets none serve `stage`, or without one Find's.

    Returns the name that serves, by stage. Raises ValueError, DamagedModel.
    """
    version = None if name == NONE else version_named(name, *FOR_FINDING)
    kind = Kind(version.kind) if version else stage_named(stage or Kind.REL)
    if stage not in (None, kind):
        raise ValueError(f"{name} is a version of {kind}, not of {stage}")
    choose(kind, version, by=own_name(by))
    return {str(kind): version.name if version else None}


def stage_named(name: str) -> Kind:
    """The trained stage of this name. Raises ValueError that lists them."""
    if name not in FOR_FINDING:
        raise ValueError(f"no stage {name!r} is trained; there are {', '.join(FOR_FINDING)}")
    return Kind(name)


def measures_of(metrics: Mapping[str, Any]) -> str:
    """What a version measures, in words: the cross-validated nDCG@10 where there is one, else the recall of a map."""
    validated = metrics.get("cross_validated", {})
    if validated:
        return "nDCG@10 by cross-validation: " + ", ".join(
            f"{name} {own['ndcg_at_10']:.3f}" for name, own in validated.items()
        )
    if "published" in metrics:
        return f"comes with Keyline; its measures stand in {metrics['published']}"
    if "after" in metrics:
        before, after = (metrics[when]["recall_at_50"] for when in ("before", "after"))
        return f"recall@50 of what {metrics['n']:,} articles cite: {after:.3f}, {before:.3f} without a map"
    return "not measured; train with --folds, or see find evaluate"


class AlreadyLearnt(ValueError):
    """Questions that a model to be measured has learnt from; the message says which, and what to do."""


def refuse_learnt(stages: Sequence[str], questions: Mapping[str, Question]) -> None:
    """Raises AlreadyLearnt where rel is among these stages and the version that serves learnt from any question."""
    version = in_use(Kind.REL) if Kind.REL in stages else None
    if version is None:
        return
    learnt = learnt_from(version)
    if count := sum(mark in learnt for question in questions.values() for mark in marks_of([question])):
        rest = ",".join(name for name in stages if name != Kind.REL)
        raise AlreadyLearnt(
            f"{version.name} has learnt from {count} of these {len(questions)} questions: ask others"
            + (f", or measure without it, by --stages {rest}" if rest else "")
        )


def learnt_from(version: ModelVersion) -> frozenset[str]:
    """The marks of all questions that a version, or one that it goes on from, has learnt from."""
    found: set[str] = set()
    line: ModelVersion | None = version
    while line is not None:
        found.update(line.trained_on.get("asked", ()))
        with read() as session:
            line = db.rows.get(session, ModelVersion, line.parent_id) if line.parent_id else None
    return frozenset(found)
