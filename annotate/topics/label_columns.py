"""The columns of files in which the labels of a topic's kinds stand, and by which other names they are read."""

import re
from collections.abc import Mapping
from itertools import count

from annotate.topics.file import Topic
from annotate.topics.schema import Slot

# The other columns of files of gold, in their order: no kind's column is called so.
FIXED = tuple(
    "pmid pmcid doi title section sentence_index paragraph_start paragraph_end sentence label origin rank cosine "
    "ranking model_version annotators verdicts read_in_full_by time comment decided_by role function article journal "
    "year licence tags".split()
)
IDENTIFIERS = "_identifiers"


def label_columns(topic: Topic) -> dict[str, str]:
    """By the key of each kind its column: what its names are called, such as `genes`; its key where that is taken."""
    found: dict[str, str] = {}
    for kind in topic.file.kinds:
        title = re.sub(r"\W+", "_", kind.title.casefold()).strip("_")
        other = (f"{kind.key}_labels{'_' * more}" for more in count())
        free = (name for names in ((title, kind.key), other) for name in names if name and name not in FIXED)
        found[kind.key] = next(n for n in free if n not in found.values() and not n.endswith(IDENTIFIERS))
    return found


def identifier_columns(topic: Topic) -> dict[str, str]:
    """By the key of each kind that has a vocabulary, the column of its names' confirmed identifiers."""
    named = (kind.key for kind in topic.file.kinds if kind.vocabularies and not kind.choices)
    return {key: f"{key}{IDENTIFIERS}" for key in named}


def kinds_of_columns(topic: Topic, header: Mapping[str, object]) -> dict[str, str]:
    """The key of a kind by every name that its labels are read by in a table with this header.

    Its column and its key, and the one of earlier releases, which called three columns genes, cells and edit for all
    kinds: that first where all three are there and the topic's own are not.
    """
    columns = label_columns(topic)
    own = {key: key for key in columns} | {column: key for key, column in columns.items()}
    kinds = sorted(topic.file.kinds, key=lambda kind: kind.stands_in is not None)
    old = {str(kind.stood_in): kind.key for kind in kinds if kind.stood_in}
    is_old = header.keys() >= set(Slot) and not header.keys() >= set(columns.values())
    return own | old if is_old else old | own


def labels_by_kind(topic: Topic, given: Mapping[str, str]) -> dict[str, str]:
    """The text given for each kind of the topic, by its key, in the topic's order."""
    found: dict[str, str] = {}
    for column, key in kinds_of_columns(topic, given).items():
        if given.get(column, "").strip() or (column in given and key not in found):
            found[key] = given[column]
    return {key: found[key] for key in topic.keys if key in found}
