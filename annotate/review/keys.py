"""The keys of the review: the standard ones, and those that each person chose instead."""

from collections.abc import Mapping
from dataclasses import dataclass

from sqlalchemy.orm import Session

import db.curation.preferences
import db.review.verdicts
from annotate.project.acting import own_name
from annotate.project.home import write
from annotate.project.rights import Right

NAME = "review keys"


@dataclass(frozen=True, slots=True)
class Action:
    """What a key does, in words that complete "the key A is to ...", and its standard key."""

    words: str
    key: str


# As the reader calls them (pages/parts/review/keys.js), in the order in which people read them.
ACTIONS: dict[str, Action] = {
    "accept": Action("accept the proposal", "a"),
    "reject": Action("reject it", "x"),
    "unsure": Action("mark it as unsure", "s"),
    "undo": Action("undo", "u"),
    "next_proposal": Action("go to the next proposal", "j"),
    "previous_proposal": Action("go to the previous proposal", "k"),
    "missed": Action("mark a missed key sentence", "m"),
    "comment": Action("comment on the sentence", "c"),
    "labels": Action("correct what a key sentence names", "e"),
    "read": Action("mark the article as read in full", "f"),
    "order": Action("change the order of the proposals", "o"),
    "guideline": Action("show the guideline", "g"),
    "next_article": Action("go to the next article", "n"),
    "previous_article": Action("go to the previous article", "p"),
}


class BadKeys(ValueError):
    """Keys that cannot be used; says which and why."""


def own_keys(session: Session, annotator: str) -> dict[str, str]:
    """The keys that a person chose instead of the standard ones, by action; of actions of another release none."""
    chosen = db.curation.preferences.preference(session, annotator, NAME) or {}
    return {action: str(key) for action, key in chosen.items() if action in ACTIONS}


def all_keys(session: Session, annotator: str) -> dict[str, str]:
    """The key of every action as this person has it."""
    return {action: each.key for action, each in ACTIONS.items()} | own_keys(session, annotator)


def caps(session: Session, annotator: str) -> dict[str, str]:
    """The same as they stand on buttons."""
    return {action: key.upper() for action, key in all_keys(session, annotator).items()}


def choose_keys(annotator: str, keys: Mapping[str, str]) -> None:
    """Keeps which keys a person wants from now on; actions that are not named have the standard key. None: all have.

    Raises BadKeys for an unknown action, for what is no letter or digit, and where two actions would have one key.
    """
    wanted = {action: each.key for action, each in ACTIONS.items()} | _checked(keys)
    by_key: dict[str, str] = {}
    for action, key in wanted.items():
        if other := by_key.get(key):
            raise BadKeys(
                f"the key {key.upper()} cannot be both to {ACTIONS[other].words} and to {ACTIONS[action].words}"
            )
        by_key[key] = action
    own = {action: key for action, key in wanted.items() if key != ACTIONS[action].key}
    with write(Right.REVIEW) as session:
        annotator_id = db.review.verdicts.annotator_id(session, own_name(annotator))
        db.curation.preferences.add_preference(session, annotator_id, NAME, own)


def _checked(keys: Mapping[str, str]) -> dict[str, str]:
    found = {}
    for action, typed in keys.items():
        if action not in ACTIONS:
            raise BadKeys(f"{action!r} is none of {', '.join(ACTIONS)}")
        key = typed.strip().lower()
        if len(key) != 1 or not key.isalnum() or len(key.upper()) != 1:
            raise BadKeys(f"the key to {ACTIONS[action].words} must be one letter or digit, not {typed.strip()[:10]!r}")
        found[action] = key
    return found
