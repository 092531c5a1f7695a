"""Abstracts that are learnt from: with roles, with functions by the phrases, and those held aside to choose by."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from annotate.review.sentence_roles import functions_of, phrases
from annotate.roles.labelled import unlabelled_abstracts
from model.roles import choosing
from model.roles.role_model import RoleModel
from model.roles.shares import Shares

# One of ASIDE abstracts is not learnt from, at most MOST_ASIDE: by these the weights of the parts are chosen.
ASIDE, MOST_ASIDE = 10, 300


class Lesson(NamedTuple):
    """An abstract: its sentences, and places of their roles and functions, negative where unknown."""

    sentences: Sequence[str]
    roles: np.ndarray
    functions: Sequence[int]


def distant_labels() -> list[tuple[tuple[str, ...], tuple[int, ...]]]:
    """The unlabelled abstracts of the package that comes along, each sentence with its function's place, or -1.

    Abstracts in which no sentence has one are left out.
    """
    found = ((abstract, functions_of(abstract)) for abstract in unlabelled_abstracts())
    return [(abstract, functions) for abstract, functions in found if max(functions, default=-1) >= 0]


def distant_lessons() -> list[Lesson]:
    """The lessons from the list of phrases, with the role of each function."""
    _, belongs_to = phrases()
    return [
        Lesson(own, np.array([belongs_to[one] if one >= 0 else -1 for one in functions], dtype=np.int64), functions)
        for own, functions in distant_labels()
    ]


def held_aside(lessons: Sequence[Lesson], seed: int) -> tuple[list[Lesson], list[Lesson]]:
    """(lessons to learn from, lessons to choose by), parted by lot."""
    count = min(MOST_ASIDE, max(1, len(lessons) // ASIDE))
    drawn = set(np.random.default_rng(seed).permutation(len(lessons))[:count].tolist())
    taught = [lesson for number, lesson in enumerate(lessons) if number not in drawn]
    return taught, [lessons[number] for number in sorted(drawn)]


def choose_shares(model: RoleModel, aside: Sequence[Lesson], seed: int) -> Shares:
    """How much each reader counts, by abstracts that the model was not taught, without the phrases in them."""
    rule, _ = phrases()
    bare = [[rule.without_phrase(sentence) for sentence in lesson.sentences] for lesson in aside]
    return choosing.choose_shares(model, aside, bare, seed)


def classes_of(lessons: Sequence[Lesson]) -> tuple[list[str], np.ndarray]:
    """The sentences with a class, and its number from 0, shape (n,): a function by the phrases, else the role."""
    names, _ = phrases()
    functions = np.array([one for lesson in lessons for one in lesson.functions])
    roles = np.concatenate([lesson.roles for lesson in lessons])
    classes = np.where(functions >= 0, functions, np.where(roles >= 0, len(names.functions) + roles, -1))
    sentences = [sentence for lesson in lessons for sentence in lesson.sentences]
    chosen = np.flatnonzero(classes >= 0)
    return [sentences[at] for at in chosen], np.unique(classes[chosen], return_inverse=True)[1]
