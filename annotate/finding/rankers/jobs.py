"""The two jobs of trained stages: training one, and reading what articles would be asked for."""

import hashlib
from dataclasses import fields
from functools import partial
from pathlib import Path
from typing import Any

import db.finding.pseudo_queries
from annotate.finding.library import Document, NotRanked
from annotate.finding.memory import MemoryLibrary
from annotate.finding.rankers.judged_questions import Judged, read_judged, stored_judged
from annotate.finding.rankers.ranker_versions import stage_named
from annotate.finding.search_vectors import texts_of
from annotate.finding.stored_sentences import StoredLibrary
from annotate.jobs.lifecycle import start_after_other_work
from annotate.jobs.monitor import Monitor
from annotate.project.home import read, write
from annotate.project.rights import Right
from annotate.registry.kinds import OF_FIND
from annotate.registry.versions import in_use, made_before, verified_folder
from db.tables import ModelVersion
from db.values import Kind
from model.files import DamagedModel
from model.finding.ranker_settings import RankerSettings

FILES = ("docs", "queries", "qrels")
SETTING_NAMES = tuple(each.name for each in fields(RankerSettings))
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
        made = _train(stage, judged, library, settings, payload, monitor)
    return _told(made)


def _told(made: ModelVersion) -> dict[str, Any]:
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


def _train(
    stage: Kind,
    judged: Judged,
    library: MemoryLibrary | StoredLibrary,
    settings: RankerSettings,
    payload: dict[str, Any],
    monitor: Monitor,
) -> ModelVersion:
    if stage is Kind.FUSION:
        from annotate.finding.rankers.fusion_training import train_fusion  # noqa: PLC0415 (stages import `serving`)

        return train_fusion(judged, library, monitor, settings.seed)
    from annotate.finding.rankers.relevance_training import train_relevance  # noqa: PLC0415 (torch takes seconds)
    from annotate.finding.rankers.training import Asked, parent_of  # noqa: PLC0415 (so here)
    from annotate.finding.rankers.word_training import TRAINED_HERE  # noqa: PLC0415 (and here)

    parents = {Kind.REL: (Kind.REL, Kind.EXT), Kind.EXT: (Kind.REL, Kind.EXT)}
    parent = parent_of(payload.get("parent"), parents.get(stage, (Kind.EXT,)))
    asked = Asked(stage, judged, settings, monitor, parent, int(payload.get("folds", 0)))
    return train_relevance(asked, library) if stage is Kind.REL else TRAINED_HERE[stage](asked)


def store_pseudo_queries(payload: dict[str, Any], monitor: Monitor) -> dict[str, Any]:
    """Reads what articles would be asked for, by the EXT and ABS versions in use: those articles alone that have no
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
    """Starts the job that reads articles where a version that reads articles is in use; one that runs already takes
    what is new, too."""
    if in_use(Kind.EXT) or in_use(Kind.ABS):
        start_after_other_work("find-words", {})


def _store(version: ModelVersion, monitor: Monitor) -> int:
    from annotate.finding.rankers.reading import Inputs, Words  # noqa: PLC0415 (it loads torch)

    shown = f"reading articles by {version.name}"
    with read() as session:
        total = db.finding.pseudo_queries.count_outdated(session, version.id)
    if not total:
        return 0
    monitor.report(f"loading {version.name}")
    try:
        model = Inputs.load(version.kind, verified_folder(version), int(version.settings["max_tokens"]))
    except DamagedModel as error:
        raise NotRanked(f"the model {version.name} cannot be used: {error}") from error
    assert isinstance(model, Words)
    count = last = 0
    while not monitor.cancelled():
        with read() as session:
            found = db.finding.pseudo_queries.outdated(session, version.id, after=last, limit=CHUNK)
            texts = texts_of(session, {number: title for number, title, _, _ in found})
        if not found:
            break
        hashes = {n: hashlib.sha256(f"{title}\n{text}".encode()).hexdigest() for n, (title, text) in texts.items()}
        new = [(number, sentences) for number, _, sentences, before in found if before != hashes[number]]
        given = model.words([Document(str(number), *texts[number]) for number, _ in new])
        rows = [
            {
                "model_id": version.id,
                "article_id": number,
                "sentence_count": sentences,
                "text_sha256": hashes[number],
                "words": words,
            }
            for (number, sentences), words in zip(new, given, strict=True)
        ]
        same = [(number, sentences) for number, _, sentences, before in found if before == hashes[number]]
        with write(Right.SYSTEM) as session:
            if rows:
                db.finding.pseudo_queries.store(session, rows)
            db.finding.pseudo_queries.still(session, version.id, same)
        count, last = count + len(new), found[-1][0]
        monitor.report(shown, count, total)
    return count
