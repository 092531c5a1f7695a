"""Evaluation of a version and a ranking on labelled articles, from stored embeddings, without torch."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from sqlalchemy.orm import Session

import db.articles
import db.proposing.versions
from annotate.gold.label_sets import LabelSet, current_label_set
from annotate.project.home import read, write
from annotate.project.rights import Right
from annotate.proposing.propose import Ranked, rank_articles
from db.articles import ALL, SPLITS
from db.tables import ModelVersion
from model.evaluation.metrics import histogram, threshold_curve
from model.evaluation.summary import counts_of, metrics_of, values_of
from model.proposing.ranking import Ranking

BATCH_ARTICLES = 50


class NotEnoughGold(ValueError):
    """No labelled key sentence to evaluate on, or none to train on; the message says where."""


@dataclass(frozen=True, slots=True)
class Scores:
    """Metrics over articles, the R-precision of each article, and the cosines by label."""

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
    ids: list[int] = []
    truths: list[list[int]] = []
    scores: list[np.ndarray] = []
    cosines: list[np.ndarray] = []
    for start in range(0, len(article_ids), BATCH_ARTICLES):
        ranked = rank_articles(session, version, ranking, article_ids[start : start + BATCH_ARTICLES])
        ids += ranked
        truths += [_truth(result, label_set.labels[article_id]) for article_id, result in ranked.items()]
        scores += [result.scores for result in ranked.values()]
        cosines += [result.cosines for result in ranked.values()]
    values = values_of(truths, scores)
    rows = [
        {"article_id": article_id, "key_sentences": sum(truth), "r_precision": value}
        for article_id, truth, value in zip(ids, truths, values["r_precision"], strict=True)
    ]
    metrics = metrics_of(values, truths, cosines) | counts_of(truths)
    return Scores(metrics, rows, histogram_of(np.concatenate(truths), np.concatenate(cosines)))


def _truth(ranked: Ranked, labels: dict[int, int]) -> list[int]:
    return [labels.get(sentence.position, 0) for sentence in ranked.sentences]


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
    with write(Right.SYSTEM) as session:
        evaluation_id = db.proposing.versions.insert_evaluation(
            session,
            scores.articles,
            version_id=version.id,
            ranking=str(ranking),
            split=split,
            label_set_sha256=label_set.split_sha256[split],
            metrics=scores.metrics,
            histogram=scores.histogram,
        )
    return evaluation_id, scores
