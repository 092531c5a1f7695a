"""The base head of a version: fitted on all labels that it may know, calibrated by article, stored with its provenance.

The app learns on from it (live_ranking.py); it is fitted again by the propose job, and by the app now and then.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy
from sqlalchemy.orm import Session
from threadpoolctl import threadpool_limits

import db.active_learning.heads
import db.articles
import db.review.assignments
import db.review.verdicts
import db.rows
from annotate.active_learning.article_features import rows_for, store_features, store_tops
from annotate.articles import lots
from annotate.gold.label_sets import current_label_set, judged, labels_of, lines_of, picked_in
from annotate.jobs.monitor import Monitor
from annotate.project.home import read, write
from annotate.project.rights import Right
from annotate.proposing.queries import cosine_weight_of
from annotate.topics.project_topic import topic_now
from db.tables import Head as HeadRow
from db.tables import ModelVersion
from db.values import Split
from model.active_learning.features import prior_of
from model.active_learning.head import COLUMNS, Head, first_head, teach
from model.active_learning.taught import Taught
from model.evaluation.calibration import Platt, cross_calibrated, expected_calibration_error, fit_platt, reliability
from model.labelled import KEY, NOT_KEY, UNLABELLED

# The usual values of the columns are read off this many articles, by lot.
SAMPLE_ARTICLES = 100
# Evidence Inference reaches an ARP of .500 with 200 articles and .498 with 650; 400 take a second or two to learn.
MAX_ARTICLES = 400
# With fewer, two folds of five may hold one hard article each and the bins of the plot a handful of sentences.
CALIBRATION_ARTICLES = 20
CALIBRATION_LABELS = 50  # of key, and of not key
FOLDS = 5


@dataclass(frozen=True, eq=False)
class Labelled:
    """What is known of some articles: {article: {position: KEY or NOT_KEY}}, which of them were read in full, and of
    which nothing but picked sentences was judged."""

    labels: Mapping[int, Mapping[int, int]]
    read: Collection[int]
    picked: Collection[int] = frozenset()

    @property
    def article_ids(self) -> set[int]:
        """The articles of which anything is known."""
        return {*self.labels, *self.read}

    def taught(self, article_id: int, rows: np.ndarray) -> Taught:
        """An article as the head learns from it. Where it was read in full, unjudged sentences are not key. Where all
        judged ones were picked, unjudged ones teach nothing: the next ones to be picked are among them."""
        labels = np.full(len(rows), NOT_KEY if article_id in self.read else UNLABELLED)
        for position, label in self.labels.get(article_id, {}).items():
            labels[position] = label
        article = Taught(rows, labels)
        return article.judged if article_id in self.picked else article


@dataclass(frozen=True, eq=False)
class Base:
    """A head and what it learnt from: the articles, and how much of which kind. With it the head that it began as, and
    the articles whose sentences that one stands on."""

    head: Head
    first: Head
    sample: frozenset[int]
    taught: Mapping[int, Taught]
    counts: dict[str, int]


def known_of(session: Session, article_ids: Collection[int]) -> Labelled:
    """The known labels of these articles now, from all annotators."""
    lines = lines_of(judged(session, article_ids=article_ids))
    read_whole = {article_id for article_id, _ in db.review.assignments.read_whole(session, article_ids)}
    return Labelled(labels_of(lines), read_whole, picked_in(lines) - read_whole)


def may_teach(session: Session, version: ModelVersion, article_ids: Collection[int]) -> set[int]:
    """The given articles from which a head that proposes for others may learn.

    Never articles of the test split. Articles on which a fine-tuned version may have been trained, those with a
    verdict from before it was made, are left out too: its cosines flatter it there.
    """
    splits = db.articles.splits(session, article_ids)
    allowed = {article_id for article_id, split in splits.items() if split != Split.TEST}
    if version.parent_id:
        seen = db.review.verdicts.judged_articles(
            session, until=db.review.verdicts.last_events(session, until=version.created_at)["until_verdict"]
        )
        allowed -= {article_id for article_id in seen & allowed if splits[article_id] == Split.TRAIN}
    return allowed


def by_lot(article_ids: Iterable[int], most: int) -> list[int]:
    """At most `most` articles by a lot that others who come or go do not change, in order of their ids."""
    return sorted(lots.by_lot("head", article_ids)[:most])


def base_of(
    session: Session, version: ModelVersion, marks: Mapping[str, int], without: Collection[int] = ()
) -> Base | None:
    """The head after all labels up to these marks (last verdict and reading), some articles left out.

    At most MAX_ARTICLES, by lot, that have rows. None where no article has rows under this version.
    """
    sample = rows_for(
        session, version.id, by_lot(db.active_learning.heads.article_ids(session, version.id), SAMPLE_ARTICLES)
    )
    if not sample:
        return None
    rules = topic_now(session).rules
    first = first_head(np.vstack(list(sample.values())), prior_of(rules, cosine_weight_of(rules, version)))
    label_set = current_label_set(session, until_verdict=marks["until_verdict"], until_reading=marks["until_reading"])
    known = Labelled(label_set.labels, label_set.read, label_set.picked)
    drawn = by_lot(may_teach(session, version, known.article_ids - set(without)), MAX_ARTICLES)
    taught = {number: known.taught(number, rows) for number, rows in rows_for(session, version.id, drawn).items()}
    return Base(teach(first, list(taught.values())), first, frozenset(sample), taught, counts_of(taught.values()))


def counts_of(taught: Iterable[Taught]) -> dict[str, int]:
    """How many articles and sentences of each kind these are."""
    labels = [article.labels for article in taught if len(article.labels)]
    every = np.concatenate(labels) if labels else np.zeros(0)
    kinds = {"key": KEY, "not_key": NOT_KEY, "unlabelled": UNLABELLED}
    return {"articles": len(labels), **{name: int((every == kind).sum()) for name, kind in kinds.items()}}


def calibration_of(base: Base) -> dict[str, Any]:
    """How far the head's probabilities can be taken at their word, JSON-able, all out of sample by article.

    The log odds of an article come from a head that learnt from others, its calibrated probabilities by a Platt
    fit on others. {"calibration": None, "reason"} where the labels are too few.
    """
    judged = {number: article for number, article in base.taught.items() if len(article.judged.labels)}
    counts = counts_of(article.judged for article in judged.values())
    if len(judged) < CALIBRATION_ARTICLES or min(counts["key"], counts["not_key"]) < CALIBRATION_LABELS:
        needed = f"{CALIBRATION_ARTICLES} articles and {CALIBRATION_LABELS} sentences of either kind"
        has = f"{len(judged)} with {counts['key']} key and {counts['not_key']} other sentences"
        return {"calibration": None, "reason": f"calibration needs {needed}; there are {has}"}
    articles = list(judged.values())
    folds = np.random.default_rng(0).permutation(len(articles)) % FOLDS
    log_odds: list[np.ndarray] = [np.zeros(0)] * len(articles)
    for fold in range(FOLDS):
        head = teach(base.first, [article for article, own in zip(articles, folds, strict=True) if own != fold])
        for number in np.flatnonzero(folds == fold):
            log_odds[number] = head.log_odds(articles[number].judged.rows)
    truth = np.concatenate([article.judged.truth for article in articles])
    groups = np.repeat(np.arange(len(articles)), [len(own) for own in log_odds])
    every = np.concatenate(log_odds)
    platt, before, after = (
        fit_platt(every, truth),
        scipy.special.expit(every),
        cross_calibrated(every, truth, groups, FOLDS),
    )
    return {
        "calibration": {
            "a": float(platt.a),
            "b": float(platt.b),
            "ece_before": expected_calibration_error(before, truth),
            "ece_after": expected_calibration_error(after, truth),
            "reliability_before": reliability(before, truth),
            "reliability_after": reliability(after, truth),
            "sentences": len(truth),
            "articles": len(articles),
        }
    }


def fit_head(session: Session, version: ModelVersion) -> tuple[Head, dict[str, Any], dict[str, Any]] | None:
    """The head after all labels of now, what it learnt from, and its calibration; None where no article has rows."""
    marks = db.review.verdicts.last_events(session)
    base = base_of(session, version, marks)
    return None if base is None else (base.head, {"base": True, **marks, **base.counts}, calibration_of(base))


def store_base(
    version: ModelVersion,
    changed: Sequence[int],
    *,
    article_ids: Sequence[int] | None = None,
    progress: Callable[[int], None] = lambda done: None,
    cancelled: Callable[[], bool] = lambda: False,
) -> HeadRow | None:
    """Fits and stores a version's base head where labels came or the rows of articles changed; else the stored one.

    It first chooses the best sentences of these articles, or all, so that a reader of the row finds them too.
    None where no article has rows, or where the work was cancelled.
    """
    with read() as session:
        stored = usable_head(db.active_learning.heads.latest_base(session, version.id))
        if stored is not None and not changed and marks_of(stored) == db.review.verdicts.last_events(session):
            return stored
        with threadpool_limits(1):  # as in the app (annotate/active_learning/live_state.py)
            fitted = fit_head(session, version)
    if fitted is None:
        return None
    head, counts, metrics = fitted
    store_tops(version, head, article_ids=article_ids, progress=progress, cancelled=cancelled)
    return None if cancelled() else insert(version.id, head, counts, metrics)


def insert(version_id: int, head: Head, counts: dict[str, Any], metrics: dict[str, Any]) -> HeadRow:
    """Stores a base head in a transaction of its own."""
    with write(Right.SYSTEM) as session:
        return db.rows.add(session, row_of(version_id, head, counts, metrics))


def row_of(version_id: int, head: Head, counts: dict[str, Any], metrics: dict[str, Any]) -> HeadRow:
    """A head as its table holds it; weights to six digits, 2 KB."""
    weights = head.as_dict()
    short = {name: float(f"{weight:.6g}") for name, weight in weights["weights"].items()}
    return HeadRow(
        version_id=version_id,
        until_verdict=counts["until_verdict"],
        counts=counts,
        weights={**weights, "weights": short},
        metrics=metrics,
    )


def marks_of(row: HeadRow) -> dict[str, int]:
    """The last verdict, reading and removal that a stored head knew of."""
    removal = row.counts.get("until_removal", 0)  # of a release before there were any
    return {"until_verdict": row.until_verdict, "until_reading": row.counts["until_reading"], "until_removal": removal}


def usable_head(row: HeadRow | None) -> HeadRow | None:
    """A stored base head, None where its columns are other than today's: the next propose job makes rows and head."""
    return row if row is not None and tuple(row.weights["weights"]) == COLUMNS else None


def platt_of(metrics: dict[str, Any]) -> Platt | None:
    """What makes a stored head's log odds calibrated probabilities; None where the labels were too few."""
    found = metrics.get("calibration")
    return Platt(found["a"], found["b"]) if found else None


def learn_base(version: ModelVersion, article_ids: Sequence[int] | None, monitor: Monitor) -> set[int]:
    """Makes what the app learns from at once; returns the articles whose rows are new.

    Of all articles where the stored head is of other columns than today's, since their rows are, too.
    """
    with read() as session:
        stored = db.active_learning.heads.latest_base(session, version.id)
    if stored is not None and usable_head(stored) is None:
        article_ids = None
    renewed = store_features(
        version,
        article_ids=article_ids,
        progress=lambda done: monitor.report("describing sentences", done, 0),
        cancelled=monitor.cancelled,
    )
    monitor.stop_if_cancelled()
    monitor.report("fitting the head that learns at once")
    store_base(
        version,
        renewed,
        article_ids=article_ids,
        progress=lambda done: monitor.report("choosing sentences for the queue", done, 0),
        cancelled=monitor.cancelled,
    )
    monitor.stop_if_cancelled()
    return set(renewed)
