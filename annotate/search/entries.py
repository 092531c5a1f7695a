"""The fields of the index, and what of stored articles goes into them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy.orm import Session
from tantivy import Schema, SchemaBuilder

import db.articles
import db.finding.indexed
from annotate.articles.citations import identifiers
from annotate.articles.document import part_of
from annotate.search.queries import Field, KindField
from annotate.search.words import MESH, TOKENIZER, together
from annotate.topics.project_topic import topic_now
from annotate.topics.schema import KindEntry
from annotate.topics.vocabularies import proposed_as
from db import tables
from db.articles import SentenceText
from model.names import BREAK, alike, fold_name

# Of the index on disk: an index of another format is built again. Change it with the fields, and with what
# `words.py` and `model/names.py` make of a text.
FORMAT = 8

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
    return KindField((f"{LABEL}/{kind.key}", *entities), kind.key)


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
    """The terms of the index that stand for a name in a field; an article with any of them is found."""
    spelled = _spelled(name)
    if isinstance(field, KindField):
        return [f"{below}/{spelled}" for below in field.below]
    if field is Field.LABEL:
        return [f"{LABEL}//{spelled}"]
    if field is Field.ENTITY:
        return [f"{ENTITY}//{spelled}"]
    return [f"{source}/{KINDS_OF[field]}/{spelled}" for source in (LABEL, ENTITY)]


def article_schema() -> Schema:
    """`lead` is title and abstract, `body` the rest, `mesh` the terms with codes, `mark` its last change."""
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


# What stands in each field.
Values = dict[str, Any]
_Mentions = dict[int, list[tuple[int, int, str, str, list[str]]]]
_Labels = dict[int, list[tuple[str, ...]]]


@dataclass(frozen=True, slots=True)
class Entry:
    """One article as it goes into the index, and its sentences."""

    article_id: int
    article: Values
    sentences: list[Values]


def entries(session: Session, article_ids: Sequence[int]) -> Iterator[Entry]:
    """The entries of these articles. Those that are gone are left out."""
    # Before anything else is read: what changes meanwhile is put in again.
    marks = db.finding.indexed.changes(session, article_ids)
    labels = db.finding.indexed.label_names(session, article_ids)
    mentions = db.finding.indexed.mentions(session, article_ids)
    paths = db.articles.section_paths(session, article_ids)
    parts = {section_id: part_of(*path) for section_id, path in paths.items()}
    mesh = db.articles.mesh_terms(session, article_ids)
    by_article: dict[int, list[SentenceText]] = {}
    for sentence in db.articles.sentences(session, article_ids):
        by_article.setdefault(sentence.article_id, []).append(sentence)
    for article in db.finding.indexed.articles(session, article_ids):
        entry = _entry(article, by_article.get(article.id, []), parts, labels, mentions, marks[article.id])
        entry.article[MESH] = alike("\n".join(mesh.get(article.id, ())))
        yield entry


def _entry(
    article: tables.Article,
    sentences: list[SentenceText],
    parts: dict[int, str],
    labels: _Labels,
    mentions: _Mentions,
    mark: int,
) -> Entry:
    labelled = {
        term for kind, *names in labels.get(article.id, []) for name in names for term in label_terms(kind, name)
    }
    year = {"year": article.year} if article.year and article.year > 0 else {}
    found, recognised, places = [], set(labelled), set()
    abstract: list[str] = []
    body: list[str] = []
    for each in sentences:
        part = parts[each.section_id]
        names = labelled | _recognised(each, mentions)
        text = alike(each.text)
        found.append(
            dict(article=article.id, position=each.position, text=text, section=part, name=sorted(names), **year)
        )
        recognised |= names
        places.add(part)
        (abstract if part == "abstract" else body).append(text)
    opening = "\n".join(abstract)
    return Entry(
        article.id,
        dict(
            article=article.id,
            mark=mark,
            sentences=len(found),
            key=sorted(key.casefold() for key in {article.key, *identifiers(article)}),
            title=alike(article.title),
            lead=together(alike(article.title), opening),
            abstract=opening,
            body="\n".join(body),
            journal=alike(article.journal or ""),
            section=sorted(places),
            name=sorted(recognised),
            **year,
        ),
        found,
    )


def _recognised(sentence: SentenceText, mentions: _Mentions) -> set[str]:
    end = sentence.start + len(sentence.text)
    found: set[str] = set()
    for first, last, kind, name, ids in mentions.get(sentence.paragraph_id, ()):
        if sentence.start <= first and last <= end:
            spelled = sentence.text[first - sentence.start : last - sentence.start]
            found.update(term for each in {name, spelled, *ids} for term in entity_terms(kind, each))
    return found
