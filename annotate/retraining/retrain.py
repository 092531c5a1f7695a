"""Retraining: a child version fine-tuned on the present labels, compared with its parent. Imports torch."""

import shutil
from collections.abc import Sequence
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import Any

from sentence_transformers import SentenceTransformer
from sqlalchemy.orm import Session

import db.registry
import db.review.verdicts
from annotate.evaluation.evaluate_version import embed_missing, evaluate, evaluated_articles
from annotate.gold.label_sets import LabelSet, current_label_set
from annotate.jobs.job_process import noted, scratch
from annotate.jobs.monitor import Monitor
from annotate.project.home import folder, read, write
from annotate.project.rights import Right
from annotate.proposing.encoder_versions import find_version, register_encoder
from annotate.proposing.encoders import smoke_test, write_encoder
from annotate.registry.versions import verified_folder
from annotate.retraining.training_set import label_counts, label_marks, labelled_articles
from annotate.topics.file import Topic
from annotate.topics.project_topic import searched_topic, topic_now
from db.tables import ModelVersion
from db.values import Kind, Split
from model.devices import best_device, bfloat16_pays
from model.encoder import load
from model.files import manifest_of
from model.labelled import LabelledArticle
from model.proposing.query import named_query
from model.proposing.ranking import Ranking
from model.training.checkpoints import Checkpoints
from model.training.curve import Checkpoint, Step, stored_curve
from model.training.fine_tuning import fine_tune
from model.training.settings import TrainingSettings

# The child, its partial copy and room for the database: less free space than that and the run is refused.
FREE_SPACE_FACTOR = 3
CHECKPOINT_SECONDS = 60.0
CURVE_STEPS = 1_000  # stored of the steps of one training


class NotEnoughSpace(OSError):
    """Too little free disk space to save another version."""


def train(parent_name: str | None, settings: TrainingSettings, monitor: Monitor) -> dict[str, Any]:
    """Fine-tunes a child of the parent (the proposing version by default), stores and evaluates it.

    Returns the child's name with the test metrics before and after. The parent keeps proposing. Parent, labels and
    topic are the ones of the job's first attempt; later ones go on from its last checkpoint, or with the version it
    made. Raises NotEnoughGold, NotEnoughSpace, DamagedModel, UnsoundEncoder, Cancelled.
    """
    with read() as session:
        events = db.review.verdicts.last_events(session)
        now = topic_now(session).text
    asked = noted(monitor.job_id, "asked", {"parent": find_version(parent_name).name, "topic": now, **events})
    with read() as session:
        topic = searched_topic(session, asked.get("topic", now))  # earlier releases noted none
    settings = replace(settings, query=named_query(topic.rules, settings.query))
    parent, cut = find_version(asked["parent"]), {name: asked[name] for name in ("until_verdict", "until_reading")}
    parent_files = verified_folder(parent)
    monitor.report("reading labels")
    with read() as session:
        label_set = current_label_set(session, **cut)
        seen = label_marks(session, label_set) | cut
        evaluated_articles(session, label_set, Split.TEST)
        articles = labelled_articles(session, label_set, Split.TRAIN, settings.query, topic.rules)
        validation = labelled_articles(session, label_set, Split.VALIDATION, settings.query, topic.rules)
        child = db.registry.made_by(session, monitor.job_id, Kind.ENCODER)
    counts = label_counts(articles)
    monitor.keep(seen)
    device = f"{best_device()}, {'bfloat16' if bfloat16_pays(best_device()) else 'float32'}"
    result = {"parent": parent.name, "device": device, "label_counts": counts, **seen}
    encoder = None
    if child is None:
        checkpoints = _checkpoints(parent, parent_files, settings, monitor.job_id, label_set, [*articles, *validation])
        monitor.report("loading the parent version")
        encoder = load(parent_files, most_tokens=None)
        monitor.report("preparing")
        history = fine_tune(
            encoder,
            articles,
            settings,
            validation=validation,
            on_step=partial(_report, monitor, device, checkpoints),
            on_encoded=lambda done: monitor.stop_if_cancelled(),
            checkpoints=checkpoints,
        )
        monitor.proceed("saving the new version")
        child = _save(encoder, parent, settings, topic, monitor, label_set, counts, history)
        result |= {"resumed_at_step": checkpoints.resumed_step} if checkpoints.resumed_step else {}
    result["child"] = child.name
    monitor.keep(result)
    result["test"] = evaluate_both(parent, child, label_set, monitor, encoder)
    return result


