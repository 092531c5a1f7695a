"""Retraining: a child version fine-tuned on the present labels, evaluated beside its parent. Imports torch."""

import shutil
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import numpy as np
from sentence_transformers import SentenceTransformer

import db.versions
from annotate.embed import embed
from annotate.evaluate import evaluate, evaluated_articles
from annotate.gold import LabelSet, current_label_set
from annotate.home import folder, read, write
from annotate.jobs import Cancelled, Monitor
from annotate.training_set import label_counts, label_marks, labelled_articles
from annotate.versions import TEST, find_version, model_folder, register, verified_folder
from db.tables import ModelVersion
from model.encoder import bfloat16_pays, load, save
from model.ranking import Ranking
from model.settings import TrainingSettings
from model.training import Checkpoint, Step, fine_tune

# The child, its partial copy and room for the database: less free space than that and the run is refused.
FREE_SPACE_FACTOR = 3


class NotEnoughSpace(OSError):
    """Too little free disk space to save another version."""


def train(parent_name: str | None, settings: TrainingSettings, monitor: Monitor) -> dict[str, Any]:
    """Fine-tunes a child of the parent (the proposing version by default), stores and evaluates it.

    Returns the child's name with the test metrics before and after. The parent keeps proposing.
    Raises NotEnoughGold, NotEnoughSpace, DamagedModel, Cancelled.
    """
    parent = find_version(parent_name)
    monitor.report("reading labels")
    with read() as session:
        label_set = current_label_set(session)
        seen = label_marks(session, label_set)
        evaluated_articles(session, label_set, TEST)
        articles = labelled_articles(session, label_set, "train", settings.query)
        validation = labelled_articles(session, label_set, "validation", settings.query)
    counts = label_counts(articles, settings.negatives)
    monitor.keep(seen)
    _check_space(parent)
    monitor.report("loading the parent version")
    encoder = load(verified_folder(parent))
    precision = "bfloat16" if bfloat16_pays(encoder.device.type) else "float32"
    device = f"{encoder.device.type}, {precision}"
    monitor.report("preparing")
    history = fine_tune(
        encoder, articles, settings, validation=validation, on_step=lambda step: _report(step, monitor, device)
    )
    monitor.report("saving the new version")
    child = _save(encoder, parent, settings, monitor.job_id, label_set, counts, history)
    result = {"parent": parent.name, "child": child.name, "device": device, "label_counts": counts, **seen}
    monitor.keep(result)
    result["test"] = evaluate_beside(parent, child, label_set, monitor, encoder)
    return result


def _check_space(parent: ModelVersion) -> None:
    size = sum(path.stat().st_size for path in model_folder(parent).rglob("*") if path.is_file())
    free = shutil.disk_usage(folder("models")).free
    if free < FREE_SPACE_FACTOR * size:
        raise NotEnoughSpace(f"{free >> 20} MB are free; a new version needs {FREE_SPACE_FACTOR * size >> 20} MB")


def _report(step: Step, monitor: Monitor, device: str) -> None:
    monitor.report(
        "training",
        step.step,
        step.steps,
        loss=round(step.loss, 5),
        pairs_per_second=round(step.pairs_per_second, 1),
        seconds_left=round(step.seconds_left, 1),
        device=device,
    )
    monitor.stop_if_cancelled()


def _save(
    encoder: SentenceTransformer,
    parent: ModelVersion,
    settings: TrainingSettings,
    job_id: int,
    label_set: LabelSet,
    counts: dict[str, int],
    history: Sequence[Step | Checkpoint],
) -> ModelVersion:
    """Writes the child under a partial name, then renames and registers it: it is there whole or not at all."""
    with read() as session:
        taken = {version.name for version in db.versions.versions(session)}
    number = next(n for n in range(1, len(taken) + 2) if f"v{n}" not in taken)
    name = f"v{number}"
    partial, final = folder("models") / f"{name}.partial", folder("models") / name
    for leftover in (partial, final):  # of a run that was killed before it registered anything
        shutil.rmtree(leftover, ignore_errors=True)
    save(encoder, partial)
    partial.rename(final)
    with write() as session:
        child = register(session, final, name=name, encoder=parent.encoder, parent_id=parent.id, query=settings.query)
        db.versions.insert_run(
            session,
            job_id=job_id,
            parent_id=parent.id,
            child_id=child.id,
            settings=asdict(settings),
            label_counts=counts,
            label_set_sha256=label_set.sha256,
            history=[{"kind": type(entry).__name__.lower(), **asdict(entry)} for entry in _thinned(history)],
        )
    return child


def _thinned(history: Sequence[Step | Checkpoint], most: int = 1_000) -> list[Step | Checkpoint]:
    """The curve with at most about `most` steps; every checkpoint stays."""
    steps = [entry for entry in history if isinstance(entry, Step)]
    kept = {id(steps[int(i)]) for i in np.linspace(0, len(steps) - 1, min(most, len(steps)))}
    return [entry for entry in history if isinstance(entry, Checkpoint) or id(entry) in kept]


def evaluate_beside(
    parent: ModelVersion,
    child: ModelVersion,
    label_set: LabelSet,
    monitor: Monitor,
    child_encoder: SentenceTransformer | None = None,
) -> dict[str, Any]:
    """Evaluates both on the same test articles, by cosine and hybrid; {ranking: {before, after}} metrics."""
    with read() as session:
        article_ids = evaluated_articles(session, label_set, TEST)
    for version, encoder in ((parent, None), (child, child_encoder)):
        stage = f"embedding the test articles with {version.name}"
        embed(
            version,
            encoder=encoder,
            article_ids=article_ids,
            progress=lambda done, total, stage=stage: monitor.report(stage, done, total),
            cancelled=monitor.cancelled,
        )
        if monitor.cancelled():
            raise Cancelled
    monitor.report("evaluating")
    return {
        str(ranking): {
            moment: evaluate(version, ranking, TEST, label_set)[1].metrics
            for moment, version in (("before", parent), ("after", child))
        }
        for ranking in (Ranking.COSINE, Ranking.HYBRID)
    }
