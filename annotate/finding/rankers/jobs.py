"""The job that trains a stage of Find."""

from functools import partial
from pathlib import Path
from typing import Any

from annotate.finding.library import MemoryLibrary
from annotate.finding.rankers.judged_questions import Judged, read_judged, stored_judged
from annotate.finding.stored_sentences import StoredLibrary
from annotate.jobs.monitor import Monitor
from annotate.registry.versions import made_before, version_named
from db.values import Kind
from model.finding.ranker_settings import RankerSettings

FILES = ("docs", "queries", "qrels")


def train_ranker(payload: dict[str, Any], monitor: Monitor) -> dict[str, Any]:
    """Trains a stage: `stage`; `docs`, `queries` and `qrels` as paths, or none of them for the project's own verdicts;
    and perhaps `settings`, `parent`, `folds`. Returns the new version as people see it.

    Raises ValueError for what cannot be read or trained, NothingToLearn, DamagedModel, Cancelled.
    """
    if payload.get("stage") != Kind.REL:
        raise ValueError(f"no stage {payload.get('stage')!r} of Find is trained; there is {Kind.REL}")
    settings = RankerSettings(**payload.get("settings", {}))
    made = made_before(monitor.job_id, Kind.REL)
    if made is None:
        monitor.report("reading judged questions")
        judged, library = _judged(payload, monitor)
        from annotate.finding.rankers import training  # noqa: PLC0415 (torch takes seconds)

        parent = version_named(name, Kind.REL) if (name := payload.get("parent")) else None
        asked = training.Asked(judged, settings, monitor, parent, int(payload.get("folds", 0)))
        made = training.train_relevance(asked, library)
    return {"version": made.name, "stage": made.kind, "metrics": made.metrics, "settings": made.settings}


def _judged(payload: dict[str, Any], monitor: Monitor) -> tuple[Judged, MemoryLibrary | StoredLibrary]:
    given = [name for name in FILES if payload.get(name)]
    if given and len(given) < len(FILES):
        missing = ", ".join(name for name in FILES if name not in given)
        raise ValueError(f"a collection is documents, questions and judgements; {missing} is missing")
    if not given:
        return stored_judged(), StoredLibrary()
    judged = read_judged(*(Path(payload[name]) for name in FILES))
    report = partial(monitor.report, "encoding documents")
    return judged, MemoryLibrary(judged.documents.values(), keep=True, progress=report)
