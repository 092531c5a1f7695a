"""Who may do what: the one table of roles and rights. Pages, services and routes ask it, nothing else decides.

The right to open a page stands in the page's line (pages/parts/frame/entries.py). The right to start a job stands in
its line of KINDS (annotate/jobs/kinds.py). A function that writes names its right itself.
"""

from enum import StrEnum


class Role(StrEnum):
    """The role of a person in the project."""

    ANNOTATOR = "annotator"
    CURATOR = "curator"
    MAINTAINER = "maintainer"
    ADMIN = "admin"


class Right(StrEnum):
    """What somebody may be allowed to do; the values complete the sentence "may …"."""

    REVIEW = "review articles, and undo their own verdicts"
    LABEL = "name what an article is about, and propose again"
    IMPORT = "import articles, labels and gold"
    REMOVE = "remove and restore articles"
    GOLD = "see all labels, export and freeze gold"
    AGREEMENT = "see who agrees with whom"
    ADJUDICATE = "decide disputed sentences"
    AUDIT = "audit what the evaluation calls wrong"
    QUEUE = "set the queue"
    HISTORY = "see what everybody did"
    EVALUATE = "evaluate and make reports"
    TRAIN = "retrain, and set when training begins automatically"
    PROMOTE = "promote a version and roll back"
    TOPIC = "choose and change the topic"
    STUDY = "run experiments and simulations"
    CANCEL = "cancel the jobs of others"
    PEOPLE = "manage people and their roles"
    OPERATE = "see the state of the server, and back up"
    # Rankings, features and such: computed from stored rows, for any person whose click needs them.
    SYSTEM = "have derived data stored"


_ANNOTATOR = frozenset({Right.REVIEW, Right.LABEL, Right.SYSTEM})
_CURATOR = _ANNOTATOR | {
    Right.IMPORT,
    Right.REMOVE,
    Right.GOLD,
    Right.AGREEMENT,
    Right.ADJUDICATE,
    Right.AUDIT,
    Right.QUEUE,
    Right.HISTORY,
}
# A person who is measured by the numbers does not decide the truth: maintainers do not adjudicate.
_MAINTAINER = (_CURATOR - {Right.ADJUDICATE}) | {
    Right.EVALUATE,
    Right.TRAIN,
    Right.PROMOTE,
    Right.TOPIC,
    Right.STUDY,
    Right.CANCEL,
}

RIGHTS: dict[Role, frozenset[Right]] = {
    Role.ANNOTATOR: _ANNOTATOR,
    Role.CURATOR: _CURATOR,
    Role.MAINTAINER: _MAINTAINER,
    Role.ADMIN: frozenset(Right),
}


def may(role: str | None, right: Right) -> bool:
    """Whether a role includes a right; no role (None), and a role that this release does not know, include none."""
    return role in set(Role) and right in RIGHTS[Role(role)]
