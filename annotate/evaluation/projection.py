"""t-SNE of sentences: where a version puts key sentences, others and the query, before and after fine-tuning."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sqlalchemy.orm import Session

from annotate.articles.document_labels import labels_of
from annotate.embeddings.stored_vectors import embeddings_of
from annotate.jobs.monitor import Monitor
from annotate.project.home import read
from annotate.proposing.propose import article_batches
from annotate.proposing.queries import queries_of, vectors_by_query
from annotate.topics.project_topic import topic_now
from db.tables import ModelVersion

RANDOM_SENTENCES = 2_500  # as in the reference method
# The reference has 886 key sentences; more points than this are neither drawn nor told apart any more.
MOST_KEY = 5_000
MOST_QUERIES = 200
PERPLEXITY = 30
SEED = 0
LEAST_POINTS = 10
BATCH_ARTICLES = 50
ROUNDS = (250, 500)  # of early exaggeration, and after it
CALL_EVERY = 25


@dataclass(frozen=True, slots=True, eq=False)
class Sample:
    """The sentences to place: articles, positions and labels, shape (n,), by article; and all key sentences."""

    articles: np.ndarray
    positions: np.ndarray
    key: np.ndarray
    all_key: int


def sample(truths: Mapping[int, np.ndarray], generator: np.random.Generator) -> Sample:
    """RANDOM_SENTENCES that are not key, and every key sentence up to MOST_KEY; `truths` is {article id: labels}."""
    articles = np.concatenate([np.full(len(truth), article_id) for article_id, truth in truths.items()])
    positions = np.concatenate([np.arange(len(truth)) for truth in truths.values()])
    key = np.concatenate(list(truths.values())) > 0
    chosen = [
        generator.permutation(indices)[:most]
        for indices, most in ((np.flatnonzero(~key), RANDOM_SENTENCES), (np.flatnonzero(key), MOST_KEY))
    ]
    index = np.sort(np.concatenate(chosen))
    return Sample(articles[index], positions[index], key[index], int(key.sum()))


def vectors(session: Session, version: ModelVersion, chosen: Sample) -> np.ndarray:
    """Stored embeddings of the sample's sentences under a version, float32, shape (n, dimension)."""
    article_ids = list(dict.fromkeys(chosen.articles.tolist()))
    found = []
    for batch in article_batches(article_ids, BATCH_ARTICLES):
        stored = embeddings_of(session, version.id, batch)
        found += [stored[number][chosen.positions[chosen.articles == number]] for number in batch]
    return np.concatenate(found)


def queries(session: Session, version: ModelVersion, chosen: Sample, generator: np.random.Generator) -> np.ndarray:
    """Stored vectors of the queries of those articles, at most MOST_QUERIES of them, shape (queries, dimension)."""
    article_ids = list(dict.fromkeys(chosen.articles.tolist()))
    rules, labels = topic_now(session).rules, labels_of(session, article_ids)
    texts = sorted({query for own in labels.values() for query in queries_of(rules, version, own)})
    kept = generator.permutation(len(texts))[:MOST_QUERIES]
    stored = vectors_by_query(session, version, [texts[i] for i in sorted(kept)])
    return np.stack([stored[text] for text in sorted(stored)])


def place(points: np.ndarray, monitor: Monitor, stage: str) -> np.ndarray:
    """t-SNE coordinates of unit vectors, shape (n, 2), the same for the same input. Raises Cancelled.

    Perplexity 30, or a third of the points where they are few. Source: van der Maaten and Hinton 2008; openTSNE.
    """
    from openTSNE import TSNE  # noqa: PLC0415 (scikit-learn takes a second to import; for jobs alone)

    rounds = iter(range(CALL_EVERY, sum(ROUNDS) + 1, CALL_EVERY))

    def called(_iteration: int, _error: float, _embedding: np.ndarray) -> bool:
        monitor.report(stage, next(rounds, sum(ROUNDS)), sum(ROUNDS))
        return monitor.cancelled()

    placed = TSNE(
        perplexity=min(PERPLEXITY, (len(points) - 1) / 3),
        early_exaggeration_iter=ROUNDS[0],
        n_iter=ROUNDS[1],
        # Of unit vectors the Euclidean distance orders as the cosine does; exact neighbours need no random index.
        metric="euclidean",
        neighbors="exact",
        n_jobs=os.cpu_count() or 1,
        callbacks=called,
        callbacks_every_iters=CALL_EVERY,
        random_state=SEED,
    ).fit(points)
    monitor.stop_if_cancelled()
    return np.asarray(placed)


def project(
    versions: Sequence[ModelVersion], truths: Mapping[int, np.ndarray], monitor: Monitor
) -> dict[str, Any] | None:
    """One panel a version of the same sentences, JSON-able; None for too few sentences to place. Raises Cancelled."""
    generator = np.random.default_rng(SEED)
    chosen = sample(truths, generator)
    if len(chosen.key) < LEAST_POINTS:
        return None
    panels = []
    for version in versions:
        with read() as session:
            points = np.concatenate([vectors(session, version, chosen), queries(session, version, chosen, generator)])
        placed = place(points, monitor, f"placing sentences by {version.name}")
        xs, ys = (np.round(placed[:, axis], 2).tolist() for axis in (0, 1))
        cut = len(chosen.key)
        panels.append({"version": version.name, "x": xs[:cut], "y": ys[:cut], "query_x": xs[cut:], "query_y": ys[cut:]})
    return {
        "article": chosen.articles.tolist(),
        "position": chosen.positions.tolist(),
        "key": chosen.key.astype(int).tolist(),
        "all_key": chosen.all_key,
        "panels": panels,
    }
