"""Which of some questions the trained stages in use have learnt from: on these their measures say too much."""

from collections.abc import Mapping, Sequence

import db.rows
from annotate.finding.question import Question, marks_of
from annotate.finding.stages import STAGES
from annotate.project.home import read
from annotate.registry.versions import in_use
from db.tables import ModelVersion
from db.values import Kind


class AlreadyLearnt(ValueError):
    """Questions that a stage to be measured has learnt from; the message says which, and what to do."""


def refuse_learnt(stages: Sequence[str], questions: Mapping[str, Question]) -> None:
    """Raises AlreadyLearnt where a trained stage among these, as it serves, has learnt from any of the questions."""
    marks = {number: marks_of([question])[0] for number, question in questions.items()}
    found = []
    for name in stages:
        version = in_use(Kind(STAGES[name].trained)) if STAGES[name].trained else None
        learnt = _learnt_from(version) if version else frozenset()
        if version and (count := sum(mark in learnt for mark in marks.values())):
            found.append((name, f"{version.name} has learnt from {count} of these {len(questions)} questions"))
    if found:
        rest = ",".join(name for name in stages if name not in dict(found))
        told = "; ".join(words for _, words in found)
        raise AlreadyLearnt(f"{told}: ask others" + (f", or measure without it, by --stages {rest}" if rest else ""))


def _learnt_from(version: ModelVersion) -> frozenset[str]:
    """The marks of all questions that a version, or one that it goes on from, has learnt from."""
    found: set[str] = set()
    line: ModelVersion | None = version
    while line is not None:
        found.update(line.trained_on.get("asked", ()))
        with read() as session:
            line = db.rows.get(session, ModelVersion, line.parent_id) if line.parent_id else None
    return frozenset(found)
