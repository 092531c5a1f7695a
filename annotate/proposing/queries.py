"""The queries of articles under a version, and their stored vectors; without torch."""

from collections.abc import Iterable, Sequence

import numpy as np
from sqlalchemy.orm import Session

import db.proposing
from annotate.articles.document_labels import Labels, terms_of
from annotate.proposing.prompts import query_key
from db.tables import ModelVersion
from model.proposing.query import labelled_query, queries_for, query_for
from model.proposing.rules import Rules


def queries_of(rules: Rules, version: ModelVersion, labels: Labels) -> tuple[str, ...]:
    """The queries that this version embeds for an article with these document labels, by the rules of a topic.

    A fine-tuned version learnt with all names in one query, and is asked so.
    """
    terms = terms_of(labels)
    if version.parent_id:
        return (query_for(rules, terms, own_query=version.query),)
    return queries_for(rules, terms, own_query=version.query)


def cosine_weight_of(rules: Rules, version: ModelVersion, labels: Labels | None = None) -> float:
    """How much the fixed hybrid makes of this version's cosines in an article with these labels, by default some."""
    if version.parent_id:
        return rules.cosine.fine_tuned
    named = labels is None or labelled_query(rules, terms_of(labels))
    return rules.cosine.named if named else rules.cosine.generic


def vectors_by_query(session: Session, version: ModelVersion, queries: Iterable[str]) -> dict[str, np.ndarray]:
    """The stored vectors, each of shape (dimension,), by query; the queries that wait to be embedded are left out."""
    keys = {query: query_key(version, query) for query in queries}
    stored = db.proposing.query_vectors(session, version.id, list(keys.values()))
    return {query: np.frombuffer(stored[key], dtype=np.float32) for query, key in keys.items() if key in stored}


def stacked(queries: Sequence[str], vectors: dict[str, np.ndarray]) -> np.ndarray | None:
    """The vectors of an article's queries, shape (queries, dimension); None where one waits to be embedded."""
    return np.stack([vectors[query] for query in queries]) if all(query in vectors for query in queries) else None


def as_text(queries: Iterable[str]) -> str:
    """The queries as a proposal set keeps them, one a line."""
    return "\n".join(queries)


def vectors_of_text(session: Session, version: ModelVersion, text: str) -> np.ndarray | None:
    """The vectors of the queries of a proposal set, as of `stacked`. A single query may have lines of its own."""
    lines = text.split("\n")
    vectors = vectors_by_query(session, version, {text, *lines})
    return stacked([text] if text in vectors else lines, vectors)
