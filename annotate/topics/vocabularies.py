"""The vocabularies by the names that people, files and topics use for them."""

from enum import StrEnum

from annotate.topics.file import Topic
from annotate.topics.schema import KindEntry
from model.entity_types import EntityType


class Vocabulary(StrEnum):
    """A vocabulary of names."""

    GENES = "genes"
    CELL_LINES = "cell_lines"
    CELL_TYPES = "cell_types"
    ORGANISMS = "organisms"


TYPES: dict[Vocabulary, EntityType] = {
    Vocabulary.GENES: EntityType.GENE,
    Vocabulary.CELL_LINES: EntityType.CELL_LINE,
    Vocabulary.CELL_TYPES: EntityType.CELL_TYPE,
    Vocabulary.ORGANISMS: EntityType.ORGANISM,
}


def vocabularies_of(topic: Topic) -> tuple[Vocabulary, ...]:
    """The vocabularies that the kinds of a topic name; none where it wants no entities."""
    wanted = {name for kind in topic.file.kinds for name in kind.vocabularies}
    return tuple(vocabulary for vocabulary in Vocabulary if vocabulary in wanted)


# The kinds of proposed labels, and the vocabularies that their names are of.
_PROPOSED = {"gene": {"genes"}, "cell": {"cell_lines", "cell_types", "organisms"}, "edit": {"edits"}}


def proposed_as(kind: KindEntry) -> str:
    """As what kind names of this one are proposed; "" where they are not."""
    return next((proposed for proposed, names in _PROPOSED.items() if names & set(kind.vocabularies)), "")


def kinds_by_proposed(topic: Topic) -> dict[str, KindEntry]:
    """The kind of the topic that labels proposed as a kind are for; kinds that the topic does not want are left out."""
    return {proposed_as(kind): kind for kind in reversed(topic.file.kinds) if proposed_as(kind)}


def vocabulary_named(name: str) -> Vocabulary:
    """The vocabulary with this name. Raises ValueError for another word."""
    try:
        return Vocabulary(name)
    except ValueError:
        raise ValueError(f"no vocabulary is called {name!r}; there are {', '.join(Vocabulary)}") from None
