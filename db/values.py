"""The words that rows hold where only some are allowed. They are stored, so none may ever change."""

from enum import StrEnum

# The kind of the section that holds an article's MeSH terms, and no text.
MESH_SECTION = "mesh"


class Value(StrEnum):
    """A verdict on a sentence; `withdrawn` takes the annotator's earlier one back."""

    ACCEPT = "accept"
    REJECT = "reject"
    UNSURE = "unsure"
    WITHDRAWN = "withdrawn"


class Origin(StrEnum):
    """How a sentence came to be judged."""

    PROPOSED = "proposed"
    ADDED = "added"
    IMPORTED = "imported"


class VerdictRole(StrEnum):
    """In which role a verdict was given. A person's role in the project is another thing: the role of their account."""

    ANNOTATOR = "annotator"
    ADJUDICATOR = "adjudicator"


class Split(StrEnum):
    """To which part of the data an article belongs."""

    TRAIN = "train"
    VALIDATION = "validation"
    TEST = "test"


class JobState(StrEnum):
    """How far a job is. The first two are active: of each kind of job at most one is."""

    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"


class Kind(StrEnum):
    """What a trained version is a version of; annotate/registry/kinds.py says the rest."""

    ENCODER = "encoder"
    REL = "rel"
    EXT = "ext"
    ABS = "abs"
    FUSION = "fusion"
    RELATED = "related"
    ROLES = "roles"
    TAGGERS = "taggers"


# Settings that Keyline keeps for itself; no person chose them, so the history leaves them out.
TAUGHT = "taught examples"  # the verdicts that teach now
SAMPLE = "unlabelled sample"
SLOW = "slow patterns"  # the patterns of the topic that are left out
BOOKKEEPING = (TAUGHT, SAMPLE, SLOW)
# The strategy of an assignment that no strategy chose: the expert opened the article by its address.
BY_HAND = "by hand"
# The ranking of a proposal set that was made while an expert was reviewing the article, after one of their verdicts.
LIVE_RANKING = "live"
# The ranking of a verdict on a sentence that was picked from all articles by its probability: its article was not read.
# Its rank is the one in its article where its article's proposals show it, too, else none.
PICKED = "picked"
