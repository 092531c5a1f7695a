"""What of stored articles goes into the index, and the mark that tells whether an entry is of the article as it is."""

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy.orm import Session

import db.finding.indexed
import db.finding.mesh
from annotate.articles.citations import identifiers
from annotate.articles.sentence_places import part_of
from annotate.search.fields import entity_terms, label_terms
from annotate.search.words import MESH, together
from db import tables
from db.finding.indexed import PlacedSentence
from model.names import alike

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


def marks(session: Session) -> dict[int, int]:
    """By article, a number of 63 bits that is another once anything of its entry is."""
    labels = db.finding.indexed.label_names(session)
    mesh = db.finding.mesh.terms(session)
    states = db.finding.indexed.states(session)
    parts = ((number, (state, labels.get(number, []), mesh.get(number, ()))) for number, state in states.items())
    return {number: int.from_bytes(hashlib.sha256(repr(of).encode()).digest()[:8]) >> 1 for number, of in parts}


def entries(session: Session, article_ids: Sequence[int], known: dict[int, int]) -> Iterator[Entry]:
    """The entries of these articles; `known` are their marks. Those that are gone are left out."""
    labels = db.finding.indexed.label_names(session, article_ids)
    mentions = db.finding.indexed.mentions(session, article_ids)
    parts = _parts(session, article_ids)
    mesh = db.finding.mesh.terms(session, article_ids)
    by_article: dict[int, list[PlacedSentence]] = {}
    for sentence in db.finding.indexed.sentences(session, article_ids):
        by_article.setdefault(sentence.article_id, []).append(sentence)
    for article in db.finding.indexed.articles(session, article_ids):
        entry = _entry(article, by_article.get(article.id, []), parts, labels, mentions, known[article.id])
        entry.article[MESH] = alike("\n".join(mesh.get(article.id, ())))
        yield entry


def _parts(session: Session, article_ids: Sequence[int]) -> dict[int, str]:
    """By section, which part of the article it is."""
    known = db.finding.indexed.sections(session, article_ids)

    def titles(section_id: int | None) -> list[str]:
        if section_id is None:
            return []
        parent, _, title = known[section_id]
        return [*titles(parent), title]

    return {section_id: part_of(kind, titles(section_id)) for section_id, (_, kind, _) in known.items()}


def _entry(
    article: tables.Article,
    sentences: list[PlacedSentence],
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
    told = "\n".join(abstract)
    return Entry(
        article.id,
        dict(
            article=article.id,
            mark=mark,
            sentences=len(found),
            key=sorted(key.casefold() for key in {article.key, *identifiers(article)}),
            title=alike(article.title),
            lead=together(alike(article.title), told),
            abstract=told,
            body="\n".join(body),
            journal=alike(article.journal or ""),
            section=sorted(places),
            name=sorted(recognised),
            **year,
        ),
        found,
    )


def _recognised(sentence: PlacedSentence, mentions: _Mentions) -> set[str]:
    end = sentence.start + len(sentence.text)
    found: set[str] = set()
    for first, last, kind, name, ids in mentions.get(sentence.paragraph_id, ()):
        if sentence.start <= first and last <= end:
            spelled = sentence.text[first - sentence.start : last - sentence.start]
            found.update(term for each in {name, spelled, *ids} for term in entity_terms(kind, each))
    return found
