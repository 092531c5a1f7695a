"""The labels that one sentence bears: those that a person gave it, else the article's labels that it names."""

from collections.abc import Mapping
from typing import Any

from annotate.articles.document_labels import Labels, Names, choices_with, parse_labels, terms_of
from annotate.topics.file import Topic
from annotate.topics.label_columns import label_columns, labels_by_kind
from annotate.topics.schema import Slot
from model.proposing.rules import Kind, Rules
from model.proposing.terms import find_terms

SentenceLabels = dict[str, str]  # by the key of a kind its names, without synonyms, separated by semicolons


def given_to(verdict: Any, rules: Rules) -> SentenceLabels | None:
    """The labels given with a verdict; None where it has none of the topic's kinds."""
    given = verdict.labels or {}
    own = {kind.key: given[kind.key] for kind in rules.kinds if kind.key in given}
    return _that_are_named(own) if own else None


def parse_sentence_labels(typed: Mapping[str, str], topic: Topic, labels: Labels) -> SentenceLabels:
    """What somebody typed of a sentence of an article with these labels, as it is stored: each kind of the topic.

    Raises ValueError as `parse_labels` does, and where a name is of no kind of the topic: it has changed since.
    """
    known = {*topic.keys, *label_columns(topic).values()}
    if not typed.keys() <= known and not typed.keys() >= set(Slot):  # programs may write the columns of files
        raise ValueError("the topic has changed since; load the page again")
    given = parse_labels(labels_by_kind(topic, typed), choices_with(topic, labels))
    return {kind: ";".join(given.of(kind)) for kind in topic.keys}


def named_in(text: str, labels: Labels, rules: Rules) -> SentenceLabels:
    """The labels of its article that a sentence names, by themselves or by a synonym.

    A choice, which is no name, is added to every sentence that names something.
    """
    naming = {kind.key for kind in rules.kinds if kind.naming}
    if not any(span.kind in naming for span in find_terms(text, terms_of(labels), rules)):
        return {}  # as most sentences: one look instead of one for each name
    found = {
        kind.key: ";".join(
            name for name, more in labels.of(kind.key).items() if _names(text, kind, {name: more}, rules)
        )
        for kind in rules.kinds
        if kind.naming
    }
    if any(found.values()):
        found |= {kind.key: ";".join(labels.of(kind.key)) for kind in rules.kinds if not kind.naming}
    return _that_are_named(found)


def _that_are_named(labels: SentenceLabels) -> SentenceLabels:
    return {kind: names for kind, names in labels.items() if names}


def _names(text: str, kind: Kind, name: Names, rules: Rules) -> bool:
    """Whether a text has this name, or one of its synonyms, as one of this kind."""
    only = terms_of(Labels({kind.key: name}))
    return any(span.kind == kind.key for span in find_terms(text, only, rules))