def _checkpoints(
    parent: ModelVersion,
    parent_files: Path,
    settings: TrainingSettings,
    job_id: int,
    label_set: LabelSet,
    articles: Sequence[LabelledArticle],
) -> Checkpoints:
    """Where this training keeps its checkpoints. Raises NotEnoughSpace.

    They belong to another training once the texts, or the names that the queries are made of, have changed.
    """
    size = sum(path.stat().st_size for path in parent_files.rglob("*") if path.is_file())
    needed = FREE_SPACE_FACTOR * size
    free = shutil.disk_usage(folder("models")).free
    if free < needed:
        raise NotEnoughSpace(f"{free >> 20} MB are free; a new version needs {needed >> 20} MB")
    what = {
        "settings": asdict(settings),
        "parent": parent.manifest,
        "labels": label_set.sha256,
        "articles": [asdict(article) for article in articles],
    }
    return Checkpoints(scratch(job_id), what, every_seconds=CHECKPOINT_SECONDS, reserve_bytes=needed)


def _report(monitor: Monitor, device: str, checkpoints: Checkpoints, step: Step) -> None:
    monitor.proceed(
        "training",
        step.step,
        step.steps,
        loss=round(step.loss, 5),
        pairs_per_second=round(step.pairs_per_second, 1),
        seconds_left=round(step.seconds_left, 1),
        device=device,
        **({"resumed_at_step": checkpoints.resumed_step} if checkpoints.resumed_step else {}),
    )


def _save(
    encoder: SentenceTransformer,
    parent: ModelVersion,
    settings: TrainingSettings,
    topic: Topic,
    monitor: Monitor,
    label_set: LabelSet,
    counts: dict[str, int],
    history: Sequence[Step | Checkpoint],
) -> ModelVersion:
    """Tries the child out, writes and registers it: it is there whole or not at all."""
    with read() as session:
        name = _next_name(session)
    smoke_test(encoder, name)
    files = write_encoder(encoder, name)
    manifest = manifest_of(files)
    with write(Right.SYSTEM) as session:
        monitor.hold(session)  # a job that was cancelled makes no version, nor does a process taken for dead
        return register_encoder(
            session,
            files,
            name=_next_name(session),  # an encoder may have taken the first name meanwhile
            encoder=parent.encoder,
            manifest=manifest,
            topic_sha256=topic.sha256,
            parent_id=parent.id,
            query=settings.query,
            job_id=monitor.job_id,
            settings=asdict(settings),
            trained_on={"label_counts": counts, "label_set_sha256": label_set.sha256},
            history=stored_curve(history, CURVE_STEPS),
        )


def _next_name(session: Session) -> str:
    taken = {version.name for version in db.registry.versions(session)}
    return next(f"v{n}" for n in range(1, len(taken) + 2) if f"v{n}" not in taken)


def evaluate_both(
    parent: ModelVersion,
    child: ModelVersion,
    label_set: LabelSet,
    monitor: Monitor,
    child_encoder: SentenceTransformer | None = None,
) -> dict[str, Any]:
    """Evaluates both on the same test articles, by cosine and hybrid; {ranking: {before, after}} metrics."""
    with read() as session:
        article_ids = evaluated_articles(session, label_set, Split.TEST)
    for version, encoder in ((parent, None), (child, child_encoder)):
        embed_missing(version, article_ids, monitor, "the test articles ", encoder)
    monitor.report("evaluating")
    return {
        str(ranking): {
            moment: evaluate(version, ranking, Split.TEST, label_set)[1].metrics
            for moment, version in (("before", parent), ("after", child))
        }
        for ranking in (Ranking.COSINE, Ranking.HYBRID)
    }
