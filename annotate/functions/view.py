"""What the reader shows of roles: which one each sentence most likely has, and how sure that is."""

from typing import Any

import numpy as np
from sqlalchemy.orm import Session

import db.functions
from annotate.functions.settings import FunctionSettings
from annotate.project.stored_settings import settings_now
from model.functions.roles import NAMES, ROLES

SURE = 0.5  # below, a sentence bears no mark


def roles_view(session: Session, article_id: int) -> dict[str, Any]:
    """{"names": the roles, "of": place of each sentence's role in them or -1, "sure": percent}; {} where none is known.

    None is known before the job has read the article, and where the project has switched roles off.
    """
    found = stored_roles(session, article_id)
    if found is None or not settings_now(session, FunctionSettings).roles:
        return {}
    best = found.argmax(axis=1)
    certainty = found.max(axis=1, initial=0)
    return {
        "names": [NAMES[role] for role in ROLES],
        "of": np.where(certainty >= SURE, best, -1).tolist(),
        "sure": np.round(100 * certainty).astype(int).tolist(),
    }


def stored_roles(session: Session, article_id: int) -> np.ndarray | None:
    """Probabilities of the roles by position, shape (n, 5), rows of zeros where none applies; None if not read."""
    stored = db.functions.roles(session, article_id)
    return roles_from(*stored) if stored else None


def roles_from(sentences: int, stored: bytes) -> np.ndarray:
    """The numbers of the stored column, float32, shape (sentences, 5)."""
    return np.frombuffer(stored, dtype=np.uint8).reshape(sentences, len(ROLES)).astype(np.float32) / 255
