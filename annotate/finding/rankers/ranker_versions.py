"""Which trained stages serve: one name, or none, chosen for Find and for Related's map; and what they learnt from."""

from collections.abc import Mapping, Sequence
from typing import Any

import db.rows
from annotate.finding.question import Question, marks_of
from annotate.finding.stages import STAGES
from annotate.project.acting import own_name
from annotate.project.home import read
from annotate.registry.kinds import FOR_FINDING, OF_FIND
from annotate.registry.versions import NONE, choose, in_use, version_named
from db.tables import ModelVersion
from db.values import Kind


def use(name: str, stage: str | None = None, *, by: str) -> dict[str, str | None]:
    """Lets a version serve its stage from now on; "none" lets none serve `stage`, or without one any stage of Find.

    Returns the name that serves, by stage changed. Raises ValueError, DamagedModel.
    """
    chosen: dict[Kind, ModelVersion | None]
    if name == NONE:
        chosen = dict.fromkeys([stage_named(stage)] if stage else OF_FIND)
    else:
        version = version_named(name, *FOR_FINDING)
        if stage not in (None, version.kind):
            raise ValueError(f"{name} is a version of {version.kind}, not of {stage}")
        chosen = {Kind(version.kind): version}
    for kind, version_or_none in chosen.items():
        choose(kind, version_or_none, by=own_name(by))
    return {str(kind): version.name if version else None for kind, version in chosen.items()}


def stage_named(name: str) -> Kind:
    """The trained stage of this name. Raises ValueError that lists them."""
    if name not in FOR_FINDING:
        raise ValueError(f"no stage {name!r} is trained; there are {', '.join(FOR_FINDING)}")
    return Kind(name)


def measures_of(metrics: Mapping[str, Any]) -> str:
    """What a version measures, in words: the cross-validated nDCG@10 where there is one, else what words were found."""
    validated = metrics.get("cross_validated", {})
    if validated:
        return "nDCG@10 by cross-validation: " + ", ".join(
            f"{name} {own['ndcg_at_10']:.3f}" for name, own in validated.items()
        )
    if "recall" in metrics:
        return f"words of documents held out: recall {metrics['recall']:.3f}, precision {metrics['precision']:.3f}"
    if "published" in metrics:
        return f"comes with Keyline; its measures stand in {metrics['published']}"
    if "after" in metrics:
        before, after = (metrics[when]["recall_at_50"] for when in ("before", "after"))
        return f"recall@50 of what {metrics['n']:,} articles cite: {after:.3f}, {before:.3f} without a map"
    return "not measured; train with --folds, or see find evaluate"


class AlreadyLearnt(ValueError):
    """Questions that a stage to be measured has learnt from; the message says which, and what to do."""


def refuse_learnt(stages: Sequence[str], questions: Mapping[str, Question]) -> None:
    """Raises AlreadyLearnt where a trained stage among these, as it serves, has learnt from any of the questions."""
    marks = {number: marks_of([question])[0] for number, question in questions.items()}
    found = []
    for name in stages:
        version = in_use(Kind(STAGES[name].trained)) if STAGES[name].trained else None
        learnt = learnt_from(version) if version else frozenset()
        if version and (count := sum(mark in learnt for mark in marks.values())):
            found.append((name, f"{version.name} has learnt from {count} of these {len(questions)} questions"))
    if found:
        rest = ",".join(name for name in stages if name not in dict(found))
        reasons = "; ".join(words for _, words in found)
        raise AlreadyLearnt(f"{reasons}: ask others" + (f", or measure without it, by --stages {rest}" if rest else ""))


def learnt_from(version: ModelVersion) -> frozenset[str]:
    """The marks of all questions that a version, or one that it goes on from, has learnt from."""
    found: set[str] = set()
    line: ModelVersion | None = version
    while line is not None:
        found.update(line.trained_on.get("asked", ()))
        with read() as session:
            line = db.rows.get(session, ModelVersion, line.parent_id) if line.parent_id else None
    return frozenset(found)
