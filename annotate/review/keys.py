"""The keys of the pages on which sentences and articles are judged: the standard ones, and those that each person chose
instead."""

from collections.abc import Mapping
from dataclasses import dataclass
from string import ascii_lowercase

from sqlalchemy.orm import Session

from annotate.project.acting import own_name
from annotate.project.home import read, write
from annotate.project.rights import Right
from annotate.project.stored_settings import choose_for_oneself, own_choice


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
    "more": Action("show more proposals", "l"),
    "missed": Action("mark a missed key sentence", "m"),
    "comment": Action("comment on the sentence", "c"),
    "labels": Action("correct what a key sentence names", "e"),
    "read": Action("mark the article as read in full", "f"),
    "order": Action("change the order of the proposals", "o"),
    "cosine": Action("show the cosine and the query", "q"),
    "guideline": Action("show the guideline", "g"),
    "next_article": Action("go to the next article", "n"),
    "previous_article": Action("go to the previous article", "p"),
}


@dataclass(frozen=True, slots=True)
class Keyed:
    """Pages that share their keys: what they are called, what their keys do, and the keys that Streamlit has there."""

    title: str
    actions: Mapping[str, Action]
    taken: frozenset[str] = frozenset()


_STREAMLIT = frozenset("cr")  # keys of Streamlit itself: they clear its cache and run a page again
_STEPS = {"next": Action("go to the next one", "n"), "previous": Action("go to the previous one", "p")}
REVIEW, SENTENCES, FIND, ADJUDICATE, AUDIT = "review", "sentences", "find", "adjudicate", "audit"
# By the word under which a person's choice is kept: "review keys".
PAGES: dict[str, Keyed] = {
    REVIEW: Keyed("Review and practice round", ACTIONS),
    SENTENCES: Keyed(
        "Queue of sentences",
        {
            "accept": Action("accept the sentence", "a"),
            "reject": Action("reject it", "x"),
            "unsure": Action("mark it as unsure", "s"),
            "undo": Action("undo", "u"),
            "article": Action("open its article in Review", "o"),
        },
        _STREAMLIT,
    ),
    FIND: Keyed(
        "Find",
        {
            "relevant": Action("call the article relevant", "r"),
            "not": Action("call it not relevant", "x"),
            "unsure": Action("call it unsure", "s"),
            "queue": Action("put it into your queue", "q"),
            "undo": Action("undo", "u"),
            "next": Action("go to the next article", "j"),
            "previous": Action("go to the previous article", "k"),
        },
    ),
    ADJUDICATE: Keyed(
        "Adjudicate",
        {
            "accept": Action("decide that it is key", "a"),
            "reject": Action("decide that it is not key", "x"),
            "unsure": Action("leave it unsure", "s"),
            "undo": Action("undo", "u"),
            **_STEPS,
        },
        _STREAMLIT,
    ),
    AUDIT: Keyed(
        "Check",
        {
            "accept": Action("call it correct, or a key sentence", "a"),
            "reject": Action("call it wrong, or not key", "x"),
            "unsure": Action("say that you are unsure", "s"),
            "undo": Action("undo", "u"),
            **_STEPS,
        },
        _STREAMLIT,
    ),
}


class BadKeys(ValueError):
    """Keys that cannot be used; says which and why."""


def own_keys(session: Session, annotator: str, page: str = REVIEW) -> dict[str, str]:
    """The keys that a person chose instead of the standard ones, by action; of actions of another release none."""
    chosen = own_choice(session, annotator, _name(page)) or {}
    return {action: str(key) for action, key in chosen.items() if action in PAGES[page].actions}


def _name(page: str) -> str:
    return f"{page} keys"


def all_keys(session: Session, annotator: str, page: str = REVIEW) -> dict[str, str]:
    """The key of every action of a page as this person has it."""
    own = own_keys(session, annotator, page)
    free = iter(
        key for key in ascii_lowercase if key not in {*_standard(page).values(), *own.values(), *PAGES[page].taken}
    )
    # An action that a later release added gives way to the key that somebody had chosen before.
    return {
        action: own.get(action) or (next(free) if key in own.values() else key)
        for action, key in _standard(page).items()
    }


def _standard(page: str) -> dict[str, str]:
    return {action: each.key for action, each in PAGES[page].actions.items()}


def caps(session: Session, annotator: str, page: str = REVIEW) -> dict[str, str]:
    """The key of each action on a page, in capitals, as buttons show it."""
    return {action: key.upper() for action, key in all_keys(session, annotator, page).items()}


def caps_of(annotator: str, page: str) -> dict[str, str]:
    """The key of each action on a page, in capitals; opens a session of its own."""
    with read() as session:
        return caps(session, annotator, page)


def choose_keys(annotator: str, keys: Mapping[str, str], page: str = REVIEW) -> None:
    """Keeps which keys a person wants from now on; actions that are not named have the standard key. None: all have.

    Raises BadKeys for an unknown action, for what is no letter or digit or is taken, and where two actions would have
    one key.
    """
    actions = PAGES[page].actions
    wanted = _standard(page) | _checked(keys, PAGES[page])
    by_key: dict[str, str] = {}
    for action, key in wanted.items():
        if other := by_key.get(key):
            raise BadKeys(
                f"the key {key.upper()} cannot be both to {actions[other].words} and to {actions[action].words}"
            )
        by_key[key] = action
    own = {action: key for action, key in wanted.items() if key != actions[action].key}
    with write(Right.REVIEW) as session:
        choose_for_oneself(session, own_name(annotator), _name(page), own)


def _checked(keys: Mapping[str, str], page: Keyed) -> dict[str, str]:
    found = {}
    for action, typed in keys.items():
        if action not in page.actions:
            raise BadKeys(f"{action!r} is none of {', '.join(page.actions)}")
        key = typed.strip().lower()
        if len(key) != 1 or not key.isalnum() or len(key.upper()) != 1:
            words = page.actions[action].words
            raise BadKeys(f"the key to {words} must be one letter or digit, not {typed.strip()[:10]!r}")
        if key in page.taken:
            raise BadKeys(f"the key {key.upper()} does something else on this page; choose another one")
        found[action] = key
    return found
