"""The vocabularies by the names that people, files and topics use, and where identifiers are explained."""

import re
from enum import StrEnum
from urllib.parse import quote

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


_PAGES = {
    "gene": (re.compile(r"\d+"), "NCBI Gene", "https://www.ncbi.nlm.nih.gov/gene/{}"),
    "cell_line": (re.compile(r"CVCL_\w+"), "Cellosaurus", "https://www.cellosaurus.org/{}"),
    "cell_type": (
        re.compile(r"CL:\d+"), "Cell Ontology", "https://www.ebi.ac.uk/ols4/ontologies/cl/classes?obo_id={}",
    ),
    "organism": (
        re.compile(r"\d+"), "NCBI Taxonomy", "https://www.ncbi.nlm.nih.gov/Taxonomy/Browser/wwwtax.cgi?id={}",
    ),
}  # fmt: skip


def authority_of(kind: str) -> str:
    """Who gives the identifiers of a type of entity."""
    return _PAGES[kind][1]


def link_of(kind: str, identifier: str) -> str:
    """The address of the page about an identifier; nothing for one that is not written as its authority does."""
    pattern, _, address = _PAGES[kind]
    return address.format(quote(identifier, safe="")) if pattern.fullmatch(identifier) else ""
