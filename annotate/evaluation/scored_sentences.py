"""Every sentence of labelled articles with its label, score, cosine and place: the source of a report's counts."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

import numpy as np
from sqlalchemy.orm import Session

from annotate.embeddings.stored_vectors import embeddings_of
from annotate.evaluation.evaluate_version import BATCH_ARTICLES, Measured
from annotate.project.home import read
from annotate.proposing.propose import article_batches
from db.tables import ModelVersion
from model.evaluation.outcomes import MEASURES
from model.evaluation.summary import counts_of, fit_of, mean_interval, values_of


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
    """Means over articles with 95 % bootstrap intervals {mean, low, high}, MSE and PCC of the cosines, and counts."""
    truths = [article.truth for article in scored]
    return {
        **{name: asdict(mean_interval(given)) for name, given in values.items()},
        **fit_of(truths, [article.cosines for article in scored]),
        **counts_of(truths),
    }
