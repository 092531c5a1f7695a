"""The evaluation report of a version: computed once by a job from stored embeddings, kept, and shown by the pages."""

from collections.abc import Sequence
from functools import partial
from typing import Any

from sqlalchemy.orm import Session

import db.active_learning.heads
import db.articles
import db.rows
from annotate.evaluation.audit import audited, audited_sha256
from annotate.evaluation.evaluate_version import embed_missing, evaluated_articles, measured
from annotate.evaluation.projection import project
from annotate.evaluation.report_numbers import against, mean_key_vector, measures, numbers_of, summary
from annotate.evaluation.vocabulary import label_terms, vocabulary
from annotate.gold.label_sets import LabelSet, current_label_set
from annotate.jobs.monitor import Monitor
from annotate.project.home import look_up, read, write
from annotate.project.rights import Right
from annotate.proposing.comparison import ranked_by
from annotate.proposing.encoder_versions import find_version
from annotate.proposing.judged import judged_of
from annotate.proposing.propose import rankings_of
from annotate.registry.versions import model_folder
from db.tables import ModelVersion, Report
from db.values import Split
from model.proposing.ranking import Ranking


def make_report(name: str | None, ranking: Ranking, split: str, monitor: Monitor) -> dict[str, Any]:
    """Computes and stores the report of a version (the proposing one for None), embedding what is missing.

    Returns its id with the headline. Raises NotEnoughGold, DamagedModel, Cancelled, and ValueError for an unknown
    version or split.
    """
    version = find_version(name)
    if ranking is Ranking.LEARNED and split != Split.TEST:
        raise ValueError(f"the learned ranking was fitted on {split} articles; it is reported on the test split alone")
    with read() as session:
        label_set = current_label_set(session)
        article_ids = evaluated_articles(session, label_set, split)
        training = training_labels(session, label_set) if version.parent_id is None else {}
        parent = db.rows.get(session, ModelVersion, version.parent_id) if version.parent_id else None
        if parent is not None and ranking not in rankings_of(session, parent):
            parent = None  # nothing to compare with
        audit, sha256 = audited(session, label_set), audited_sha256(session, label_set)
        judged, ranked = judged_of(session, article_ids), ranked_by(session, article_ids)
    versions = [version] if parent is None else [version, parent]
    for one in versions:
        embed_missing(one, sorted({*article_ids, *(training if one is version else ())}), monitor)
    scored, *others = (
        measured(one, ranking, article_ids, label_set, progress=partial(monitor.proceed, f"ranking by {one.name}"))
        for one in versions
    )
    before = others[0] if others else None
    # Of the training articles; none for a fine-tuned version.
    mean_key = look_up(mean_key_vector, version, training)
    by_mean_key = None if mean_key is None else against(version, mean_key, scored)
    content = {
        "version": version.name,
        "encoder": version.encoder,
        "parent": parent and parent.name,
        "query": version.query,
        "audit_sha256": sha256,
        "ranked_by_sha256": ranked,
        "unjudged_share": judged.unjudged_share({article.article_id: len(article.truth) for article in scored}),
        **numbers_of(scored, before, audit),
        "mean_key": by_mean_key and summary(by_mean_key, measures(by_mean_key)),
        "vocabulary": _vocabulary(versions),
    }
    monitor.stop_if_cancelled()
    truths = {article.article_id: article.truth for article in scored}
    content["projection"] = project(versions[::-1], truths, monitor)
    with write(Right.SYSTEM) as session:
        report_id = db.rows.add(
            session,
            Report(
                version_id=version.id,
                ranking=str(ranking),
                split=split,
                label_set_sha256=label_set.split_sha256[split],
                content=content,
            ),
        ).id
    arp = content["metrics"]["r_precision"]
    return {"report": report_id, "version": version.name, "ranking": str(ranking), "split": split, "arp": arp["mean"]}


def training_labels(session: Session, label_set: LabelSet) -> dict[int, dict[int, int]]:
    """The labels of the training articles that have a key sentence."""
    splits = db.articles.splits(session, list(label_set.labels))
    return {
        article_id: labels
        for article_id, labels in label_set.labels.items()
        if splits[article_id] == Split.TRAIN and 1 in labels.values()
    }


def calibration(session: Session, version_id: int) -> dict[str, Any]:
    """How far the probabilities of a version's latest light head can be taken at their word, as it was stored.

    {"calibration": {...}} as annotate/active_learning/heads.py describes it, or
     {"calibration": None, "reason": the missing data}.
    """
    head = db.active_learning.heads.latest_base(session, version_id)
    if head is None or "calibration" not in head.metrics:
        return {"calibration": None, "reason": "no head has learnt under this version yet; one does when it proposes"}
    return {"calibration": head.metrics["calibration"], "reason": head.metrics.get("reason", "")}


def stale(session: Session, report: Report, label_set: LabelSet) -> list[str]:
    """What changed since the report was made: some of "labels", "audit" and "topic", which stands for document labels
    too."""
    changed = []
    if report.label_set_sha256 != label_set.split_sha256[report.split]:
        changed.append("labels")
    if report.content["audit_sha256"] != audited_sha256(session, label_set):
        changed.append("audit")
    ranked = report.content.get("ranked_by_sha256")  # reports of earlier releases do not tell it
    if ranked is not None and ranked != ranked_by(session, report.content["articles"]["id"]):
        changed.append("topic")
    return changed


def _vocabulary(versions: Sequence[ModelVersion]) -> list[dict[str, Any]]:
    """Versions with equal rows are shown as one."""
    with read() as session:
        terms = label_terms(session)
    found: list[dict[str, Any]] = []
    for version in versions:
        rows = vocabulary(model_folder(version), terms)
        same = next((entry for entry in found if entry["rows"] == rows), None)
        if same:
            same["versions"].append(version.name)
        else:
            found.append({"versions": [version.name], "rows": rows})
    return found
