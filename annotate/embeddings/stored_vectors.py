"""Stored embeddings, for code that ranks by them."""

from collections.abc import Sequence

import numpy as np
from sqlalchemy.orm import Session

import db.proposing
from annotate.embeddings.embedding_files import read_file


def embeddings_of(session: Session, version_id: int, article_ids: Sequence[int]) -> dict[int, np.ndarray]:
    """The embeddings of some articles under a version, by article: float32, shape (sentences, dimension), unit length.

    Articles whose embeddings are missing, outdated or damaged are left out; the next propose job makes these.
    """
    found = {}
    for article_id, row in db.proposing.embeddings(session, version_id, article_ids).items():
        if row.file is None or row.sha256 is None:
            vectors: np.ndarray | None = np.frombuffer(row.vectors, dtype=np.float16)
        else:
            vectors = read_file(version_id, row.file, article_id, row.sha256)
        if vectors is not None:
            found[article_id] = vectors.reshape(row.sentence_count, -1).astype(np.float32)
    return found
