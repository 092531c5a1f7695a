"""The five roles, and what the part of an article that a sentence stands in says of its role."""

from collections.abc import Sequence
from enum import StrEnum

import numpy as np


class Role(StrEnum):
    """What a sentence does, by the names that MEDLINE gives the sections of structured abstracts."""

    BACKGROUND = "BACKGROUND"
    OBJECTIVE = "OBJECTIVE"
    METHODS = "METHODS"
    RESULTS = "RESULTS"
    CONCLUSIONS = "CONCLUSIONS"


ROLES = tuple(Role)
# How people call them on the screen.
NAMES = dict(zip(ROLES, ("background", "objective", "methods", "results", "conclusion"), strict=True))
UNLABELLED = -1
# The names of other collections for the same five.
_OTHER_NAMES = {"METHOD": Role.METHODS, "RESULT": Role.RESULTS, "CONCLUSION": Role.CONCLUSIONS}

# Of the five roles, in their order: how often 6,028 structured abstracts have them (shared training parts). For the
# parts of a full text there are no labels: how often we expect them there.
IN_ABSTRACTS = np.array([0.12, 0.08, 0.28, 0.35, 0.17])
EXPECTED = {
    "introduction": np.array([0.56, 0.26, 0.06, 0.06, 0.06]),
    "objective": np.array([0.06, 0.88, 0.03, 0.01, 0.02]),
    "methods": np.array([0.03, 0.02, 0.91, 0.03, 0.01]),
    "results": np.array([0.06, 0.05, 0.20, 0.62, 0.07]),
    "discussion": np.array([0.33, 0.02, 0.05, 0.30, 0.30]),
    "conclusions": np.array([0.05, 0.01, 0.01, 0.08, 0.85]),
    "other": IN_ABSTRACTS,
}
# A sentence that cites others speaks of earlier work three times as often as its words say.
CITING = np.array([3.0, 1.0, 1.0, 1.0, 1.0])


def role_number(name: str) -> int:
    """The place of a label in ROLES; UNLABELLED for one that is none of the five."""
    upper = name.upper()
    role = _OTHER_NAMES.get(upper, upper)
    return ROLES.index(Role(role)) if role in set(Role) else UNLABELLED


def roles_from(sentences: int, stored: bytes) -> np.ndarray:
    """Probabilities as they are stored, 255ths in rows by sentence: float32, shape (sentences, 5)."""
    return np.frombuffer(stored, dtype=np.uint8).reshape(sentences, len(ROLES)).astype(np.float32) / 255


def in_parts(probabilities: np.ndarray, parts: Sequence[str], citing: np.ndarray) -> np.ndarray:
    """Roles by the words, shape (n, 5), changed by where each sentence stands and whether it cites.

    parts: n keys of EXPECTED. citing: n truth values; they count outside of methods. Rows sum to 1.
    """
    if not len(probabilities):
        return probabilities
    prior = np.array([EXPECTED[part] for part in parts]) / IN_ABSTRACTS
    cites = citing & np.array([part != "methods" for part in parts])
    found = probabilities * prior * np.where(cites[:, None], CITING, 1.0)
    return np.asarray(found / found.sum(axis=1, keepdims=True))
