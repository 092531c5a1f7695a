"""What the head sees of every article's sentences: computed once where the embeddings are made, read by the app."""

import hashlib
import json
from collections.abc import Callable, Collection, Sequence
from typing import Any

import numpy as np
from sqlalchemy.orm import Session

import db.active_learning.heads
import db.articles
import db.rows
from annotate.articles.document_labels import labels_of, terms_of
from annotate.project.home import read, write
from annotate.project.rights import Right
from annotate.proposing.examples import taught_mark
from annotate.proposing.prompts import query_key
from annotate.proposing.propose import article_batches, pools_of
from annotate.proposing.queries import as_text, cosine_weight_of, queries_of
from annotate.proposing.roles import role_marks
from annotate.proposing.scoring import Candidates
from annotate.topics.project_topic import topic_now
from db.tables import ArticleFeatures, ModelVersion
from model.active_learning.features import FEATURES, features_of, hybrid_of
from model.active_learning.head import COLUMNS, Head, rows_of
from model.proposing.ranking import top_k

# The number of sentences that stand for an article in the queue: 10,000 articles are 36 MB of numbers in the app.
TOP = 10
# To be raised where the same columns come to mean something else: all rows are then computed again.
FORM = 1
BATCH_ARTICLES = 50
ROW_BYTES = np.dtype(np.float16).itemsize * len(COLUMNS)


def store_features(
    version: ModelVersion,
    *,
    article_ids: Sequence[int] | None = None,
    progress: Callable[[int], None] = lambda done: None,
    cancelled: Callable[[], bool] = lambda: False,
) -> list[int]:
    """Computes the rows of these articles, or all, where they are missing or outdated; returns the articles' ids.

    Articles not embedded under this version with their present queries are left for the next pass, and articles without
    sentences have none.
    """
    changed: list[int] = []
    for batch in article_batches(article_ids, BATCH_ARTICLES, progress, cancelled):
        with read() as session:
            wanted = _inputs(session, version, batch)
            stored = db.active_learning.heads.inputs(session, version.id, batch)
            outdated = [article_id for article_id, inputs in wanted.items() if inputs != stored.get(article_id)]
            pools = pools_of(session, version, outdated, skip=True) if outdated else {}
        rows = [
            {"version_id": version.id, "article_id": article_id, "inputs_sha256": wanted[article_id], **_columns(found)}
            for article_id, found in pools.items()
        ]
        if rows:
            with write(Right.SYSTEM) as session:
                db.rows.put(session, ArticleFeatures, rows)
        changed += pools
    return changed


def _inputs(session: Session, version: ModelVersion, article_ids: Sequence[int]) -> dict[int, str]:
    """By article with sentences, a hash of all that its rows depend on. Text is only ever added: its length stands for
    it."""
    labels = labels_of(session, article_ids)
    roles = role_marks(session, article_ids)
    lengths = db.articles.sentence_counts(session, article_ids)
    rules = topic_now(session).rules
    encoder = [version.id, version.manifest, cosine_weight_of(rules, version), rules.name]
    if rules.examples.weight:
        # Under a fine-tuned version the examples and verdicts teach words alone; no example teaches its own article.
        encoder.append([*taught_mark(session), *(["words"] if version.parent_id else []), "no own examples"])
    found = {}
    for article_id in (each for each in article_ids if lengths.get(each)):
        terms = terms_of(labels[article_id])
        asked = as_text(query_key(version, query) for query in queries_of(rules, version, labels[article_id]))
        names = [[kind.key, terms.names(kind.key)[: 1 if kind.choices else None]] for kind in rules.kinds]
        own = [names, asked, lengths[article_id], roles.get(article_id)]
        described = json.dumps([FORM, TOP, COLUMNS, encoder, *own])
        found[article_id] = hashlib.sha256(described.encode()).hexdigest()
    return found


def _columns(found: Candidates) -> dict[str, Any]:
    """The stored columns of an article; until a head has learnt, the fixed hybrid says which sentences are the best."""
    rows = rows_of(features_of(found.pool), found.vectors)
    best = top_k(rows[:, : len(FEATURES)] @ hybrid_of(found.pool.rules, found.pool.cosine_weight), TOP)
    return {"sentence_count": len(rows), "rows": rows.astype(np.float16).tobytes(), **_top(rows, best)}


def _top(rows: np.ndarray, best: Sequence[int]) -> dict[str, bytes]:
    return {"top": np.array(best, dtype=np.int32).tobytes(), "top_rows": rows[best].astype(np.float16).tobytes()}


def store_tops(
    version: ModelVersion,
    head: Head,
    *,
    article_ids: Sequence[int] | None = None,
    progress: Callable[[int], None] = lambda done: None,
    cancelled: Callable[[], bool] = lambda: False,
) -> int:
    """Lets a head choose the TOP sentences that stand for each of these articles, or all; returns how many changed."""
    if article_ids is None:
        with read() as session:
            article_ids = db.active_learning.heads.article_ids(session, version.id)
    changed = 0
    for batch in article_batches(article_ids, BATCH_ARTICLES, progress, cancelled):
        with read() as session:
            before = {
                number: np.frombuffer(top, np.int32)
                for number, top, _ in db.active_learning.heads.tops(session, version.id, batch)
            }
            rows = rows_for(session, version.id, batch)
        better = []
        for article_id, own in rows.items():
            best = top_k(head.log_odds(own), TOP)
            # Their order is the head's of the moment; rows are rewritten whole, so only another choice is stored.
            if set(best) != set(before[article_id].tolist()):
                better.append({"of": article_id, **_top(own, best)})
        if better:
            with write(Right.SYSTEM) as session:
                db.active_learning.heads.change_tops(session, version.id, better)
        changed += len(better)
    return changed


def rows_for(session: Session, version_id: int, article_ids: Collection[int]) -> dict[int, np.ndarray]:
    """The rows of some articles, float32, shape (sentences, len(COLUMNS)); articles without fitting ones, or
    with an earlier release's columns, left out."""
    stored = db.active_learning.heads.rows(session, version_id, article_ids)
    return {
        article_id: np.frombuffer(rows, np.float16).reshape(sentences, len(COLUMNS)).astype(np.float32)
        for article_id, (sentences, rows) in stored.items()
        if len(rows) == sentences * ROW_BYTES
    }


def candidates(
    session: Session, version_id: int, article_ids: Collection[int] | None = None
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """What stands for these articles, or all, in the queue, by id.

    (article ids (a,), positions of their best sentences (a, TOP), -1 where there are fewer, rows of those
    (a, TOP, len(COLUMNS)) float32, mask (a, TOP)). 10,000 articles: 40 MB.
    """
    found = db.active_learning.heads.tops(session, version_id, article_ids)
    stored = [row for row in found if len(row[2]) == len(np.frombuffer(row[1], np.int32)) * ROW_BYTES]
    tops = np.full((len(stored), TOP), -1, dtype=np.int32)
    rows = np.zeros((len(stored), TOP, len(COLUMNS)), dtype=np.float32)
    for place, (_, top, top_rows) in enumerate(stored):
        best = np.frombuffer(top, np.int32)
        tops[place, : len(best)] = best
        rows[place, : len(best)] = np.frombuffer(top_rows, np.float16).reshape(len(best), len(COLUMNS))
    return np.array([row[0] for row in stored], dtype=np.int64), tops, rows, tops >= 0
