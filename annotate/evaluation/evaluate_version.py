"""Evaluation of a version and a ranking on labelled articles, from stored embeddings, without torch."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from sqlalchemy.orm import Session

import db.articles
import db.evaluation
from annotate.articles.document import PARTS, part_of
from annotate.articles.document_labels import Labels, labels_of
from annotate.gold.label_sets import LabelSet, current_label_set
from annotate.jobs.monitor import Monitor
from annotate.project.home import read, write
from annotate.project.rights import Right
from annotate.proposing.comparison import COMPARED, MIN_ARTICLES, ranked_by
from annotate.proposing.judged import judged_of
from annotate.proposing.llm_ranking import MEASURED, config_now
from annotate.proposing.propose import article_batches, default_ranking, rank_articles
from db.articles import ALL, SPLITS
from db.tables import ModelVersion
from model.evaluation.metrics import counts_by_cosine
from model.evaluation.pooling import bpref, is_fair
from model.evaluation.summary import as_stored, counts_of, mean_difference, metrics_of, values_of
from model.proposing.ranking import Ranking

BATCH_ARTICLES = 50
DIGITS = 6  # of a measure of one article, as it is stored
# A pool of articles to be told the numbers of: those fair to all versions that are compared.
FAIR = "fair"


class NotEnoughGold(ValueError):
    """No labelled key sentence to evaluate on, or none to train on; the message says where."""


@dataclass(frozen=True, slots=True)
class Scores:
    """Metrics over articles, the R-precision of each article, and the cosines by label. `by_article` has the values of
    the articles by measure, in step with their ids under "article_id"."""

    metrics: dict[str, Any]
    articles: list[dict[str, Any]]
    histogram: dict[str, Any]
    by_article: dict[str, list[Any]]

    @property
    def stored(self) -> dict[str, Any]:
        """The metrics and the values of each article, as an evaluation stores them."""
        return self.metrics | {"by_article": self.by_article}


def articles_with_labels(session: Session, label_set: LabelSet, split: str) -> list[int]:
    """The articles of a split (or all) that have any label; without articles of which only picked sentences were
    judged, since they would flatter what picked them. A ValueError names an unknown split."""
    if split not in (*SPLITS, ALL):
        raise ValueError(f"split {split!r} is none of {', '.join((*SPLITS, ALL))}")
    splits = db.articles.splits(session, label_set.labels.keys() - label_set.picked)
    return sorted(article_id for article_id, found in splits.items() if split in (ALL, found))


def evaluated_articles(session: Session, label_set: LabelSet, split: str) -> list[int]:
    """The labelled articles of a split that have a key sentence. Raises NotEnoughGold where there are none."""
    labelled = articles_with_labels(session, label_set, split)
    chosen = [article_id for article_id in labelled if 1 in label_set.labels[article_id].values()]
    if not chosen:
        raise NotEnoughGold(
            f"no article of the {split} split has a key sentence yet" if split != ALL else "no gold yet"
        )
    return chosen


def embed_missing(
    version: ModelVersion, article_ids: Sequence[int], monitor: Monitor, what: str = "", encoder: Any = None
) -> None:
    """Embeds what this version has not seen of these articles, which the job calls `what`. Raises Cancelled."""
    from annotate.proposing.embed import embed  # noqa: PLC0415 (torch takes seconds to import)

    stage = f"embedding {what}with {version.name}"
    monitor.report(stage)
    progress, cancelled = partial(monitor.report, stage), monitor.cancelled
    embed(version, encoder=encoder, article_ids=article_ids, progress=progress, cancelled=cancelled)
    monitor.stop_if_cancelled()


@dataclass(frozen=True, slots=True, eq=False)
class Measured:
    """One article under a ranking: its sentences' labels, 0 or 1, scores and cosines, shape (n,); whether each was
    judged at all, if only as unsure, and whether it is decided: key or not; and indices into PARTS."""

    article_id: int
    truth: np.ndarray
    judged: np.ndarray
    decided: np.ndarray
    scores: np.ndarray
    cosines: np.ndarray
    parts: np.ndarray

    @property
    def deciles(self) -> np.ndarray:
        """The tenth of the article in which each sentence stands."""
        return np.arange(len(self.truth)) * 10 // max(len(self.truth), 1)

    def audited(self, audits: Mapping[int, str]) -> "Measured":
        """The article with the sentences counted as key, too, whose position the audit calls correct."""
        truth = self.truth.copy()
        truth[[position for position, value in audits.items() if value == "correct"]] = 1
        return replace(self, truth=truth)


def measured(
    version: ModelVersion,
    ranking: Ranking,
    article_ids: Sequence[int],
    label_set: LabelSet,
    *,
    document_labels: bool = True,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> list[Measured]:
    """Ranks articles and adds their labels, with their document labels or as if they had none.

    `progress` gets the number of articles done, and of all, and may raise to stop; it may write.
    Sentences without label count as not key. Judged is a sentence of which somebody said something, if only that they
    are unsure, and each of an article that somebody read in full. Raises NotEmbedded.
    """
    found: list[Measured] = []
    for batch in article_batches(article_ids, BATCH_ARTICLES):
        progress(len(found), len(article_ids))
        with read() as session:
            judged, paths = judged_of(session, batch), db.articles.section_paths(session, batch)
            ranked = rank_articles(session, version, ranking, batch, document_labels=document_labels)
        for article_id, result in ranked.items():
            labels, in_full = label_set.labels.get(article_id, {}), article_id in judged.in_full
            judged_positions = judged.positions[article_id]
            positions = [sentence.position for sentence in result.sentences]
            truth = np.array([labels.get(position, 0) for position in positions])
            known = np.array([in_full or position in judged_positions for position in positions])
            decided = np.array(
                [position in labels or (in_full and position not in judged_positions) for position in positions]
            )
            parts = np.array([PARTS.index(part_of(*paths[sentence.section_id])) for sentence in result.sentences])
            found.append(Measured(article_id, truth, known, decided, result.scores, result.cosines, parts))
    return found


def score_articles(version: ModelVersion, ranking: Ranking, article_ids: Sequence[int], label_set: LabelSet) -> Scores:
    """The metrics of a version on these articles, each of which has a key sentence. Raises NotEmbedded."""
    with read() as session:  # first: what is judged meanwhile makes the figures out of date, never unnoticed
        labelled = sum(labels != Labels() for labels in labels_of(session, article_ids).values())
        judged, ranked = judged_of(session, article_ids), ranked_by(session, article_ids)
    articles = measured(version, ranking, article_ids, label_set)
    without = measured(version, ranking, article_ids, label_set, document_labels=False) if labelled else articles
    truths, cosines = [article.truth for article in articles], [article.cosines for article in articles]
    values = _values(articles)
    alike = values if without is articles else _values(without)
    rows = [
        {"article_id": article.article_id, "key_sentences": int(article.truth.sum()), "r_precision": value}
        for article, value in zip(articles, values["r_precision"], strict=True)
    ]
    metrics = _metrics(articles, values) | counts_of(truths)
    compared = values | {"arp": values["r_precision"], "arp_without": alike["r_precision"]}
    by_article: dict[str, list[Any]] = {"article_id": [article.article_id for article in articles]} | {
        name: [round(value, DIGITS) for value in compared[name]] for name in COMPARED
    }
    metrics |= {"document_labels": labelled > 0, "articles_with_document_labels": labelled}
    metrics["without_document_labels"] = _metrics(without, alike)
    metrics |= {"judged_sha256": judged.sha256, "ranked_by_sha256": ranked}
    metrics["until_verdict"] = label_set.until_verdict
    return Scores(metrics, rows, counts_by_cosine(np.concatenate(truths), np.concatenate(cosines)), by_article)


def _values(articles: Sequence[Measured]) -> dict[str, list[float]]:
    return values_of([article.truth for article in articles], [article.scores for article in articles])


def _metrics(articles: Sequence[Measured], values: Mapping[str, list[float]]) -> dict[str, Any]:
    means = metrics_of(values, [a.truth for a in articles], [a.cosines for a in articles])
    return means | _trust(articles, values["r_precision"])


def _trust(articles: Sequence[Measured], r_precisions: Sequence[float]) -> dict[str, Any]:
    """How far the numbers rest on judged sentences: `unjudged_share` of all sentences; `fair_articles`, the ids of the
    articles whose pool was judged; and over these `arp_fair`, the ARP, and `bpref`, None where there are none."""
    fair = [
        (article.article_id, value, bpref(article.truth, article.decided, article.scores) or 0.0)
        for article, value in zip(articles, r_precisions, strict=True)
        if is_fair(article.truth, article.judged, article.scores)
    ]
    return {
        "unjudged_share": float(1 - np.concatenate([article.judged for article in articles]).mean()),
        "fair_articles": [article_id for article_id, *_ in fair],
        "arp_fair": float(np.mean([value for _, value, _ in fair])) if fair else None,
        "bpref": float(np.mean([value for *_, value in fair])) if fair else None,
    }


def evaluate(
    version: ModelVersion, ranking: Ranking, split: str, label_set: LabelSet | None = None
) -> tuple[int, Scores]:
    """Scores and stores an evaluation; returns its id. Raises as `score` does, and NotAnswered for a language model."""
    with read() as session:
        label_set = label_set or current_label_set(session)
        article_ids = evaluated_articles(session, label_set, split)
    scores = score_articles(version, ranking, article_ids, label_set)
    if ranking is Ranking.LLM:
        scores.metrics[MEASURED] = _compared_with_usual(version, scores, label_set)
    with write(Right.SYSTEM) as session:
        evaluation_id = db.evaluation.insert_evaluation(
            session,
            scores.articles,
            version_id=version.id,
            ranking=str(ranking),
            split=split,
            label_set_sha256=label_set.split_sha256[split],
            metrics=scores.stored,
            histogram=scores.histogram,
        )
    return evaluation_id, scores


def _compared_with_usual(version: ModelVersion, scores: Scores, label_set: LabelSet) -> dict[str, Any]:
    """A language model compared with the ranking that the version proposes by without one, on the same articles.

    Holds whether it is better beyond chance, the mean difference in R-precision with its interval, and the
    configuration by which it was asked.
    """
    with read() as session:
        usual, config = default_ranking(session, version), config_now(session)
    articles = measured(version, usual, [row["article_id"] for row in scores.articles], label_set)
    difference = mean_difference([row["r_precision"] for row in scores.articles], _values(articles)["r_precision"])
    enough = len(articles) >= MIN_ARTICLES
    return {
        "config": config,
        "beside": str(usual),
        "difference": as_stored(difference),
        "better": enough and difference.low > 0,
    }
