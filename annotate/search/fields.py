"""The fields of the index: one for articles, one for sentences, so that each counts its own words."""

from sqlalchemy.orm import Session
from tantivy import Schema, SchemaBuilder

from annotate.search.queries import Field, KindField
from annotate.search.words import TOKENIZER
from annotate.topics.project_topic import topic_now
from annotate.topics.schema import KindEntry
from annotate.topics.vocabularies import proposed_as
from model.names import BREAK, fold_name

# Of the index on disk: an index of another format is built again. Change it with the fields, and with what
# `words.py` and `model/names.py` make of a text.
FORMAT = 4

LABEL, ENTITY = "label", "entity"
# The kinds below which names stand, by the field that asks for them in a project of any topic.
KINDS_OF = {
    Field.GENE: "gene",
    Field.CELL: "cell",
    Field.EDIT: "edit",
    Field.ORGANISM: "organism",
}
_ENTITY_KINDS = {"gene": "gene", "cell_line": "cell", "cell_type": "cell", "organism": "organism"}


def field_of(kind: KindEntry) -> KindField:
    """Where the names of a kind of the topic are asked for: among its labels, and the entities that may be some."""
    entities = [f"{ENTITY}/{found}"] if (found := proposed_as(kind)) else []
    return KindField((f"{LABEL}/{kind.key}", *entities))


def field_names(session: Session) -> dict[str, KindField]:
    """The topic's own names of its kinds, by which people may ask for them (outcome:pain), and the field of each."""
    kinds = topic_now(session).file.kinds
    return {name.casefold().replace(" ", "_"): field_of(kind) for kind in kinds for name in (kind.key, kind.name)}


def label_terms(kind: str, name: str) -> list[str]:
    """How a document label stands in the index: below its kind, and below none."""
    return _terms(LABEL, kind, name)


def entity_terms(kind: str, name: str) -> list[str]:
    """How a recognised entity stands in the index."""
    return _terms(ENTITY, _ENTITY_KINDS.get(kind, kind), name)


def _terms(source: str, kind: str, name: str) -> list[str]:
    return [f"{source}/{kind}/{spelled}", f"{source}//{spelled}"] if (spelled := _spelled(name)) else []


def _spelled(name: str) -> str:
    """A name as one word of small letters and digits, without dashes, blanks and slashes."""
    return fold_name(name).replace(BREAK, "")


def asked_names(field: Field | KindField, name: str) -> list[str]:
    """The terms of which any is a name as it is asked for in a field."""
    spelled = _spelled(name)
    if isinstance(field, KindField):
        return [f"{below}/{spelled}" for below in field.below]
    if field is Field.LABEL:
        return [f"{LABEL}//{spelled}"]
    if field is Field.ENTITY:
        return [f"{ENTITY}//{spelled}"]
    return [f"{source}/{KINDS_OF[field]}/{spelled}" for source in (LABEL, ENTITY)]


def article_schema() -> Schema:
    """`lead` is title and abstract, `body` the rest, `mesh` the terms with codes, `mark` what it was made of."""
    builder = SchemaBuilder()
    for name in ("article", "mark", "sentences", "year"):
        builder.add_unsigned_field(name, indexed=name in ("article", "year"), fast=True)
    for name in ("lead", "title", "abstract", "body", "mesh", "journal"):
        builder.add_text_field(name, tokenizer_name=TOKENIZER)
    return _names(builder)


def sentence_schema() -> Schema:
    """A sentence by its article and position."""
    builder = SchemaBuilder()
    for name in ("article", "position", "year"):
        builder.add_unsigned_field(name, indexed=name != "position", fast=True)
    builder.add_text_field("text", tokenizer_name=TOKENIZER)
    return _names(builder)


def _names(builder: SchemaBuilder) -> Schema:
    for name in ("key", "section", "name"):
        builder.add_text_field(name, tokenizer_name="raw", index_option="basic")
    return builder.build()
