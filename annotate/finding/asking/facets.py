"""The facets of the topic: what can be asked for in each, and under which other names it goes."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from sqlalchemy.orm import Session

import db.finding.found_articles
from annotate.articles.document_labels import plain_name
from annotate.search.entries import field_names
from annotate.search.queries import BadQuery, parted
from annotate.search.reading import read_query
from annotate.topics.file import Topic
from annotate.topics.schema import KindEntry
from annotate.topics.vocabularies import proposed_as
from db.tables import DocumentLabel, LabelProposal
from model.names import caseless, fold_name

OFFERED = 300  # names that a field of the form offers
MOST_SYNONYMS = 15
# Synonyms that are on at first, unless a person changes that: each further one finds less that is meant.
ON = 6
LONGEST = 40  # characters; longer names are descriptions, whose words stand in many articles
LABELS, RECOGNISED, VOCABULARY, CHOICE = "document labels", "recognised in articles", "vocabulary", "topic"


@dataclass(frozen=True, slots=True)
class Synonym:
    """A synonym of a name in a question, where it comes from, and whether it is part of the question at first."""

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
    known = db.finding.found_articles.common_names(session, kind.key, proposed_as(kind), limit=OFFERED)
    codes = {choice.key for choice in kind.choices}
    return list(dict.fromkeys([*choices, *(name for name in known if name not in codes)]))


def synonyms_of(session: Session, kind: KindEntry, name: str, in_vocabularies: Iterable[str] = ()) -> list[Synonym]:
    """Other names for a name of this kind: of document labels, of what was recognised, then those given.

    The first ON short ones are on. A name that is unknown here has none.
    """
    name = plain_name(name)
    sources = [
        (CHOICE, [choice.key for choice in kind.choices if caseless(choice.word) == caseless(name)]),
        (LABELS, _siblings(db.finding.found_articles.named(session, DocumentLabel, kind.key, name), name)),
        (RECOGNISED, _siblings(db.finding.found_articles.named(session, LabelProposal, proposed_as(kind), name), name)),
        (VOCABULARY, in_vocabularies),
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


LONGEST_NAME = 4  # words
_AND_BEFORE, _AND_BEHIND = re.compile(r"(?<!\S)AND\s+$"), re.compile(r"\s+AND(?!\S)")
_SYMBOL = re.compile(r"\w*[A-Z]\S*[A-Z\d]|\w+[A-Z]\S*|[A-Za-z]+\S*\d\w*")  # TP53, HeLa, p53, HEK-293T


def _is_spelled(written: str, names: Sequence[str]) -> bool:
    """Whether it begins with a capital and is one of the names letter by letter; not where one is all capitals: a
    sentence may begin with Rest."""
    return written[:1].isupper() and written in names and written.upper() not in names


def names_typed(
    session: Session, kinds: Sequence[KindEntry], text: str, vocabularies: Callable[[KindEntry, str], Iterable[str]]
) -> tuple[str, list[tuple[KindEntry, str]]]:
    """The typed text without the names that are known here, and each of these names with its kind.

    Only plain words are looked at: a name in quotation marks or in a field, or next to a parenthesis that holds it,
    stays where it is. An AND that joins a name goes with it.
    """
    fields = field_names(session)
    try:
        plain = sorted(term.place for term in parted(read_query(text, fields))[0])
    except BadQuery:
        return text, []
    known = {fold_name(name): (kind, name) for kind in reversed(kinds) for name in offered_names(session, kind)}

    def meant(written: str) -> tuple[KindEntry, str] | None:
        if found := known.get(fold_name(written)):
            # "rest" is hardly the gene REST.
            return None if written.islower() and written.isalpha() and found[1].isupper() else (found[0], written)
        is_symbol = _SYMBOL.fullmatch(written) is not None
        if not is_symbol and not written[:1].isupper():
            return None
        for kind in kinds:
            names = list(vocabularies(kind, written))
            if _is_spelled(written, names) or (is_symbol and (names or synonyms_of(session, kind, written))):
                return kind, written
        return None

    left, found, at, done = [], [], 0, 0
    while at < len(plain):
        for upto in range(min(at + LONGEST_NAME, len(plain)), at, -1):
            start, end = plain[at][0], plain[upto - 1][1]
            gaps = (text[a:b] for (_, a), (b, _) in zip(plain[at:upto], plain[at + 1 : upto], strict=False))
            held = text[:start].rstrip().endswith("(") or text[end:].lstrip().startswith(")")
            if not held and all(map(str.isspace, gaps)) and (name := meant(text[start:end].rstrip(",;.?!"))):
                found.append(name)
                before = _AND_BEFORE.sub("", text[done:start])
                if before == text[done:start] and (joint := _AND_BEHIND.match(text, end)):
                    end = joint.end()
                left.append(before)
                at, done = upto, end
                break
        else:
            at += 1
    rest = " ".join("".join([*left, text[done:]]).split())
    try:
        read_query(rest, fields)
    except BadQuery:  # the name was part of what stands around it: TP53[tw]
        return text, []
    return rest, found


def _siblings(rows: Iterable[tuple[str, list[str]]], name: str) -> Iterator[str]:
    """The names of labels that this name is one of; a label where it is written in another case first says how."""
    for first, synonyms in rows:
        names = [first, *synonyms]
        if fold_name(name) in map(fold_name, names):
            yield from names
