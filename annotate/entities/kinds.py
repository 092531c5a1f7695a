"""The vocabularies by the names that people, files and topics use for them."""

from enum import StrEnum

from annotate.topics.file import Topic
from model.entities.kinds import EntityType


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


def vocabulary_named(name: str) -> Vocabulary:
    """The vocabulary with this name. Raises ValueError for another word."""
    try:
        return Vocabulary(name)
    except ValueError:
        raise ValueError(f"no vocabulary is called {name!r}; there are {', '.join(Vocabulary)}") from None
