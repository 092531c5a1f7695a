"""The roles shown in the reader, and the fine function of a sentence, such as "limitation of the work".

A list of phrases tells the function, where it is sure."""

from collections.abc import Collection, Sequence
from functools import lru_cache
from importlib.resources import files

import numpy as np
import yaml
from sqlalchemy.orm import Session

import db.roles
from annotate.project.rights import Right
from annotate.project.stored_settings import StoredSettings, settings_now
from model.checked_settings import checked
from model.review.phrases import Phrases
from model.sentence_roles import NAMES, ROLES, Role, role_number, roles_from

SURE = 0.5  # below, a sentence bears no role
# A phrase tells the function of a sentence where words and place give its role this probability at least.
ROLE_AGREES = 0.3


@checked
class FunctionSettings(StoredSettings):
    """`roles`: the role of every sentence is read after an import and shown in the reader."""

    NAME = "functions"
    RIGHT = Right.QUEUE

    roles: bool = True


@lru_cache(maxsize=1)
def phrases() -> tuple[Phrases, tuple[int, ...]]:
    """The shipped list, and for each of its functions the place of its role in ROLES."""
    shipped = yaml.safe_load((files("annotate.review") / "phrases.yaml").read_text(encoding="utf-8"))
    functions = shipped["functions"]
    roles = tuple(role_number(Role(one["role"])) for one in functions.values())
    return Phrases({name: one["phrases"] for name, one in functions.items()}, shipped["alternatives"]), roles


def functions_of(sentences: Sequence[str]) -> tuple[int, ...]:
    """The place of each sentence's function, -1 where the phrases tell none."""
    rule, _ = phrases()
    found = map(rule.function_of, sentences)
    return tuple(one[0] if one else -1 for one in found)


def function_of(text: str, roles: np.ndarray) -> str:
    """The name of a sentence's function; "" where no phrase tells one, or its role speaks against it; roles: (5,)."""
    rule, belongs_to = phrases()
    found = rule.function_of(text) if roles.any() else None
    return rule.functions[found[0]] if found and roles[belongs_to[found[0]]] >= ROLE_AGREES else ""


def role_of(roles: np.ndarray) -> str:
    """What the role of a sentence is called; "" where none is sure; roles: probabilities, shape (5,)."""
    return NAMES[ROLES[int(roles.argmax())]] if roles.max() >= SURE else ""


def roles_of_articles(session: Session, article_ids: Collection[int]) -> dict[int, np.ndarray]:
    """Probabilities of the roles by article, shape (n, 5), where they were read and the project shows them."""
    if not settings_now(session, FunctionSettings).roles:
        return {}
    stored = db.roles.roles_of_articles(session, article_ids)
    return {article_id: roles_from(sentences, roles) for article_id, _, sentences, roles in stored}
