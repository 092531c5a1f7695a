"""The two jobs of trained stages: training one, and reading what articles would be asked for."""

import json
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from annotate.finding.library import Document, MemoryLibrary
from annotate.finding.rankers.judged_questions import Judged, read_judged, stored_judged
from annotate.finding.rankers.ranker_versions import stage_named
from annotate.finding.rankers.serving import model_of
from annotate.finding.search_vectors import renew
from annotate.finding.stored_sentences import StoredLibrary
from annotate.jobs.lifecycle import start_after_other_work
from annotate.jobs.monitor import Monitor
from annotate.registry.kinds import OF_FIND
from annotate.registry.versions import in_use, made_before
from db.tables import ModelVersion
from db.values import Kind
from model.finding.ranker_settings import RankerSettings

FILES = ("docs", "queries", "qrels")
CHUNK = 64  # articles read and stored at once


def train_ranker(payload: dict[str, Any], monitor: Monitor) -> dict[str, Any]:
    """Trains a stage: `stage`; `docs`, `queries` and `qrels` as paths, or none of them for the project's own verdicts;
    and perhaps `settings`, `parent`, `folds`. Returns the new version as people see it.

    Raises ValueError for what cannot be read or trained, NothingToLearn, DamagedModel, Cancelled.
    """
    stage, settings = stage_named(str(payload.get("stage"))), RankerSettings(**payload.get("settings", {}))
    if stage is Kind.RELATED:
        raise ValueError("related is no stage of Find: it is trained by `related train`")
    made = made_before(monitor.job_id, *OF_FIND)
    if made is None:
        monitor.report("reading judged questions")
        judged, library = _judged(payload, monitor)
        from annotate.finding.rankers import training  # noqa: PLC0415 (torch takes seconds)

        parent = training.parent_of(payload.get("parent"), stage)
        asked = training.Asked(stage, judged, settings, monitor, parent, int(payload.get("folds", 0)))
        made = training.TRAINED[stage](asked, library)
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


def store_pseudo_queries(payload: dict[str, Any], monitor: Monitor) -> dict[str, Any]:
    """Reads what articles would be asked for, by the EXT and ABS versions in use: only articles that have no
    words of their present text. What was stored stays when it is cancelled or killed."""
    done = {}
    for stage in (Kind.EXT, Kind.ABS):
        version = in_use(stage)
        if version is not None:
            done[version.name] = _store(version, monitor)
            monitor.keep({"articles_read": done})
            monitor.stop_if_cancelled()
    return {"articles_read": done}


def start_reading() -> None:
    """Starts the job that reads articles where a version of EXT or ABS is in use."""
    if in_use(Kind.EXT) or in_use(Kind.ABS):
        start_after_other_work("find-words", {})


def _store(version: ModelVersion, monitor: Monitor) -> int:
    def made(texts: Sequence[tuple[str, str]], within: Callable[[int], None]) -> list[bytes]:
        given = model_of(version).words([Document(title, title, text) for title, text in texts], within)
        return [json.dumps(words).encode() for words in given]

    report = partial(monitor.report, f"reading articles by {version.name}")
    return renew(version.id, made, CHUNK, report, monitor.cancelled)
