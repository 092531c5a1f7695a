"""The labels that one sentence bears: those that somebody gave it, else those of its article that it names."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from annotate.articles.document_labels import Labels, parse_labels, terms_of
from model.proposing.rules import Kind, Rules
from model.proposing.terms import find_terms


@dataclass(frozen=True, slots=True)
class SentenceLabels:
    """Names without synonyms, apart by semicolons, in the columns of gold files."""

    genes: str = ""
    cells: str = ""
    edit: str = ""


def given_to(verdict: Any) -> SentenceLabels | None:
    """What was given with a verdict; None where nobody said anything of labels."""
    given = verdict.genes, verdict.cells, verdict.edit
    return None if given == (None, None, None) else SentenceLabels(*(text or "" for text in given))


def parse_sentence_labels(genes: str, cells: str, edit: str, choices: Sequence[str] | None) -> SentenceLabels:
    """What somebody typed, as it is stored. Raises ValueError as `parse_labels` does."""
    labels = parse_labels(genes, cells, edit, choices)
    return SentenceLabels(*(";".join(names) for names in (labels.genes, labels.cells, labels.edits)))


def named_in(text: str, labels: Labels, rules: Rules) -> SentenceLabels:
    """The labels of its article that a sentence names, by themselves or by a synonym.

    A choice, which is no name, stands beside a sentence that names something.
    """
    naming = {kind.key for kind in rules.kinds if kind.naming}
    if not any(span.kind in naming for span in find_terms(text, terms_of(labels), rules)):
        return SentenceLabels()  # as most sentences: one look instead of one for each name
    third: dict[str, tuple[str, ...]] = dict.fromkeys(labels.edits, ())
    found = {"genes": "", "cells": "", "edit": ""}
    for kind in rules.kinds:
        if kind.naming:
            named = {"genes": labels.genes, "cells": labels.cells, "edit": third}[kind.slot]
            found[kind.slot] = ";".join(name for name in named if _names(text, kind, {name: named[name]}, rules))
    if any(found.values()) and not any(kind.naming and kind.slot == "edit" for kind in rules.kinds):
        found["edit"] = ";".join(labels.edits)
    return SentenceLabels(**found)


def _names(text: str, kind: Kind, name: dict[str, tuple[str, ...]], rules: Rules) -> bool:
    """Whether a text has this name, or one of its synonyms, as one of this kind."""
    only = {"genes": Labels(genes=name), "cells": Labels(cells=name), "edit": Labels(edits=tuple(name))}[kind.slot]
    return any(span.kind == kind.key for span in find_terms(text, terms_of(only), rules))
