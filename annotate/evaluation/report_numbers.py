"""All of a report that is counted from labels, scores and cosines."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from sqlalchemy.orm import Session

from annotate.articles.document import PARTS
from annotate.embeddings.stored_vectors import embeddings_of
from annotate.evaluation.evaluate_version import BATCH_ARTICLES, Measured
from annotate.project.home import read
from annotate.proposing.propose import article_batches
from db.tables import ModelVersion
from model.evaluation.metrics import counts_by_cosine
from model.evaluation.outcomes import MEASURES, PredictionOutcome, by_place, confidence, outcomes, top_r
from model.evaluation.summary import as_stored, counts_of, fit_of, mean_difference, mean_interval, values_of

DECILES = tuple(f"{10 * i}–{10 * i + 10}" for i in range(10))  # percent of the sentences of an article
Audit = Mapping[int, Mapping[int, str]]


def numbers_of(scored: Sequence[Measured], before: Sequence[Measured] | None, audit: Audit) -> dict[str, Any]:
    """Metrics, articles, predictions, confidence, histogram and places, JSON-able; `before` are the parent's scores."""
    values = measures(scored)
    old = None if before is None else measures(before)
    audited = [value for article in scored for value in audit.get(article.article_id, {}).values()]
    again = [article.audited(audit.get(article.article_id, {})) for article in scored]
    after_audit = measures(again)
    truth, cosines = (np.concatenate([getattr(one, name) for one in scored]) for name in ("truth", "cosines"))
    return {
        "metrics": summary(scored, values),
        "parent_metrics": before and old and summary(before, old),
        "difference": old and {name: as_stored(mean_difference(given, old[name])) for name, given in values.items()},
        "audit_metrics": summary(again, after_audit),
        "audited": {name: audited.count(name) for name in ("correct", "inconclusive", "wrong")},
        "articles": {
            "id": [article.article_id for article in scored],
            "sentences": [len(article.truth) for article in scored],
            "key": [int(article.truth.sum()) for article in scored],
            "r_precision": values["r_precision"],
            "parent": old and old["r_precision"],
            "audit": after_audit["r_precision"],
        },
        **_sentences(scored, audit),
        "histogram": counts_by_cosine(truth, cosines),
        "places": _places(scored),
    }


def _sentences(scored: Sequence[Measured], audit: Audit) -> dict[str, Any]:
    """Every prediction and missed key sentence, as columns, and the cosines by outcome."""
    rows = [
        (article.article_id, position, rank, outcome, article.cosines[position], article.parts[position], decile)
        for article in scored
        for position, rank, outcome in outcomes(article.truth, article.scores, audit.get(article.article_id, {}))
        for decile in (article.deciles[position],)
    ]
    spreads = confidence(((row[3], row[4]) for row in rows), PredictionOutcome)
    columns: Sequence[Sequence[Any]] = list(zip(*rows, strict=True))
    names = ("article", "position", "rank", "outcome", "cosine", "part", "decile")
    table = {name: list(column) for name, column in zip(names, columns, strict=True)}
    table["cosine"] = [round(float(cosine), 4) for cosine in table["cosine"]]
    for name in ("part", "decile"):
        table[name] = [int(value) for value in table[name]]
    by_outcome = [{"outcome": outcome, **found} for outcome, found in spreads.items()]
    return {"predictions": table, "confidence": by_outcome}


def _places(scored: Sequence[Measured]) -> dict[str, list[dict[str, Any]]]:
    predicted = []
    for article in scored:
        chosen = np.zeros(len(article.truth), dtype=bool)
        chosen[top_r(article.truth, article.scores)] = True
        predicted.append(chosen)
    truth, top = np.concatenate([article.truth for article in scored]), np.concatenate(predicted)
    places = {
        "part": (PARTS, np.concatenate([article.parts for article in scored])),
        "decile": (DECILES, np.concatenate([article.deciles for article in scored])),
    }
    return {kind: by_place(names, where, truth, top) for kind, (names, where) in places.items()}


def mean_key_vector(
    session: Session, version: ModelVersion, labels: Mapping[int, Mapping[int, int]]
) -> np.ndarray | None:
    """The mean of the stored embeddings of these articles' key sentences, unit length; None where there are none."""
    total, count = np.zeros(version.dimension), 0
    for batch in article_batches(sorted(labels), BATCH_ARTICLES):
        for article_id, embedding in embeddings_of(session, version.id, batch).items():
            key = [position for position, label in labels[article_id].items() if label == 1]
            total += embedding[key].sum(axis=0)
            count += len(key)
    length = np.linalg.norm(total)
    return (total / length).astype(np.float32) if count and length else None


def against(version: ModelVersion, vector: np.ndarray, scored: Sequence[Measured]) -> list[Measured]:
    """The articles, ranked by the cosine to this vector."""
    by_id = {article.article_id: article for article in scored}
    found = []
    for batch in article_batches(list(by_id), BATCH_ARTICLES):
        with read() as session:
            stored = embeddings_of(session, version.id, batch)
        for article_id in batch:
            cosines = stored[article_id] @ vector
            found.append(replace(by_id[article_id], scores=cosines.astype(np.float64), cosines=cosines))
    return found


def measures(scored: Sequence[Measured]) -> dict[str, list[float]]:
    """The measures of each article, in step with the articles, which all have key sentences."""
    return values_of([article.truth for article in scored], [article.scores for article in scored], MEASURES)


def summary(scored: Sequence[Measured], values: Mapping[str, Sequence[float]]) -> dict[str, Any]:
    """Means over articles with 95% bootstrap intervals {mean, low, high}, MSE and PCC of the cosines, and counts."""
    truths = [article.truth for article in scored]
    return {
        **{name: as_stored(mean_interval(given)) for name, given in values.items()},
        **fit_of(truths, [article.cosines for article in scored]),
        **counts_of(truths),
    }
