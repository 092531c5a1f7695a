"""The facets of the topic: what can be asked for in each, and under which other names it goes."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice

from sqlalchemy.orm import Session

import db.finding.names
from annotate.articles.document_labels import plain_name
from annotate.entities.kinds import Vocabulary, proposed_as
from annotate.entities.vocabularies import is_compiled, lexicon_of
from annotate.topics.file import Topic
from annotate.topics.schema import KindEntry
from model.entities.kinds import Entry
from model.names import fold_name

OFFERED = 300  # names that a field of the form offers
MOST_SYNONYMS = 15
# So many are part of the question unless somebody says otherwise: each further one finds less that is meant.
ON = 6
LONGEST = 40  # characters; longer names are descriptions, whose words stand in many articles
_ENTRIES = 2  # of a vocabulary that a name may mean
LABELS, RECOGNISED, VOCABULARY, CHOICE = "document labels", "recognised in articles", "vocabulary", "topic"


@dataclass(frozen=True, slots=True)
class Synonym:
    """Another name for what is asked for, where it comes from, and whether it is part of the question at first."""

    name: str
    source: str
    on: bool


def facet_kinds(topic: Topic) -> list[KindEntry]:
    """The kinds of the topic by which articles are asked for, in its order."""
    by_key = {kind.key: kind for kind in topic.file.kinds}
    return [by_key[key] for key in topic.file.facets]


def offered_names(session: Session, kind: KindEntry) -> list[str]:
    """What a field of the form offers: the choices of the kind, then the names that most articles bear or may bear."""
    choices = [choice.word for choice in kind.choices]
    known = db.finding.names.common_names(session, kind.key, proposed_as(kind), limit=OFFERED)
    codes = {choice.key for choice in kind.choices}
    return list(dict.fromkeys([*choices, *(name for name in known if name not in codes)]))


def synonyms_of(session: Session, kind: KindEntry, name: str) -> list[Synonym]:
    """Other names for a name of this kind: of document labels, of what was recognised, of the topic's vocabularies.

    The first ON short ones are on. None are found of a name that nobody knows.
    """
    name = plain_name(name)
    sources = [
        (CHOICE, _choice_names(kind, name)),
        (LABELS, _siblings(db.finding.names.labelled(session, kind.key, name), name)),
        (RECOGNISED, _siblings(db.finding.names.recognised(session, proposed_as(kind), name), name)),
        (VOCABULARY, vocabulary_names(kind, name)),
    ]
    found: dict[str, Synonym] = {}
    asked = fold_name(name)
    for source, names in sources:
        for other in names:
            folded = fold_name(other)
            if len(folded) > 1 and folded != asked and folded not in found:
                is_on = len(other) <= LONGEST and sum(one.on for one in found.values()) < ON
                found[folded] = Synonym(other, source, is_on)
    return list(found.values())[:MOST_SYNONYMS]


def _choice_names(kind: KindEntry, name: str) -> list[str]:
    return [choice.key for choice in kind.choices if choice.word.casefold() == name.casefold()]


def _siblings(rows: Iterable[tuple[str, list[str]]], name: str) -> Iterator[str]:
    """The names of labels that this name is one of; a label where it is written in another case first says how."""
    for first, synonyms in rows:
        names = [first, *synonyms]
        if fold_name(name) in map(fold_name, names):
            yield from names


def vocabulary_names(kind: KindEntry, name: str) -> Iterator[str]:
    """The names of the entries that a name means in the vocabularies of a kind, the official name first.

    None of a vocabulary that was not compiled yet: recognising entities does that, and takes a minute for the genes.
    """
    for vocabulary in (each for each in Vocabulary if each in kind.vocabularies and is_compiled(each)):
        for entry in islice(_entries(vocabulary, name), _ENTRIES):
            yield from (other for _, other in entry.names())


def _entries(vocabulary: Vocabulary, name: str) -> Iterator[Entry]:
    lexicon = lexicon_of(vocabulary)
    key = lexicon.key_of(fold_name(name))
    if key is None:
        return
    known = sorted(lexicon.names(key), key=lambda one: one.rank)
    best = [one for one in known if one.rank == known[0].rank]
    yield from (lexicon.entry(row) for row in dict.fromkeys(one.row for one in best))
