"""What the reader shows: the role that each sentence most likely has, how sure that is, and its fine function."""

from typing import Any

import numpy as np
from sqlalchemy.orm import Session

import db.articles
import db.roles
from annotate.project.home import look_up
from annotate.review.sentence_roles import SURE, function_of, roles_of_articles
from annotate.roles.model_files import version_now
from model.sentence_roles import NAMES, ROLES, roles_from


def roles_view(session: Session, article_id: int) -> dict[str, Any]:
    """{"names": the roles, "of": place of each sentence's role in them or -1, "sure": percent, "functions": fine ones
    or ""}; {} where none is known.

    None is known before the job has read the article, and where the project has switched roles off.
    """
    found = roles_of_articles(session, [article_id]).get(article_id)
    if found is None:
        return {}
    best = found.argmax(axis=1)
    certainty = found.max(axis=1, initial=0)
    sentences = db.articles.sentences(session, [article_id])
    return {
        "names": [NAMES[role] for role in ROLES],
        "of": np.where(certainty >= SURE, best, -1).tolist(),
        "sure": np.round(100 * certainty).astype(int).tolist(),
        "functions": [function_of(one.text, roles) for one, roles in zip(sentences, found, strict=True)],
    }


def count_waiting() -> int:
    """How many articles the model in use has not read as they are now: all, where there is none yet."""
    return look_up(db.roles.unread(version_now()).count)


def stored_roles(session: Session, article_id: int) -> np.ndarray | None:
    """Probabilities of the roles by position, shape (n, 5), rows of zeros where none applies; None if not read."""
    stored = db.roles.roles(session, article_id)
    return roles_from(*stored) if stored else None


def role_name(probabilities: np.ndarray) -> str:
    """What the likeliest role of a sentence is called; probabilities: shape (5,)."""
    return NAMES[ROLES[int(probabilities.argmax())]]
