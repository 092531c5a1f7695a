"""Evaluation of a version and a ranking on labelled articles, from stored embeddings, without torch."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sqlalchemy.orm import Session

import db.articles
import db.versions
from annotate.gold import LabelSet, current_label_set
from annotate.home import read, write
from annotate.propose import Ranked, rank_articles
from annotate.rights import Right
from db.articles import ALL, SPLITS
from db.tables import ModelVersion
from model.metrics import (
    ARTICLE_METRICS,
    bootstrap_interval,
    histogram,
    mean_squared_error,
    pearson,
    threshold_curve,
)
from model.ranking import Ranking

BATCH_ARTICLES = 50
BOOTSTRAP_SEED = 0


class NotEnoughGold(ValueError):
    """No labelled key sentence to evaluate on, or none to train on; the message says where."""


@dataclass(frozen=True, slots=True)
class Scores:
    """Metrics over articles, the parts of each article, and the cosines by label."""

    metrics: dict[str, Any]
    articles: list[dict[str, Any]]
    histogram: dict[str, Any]


def evaluated_articles(session: Session, label_set: LabelSet, split: str) -> list[int]:
    """The articles of a split (or all) that have a key sentence. Raises NotEnoughGold where there are none.

    A ValueError names an unknown split.
    """
    if split not in (*SPLITS, ALL):
        raise ValueError(f"split {split!r} is none of {', '.join((*SPLITS, ALL))}")
    with_key = [article_id for article_id, labels in label_set.labels.items() if 1 in labels.values()]
    splits = db.articles.splits(session, with_key)
    chosen = sorted(article_id for article_id in with_key if split in (ALL, splits[article_id]))
    if not chosen:
        raise NotEnoughGold(
            f"no article of the {split} split has a key sentence yet" if split != ALL else "no gold yet"
        )
    return chosen


def score(session: Session, version: ModelVersion, ranking: Ranking, split: str, label_set: LabelSet) -> Scores:
    """Ranks the split's articles and compares with the labels; sentences without label count as not key.

    Raises NotEnoughGold, and NotEmbedded where an article was not embedded under this version yet.
    """
    article_ids = evaluated_articles(session, label_set, split)
    rows: list[dict[str, Any]] = []
    truths, cosines = [], []
    for start in range(0, len(article_ids), BATCH_ARTICLES):
        ranked = rank_articles(session, version, ranking, article_ids[start : start + BATCH_ARTICLES])
        for article_id, result in ranked.items():
            truth = _truth(result, label_set.labels[article_id])
            measured = {name: metric(truth, result.scores) for name, metric in ARTICLE_METRICS.items()}
            rows.append({"article_id": article_id, "key_sentences": sum(truth), **measured})
            truths.append(truth)
            cosines.append(result.cosines)
    truth, cosine = np.concatenate(truths), np.concatenate(cosines)
    return Scores(_metrics(rows, truth, cosine), rows, histogram_of(truth, cosine))


def _truth(ranked: Ranked, labels: dict[int, int]) -> list[int]:
    return [labels.get(sentence.position, 0) for sentence in ranked.sentences]


def _metrics(rows: Sequence[dict[str, Any]], truth: np.ndarray, cosines: np.ndarray) -> dict[str, Any]:
    interval = bootstrap_interval([row["r_precision"] for row in rows], np.random.default_rng(BOOTSTRAP_SEED))
    means = {name: float(np.mean([row[name] for row in rows])) for name in ARTICLE_METRICS}
    means["arp"] = means.pop("r_precision")
    means["mean_average_precision"] = means.pop("average_precision")
    return {
        **means,
        "arp_low": interval.low,
        "arp_high": interval.high,
        "mse": mean_squared_error(truth, cosines),
        "pearson": pearson(truth, cosines),
        "articles": len(rows),
        "key_sentences": int(truth.sum()),
        "sentences": int(truth.size),
    }


def histogram_of(truth: np.ndarray, cosines: np.ndarray) -> dict[str, Any]:
    """The histogram of cosines by label and the threshold curve, as evaluations and reports store them."""
    bins = histogram(truth, cosines)
    curve = threshold_curve(truth, cosines)
    # JSON knows no NaN; where no sentence reaches the threshold there is no prevalence.
    prevalence = [None if math.isnan(value) else value for value in curve.prevalence.tolist()]
    return {
        "edges": bins.edges.tolist(),
        "key": bins.key.tolist(),
        "other": bins.other.tolist(),
        "thresholds": curve.thresholds.tolist(),
        "found": curve.found.tolist(),
        "prevalence": prevalence,
    }


def evaluate(
    version: ModelVersion, ranking: Ranking, split: str, label_set: LabelSet | None = None
) -> tuple[int, Scores]:
    """Scores and stores an evaluation; returns its id. Raises as `score` does."""
    with read() as session:
        label_set = label_set or current_label_set(session)
        scores = score(session, version, ranking, split, label_set)
    kept = ("article_id", "r_precision", "key_sentences")
    with write(Right.SYSTEM) as session:
        evaluation_id = db.versions.insert_evaluation(
            session,
            [{name: row[name] for name in kept} for row in scores.articles],
            version_id=version.id,
            ranking=str(ranking),
            split=split,
            label_set_sha256=label_set.split_sha256[split],
            metrics=scores.metrics,
            histogram=scores.histogram,
        )
    return evaluation_id, scores
