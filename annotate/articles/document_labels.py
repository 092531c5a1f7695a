"""Document labels: what an article is about, in three columns that the project's topic gives their meaning.

Files and tables call them genes, cells and edit, whatever kinds of a topic stand in them.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from sqlalchemy.orm import Session

import db.articles
from annotate.articles.parsing.identifiers import normal_identifiers
from annotate.articles.table_files import Row, read_table
from annotate.project.home import read, write
from annotate.project.notes import Noted, note_each
from annotate.project.rights import Right
from annotate.topics.project_topic import topic_now
from model.proposing.terms import DocumentTerms

IDENTIFIERS = ("pmid", "pmcid", "doi")
CELLS = ("genes", "cells", "edit")
# In one transaction: the labels of 50 articles are written in about 10 ms, so that no reviewer waits.
BATCH_ARTICLES = 50
# Of one kind, with synonyms: no article edits so many genes, and each name is looked for in every sentence.
MAX_NAMES = 500
MAX_NAME = 100


@dataclass(frozen=True, slots=True)
class Labels:
    """Document labels as people write them: names, each with its synonyms, and choices or names without synonyms."""

    genes: dict[str, tuple[str, ...]] = field(default_factory=dict)
    cells: dict[str, tuple[str, ...]] = field(default_factory=dict)
    edits: tuple[str, ...] = ()
    # By name of a gene or cell, where somebody confirmed which one it is.
    identifiers: dict[str, tuple[str, ...]] = field(default_factory=dict)

    def merged(self, other: "Labels") -> "Labels":
        """Both label sets as one."""
        return Labels(
            _merge(self.genes, other.genes),
            _merge(self.cells, other.cells),
            tuple(dict.fromkeys((*self.edits, *other.edits))),
            _merge(self.identifiers, other.identifiers),
        )

    def without_strangers(self) -> "Labels":
        """The same, with the identifiers of its own names alone."""
        own = {name: found for name, found in self.identifiers.items() if name in self.genes or name in self.cells}
        return replace(self, identifiers=own)


@dataclass
class LabelReport:
    """How many articles were labelled, and (line, reason) of rows left out."""

    articles: int = 0
    failures: list[tuple[int, str]] = field(default_factory=list)

    def as_dict(self) -> dict[str, Any]:
        """The report as JSON-able values."""
        return {"articles_labelled": self.articles, "failures": [list(entry) for entry in self.failures]}


def parse_labels(genes: str, cells: str, edit: str, choices: Collection[str] | None = None) -> Labels:
    """Reads `TP53|p53; MDM2`: names apart by semicolons, synonyms behind a bar.

    What cannot be seen (control characters, marks of direction) is left out. Raises ValueError for an edit that is none
    of the topic's choices, where it has any, for too many names and for one that is too long.
    """
    edits = tuple(_names(edit))
    if choices is not None:
        edits = tuple(dict.fromkeys(name if name in choices else name.upper() for name in edits))
        unknown = [name for name in edits if name not in choices]
        if unknown:
            raise ValueError(f"edit {unknown[0]!r} is none of {', '.join(choices)}")
    return within_bounds(Labels(_names(genes), _names(cells), edits))


def within_bounds(labels: Labels) -> Labels:
    """The same labels. Raises ValueError above MAX_NAMES of a kind, or for a name above MAX_NAME characters."""
    third: dict[str, tuple[str, ...]] = dict.fromkeys(labels.edits, ())
    for kind, named in (("genes", labels.genes), ("cells", labels.cells), ("edit", third)):
        names = [name for first, more in named.items() for name in (first, *more)]
        if len(names) > MAX_NAMES:
            raise ValueError(f"{len(names):,} names of {kind} are more than an article may have: {MAX_NAMES}")
        if too_long := [name for name in names if len(name) > MAX_NAME]:
            raise ValueError(f"a name of {kind} is longer than {MAX_NAME} characters: {too_long[0][:30]}…")
    return labels


def write_names(names: dict[str, tuple[str, ...]]) -> str:
    """Names and their synonyms as `parse_labels` reads them: `TP53|p53; MDM2`."""
    return "; ".join("|".join((name, *synonyms)) for name, synonyms in names.items())


def _names(text: str) -> dict[str, tuple[str, ...]]:
    found: dict[str, dict[str, None]] = {}
    for part in text.split(";"):
        names = [clean for name in part.split("|") if (clean := _visible(name))]
        if names:
            found.setdefault(names[0], {}).update(dict.fromkeys(names[1:]))
    return {name: tuple(synonyms) for name, synonyms in found.items()}


def plain_name(name: str) -> str:
    """A name as the form of labels can hold it: what can be seen of it, without the signs that set names apart."""
    return _visible(name.replace(";", " ").replace("|", " "))


def _visible(name: str) -> str:
    return " ".join("".join(letter if letter.isprintable() else " " for letter in name).split())


def _merge(first: dict[str, tuple[str, ...]], second: dict[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
    return {
        name: tuple(dict.fromkeys((*first.get(name, ()), *second.get(name, ()))))
        for name in dict.fromkeys((*first, *second))
    }


def labels_of(session: Session, article_ids: Sequence[int]) -> dict[int, Labels]:
    """The stored document labels of some articles."""
    found = {}
    for article_id, rows in db.articles.document_labels(session, article_ids).items():
        names = {kind: {r.name: tuple(r.synonyms) for r in rows if r.kind == kind} for kind in ("gene", "cell")}
        edits = tuple(row.name for row in rows if row.kind == "edit")
        identifiers = {row.name: tuple(row.identifiers) for row in rows if row.identifiers}
        found[article_id] = Labels(names["gene"], names["cell"], edits, identifiers)
    return found


def terms_of(labels: Labels) -> DocumentTerms:
    """The labels as the rankings take them: names and synonyms together."""
    return DocumentTerms(
        genes=tuple(dict.fromkeys(name for gene, more in labels.genes.items() for name in (gene, *more))),
        cells=tuple(dict.fromkeys(name for cell, more in labels.cells.items() for name in (cell, *more))),
        edit=labels.edits[0] if labels.edits else None,
        edits=labels.edits,
    )


def set_labels(session: Session, article_id: int, labels: Labels) -> None:
    """Makes these the document labels of an article."""
    db.articles.replace_document_labels(session, {article_id: _rows(labels)})


def _rows(labels: Labels) -> list[dict[str, Any]]:
    edits: dict[str, tuple[str, ...]] = dict.fromkeys(labels.edits, ())
    named = [("gene", labels.genes), ("cell", labels.cells), ("edit", edits)]
    return [
        {
            "kind": kind,
            "name": name,
            "synonyms": list(synonyms),
            "identifiers": list(labels.identifiers.get(name, ())),
        }
        for kind, names in named
        for name, synonyms in names.items()
    ]


def change_labels(session: Session, wanted: Mapping[int, Labels]) -> list[int]:
    """Makes these the document labels of articles, by id; where that changes them, the history notes it.

    Returns the articles whose labels changed.
    """
    before = labels_of(session, list(wanted))
    # Who types names in says nothing of identifiers: those of names that stay, stay.
    after = {
        number: replace(labels, identifiers=before[number].identifiers | labels.identifiers).without_strangers()
        for number, labels in wanted.items()
    }
    changed = {number: labels for number, labels in after.items() if before[number] != labels}
    if changed:
        db.articles.replace_document_labels(session, {number: _rows(labels) for number, labels in changed.items()})
    told = {n: {"before": _in_words(before[n]), "after": _in_words(labels)} for n, labels in changed.items()}
    note_each(session, Noted.LABELS, {n: f"{one['before']} → {one['after']}" for n, one in told.items()}, told)
    return list(changed)


def store_labels(article_id: int, labels: Labels) -> None:
    """Does what `change_labels` does in a transaction of its own, in the name of the person who is acting."""
    with write(Right.LABEL) as session:
        change_labels(session, {article_id: labels})


def _in_words(labels: Labels) -> str:
    parts = {"genes": write_names(labels.genes), "cells": write_names(labels.cells), "edit": "; ".join(labels.edits)}
    return ", ".join(f"{name} {text}" for name, text in parts.items() if text) or "no labels"


def import_labels(path: Path) -> LabelReport:
    """Adds the genes, cells and edits of a CSV to the labels of the articles that it names.

    Columns: pmid, pmcid or doi, and any of genes, cells, edit. Rows of articles that are not stored are reported.
    Raises BadTable where the file itself cannot be used.
    """
    rows = read_table(path, needs=[IDENTIFIERS, CELLS])
    report = LabelReport()
    with read() as session:
        wanted = _wanted(session, rows, report, topic_now(session).choices)
    article_ids = list(wanted)
    for start in range(0, len(article_ids), BATCH_ARTICLES):
        batch = article_ids[start : start + BATCH_ARTICLES]
        with write(Right.IMPORT) as session:
            stored = labels_of(session, batch)
            for article_id in batch:
                line, labels = wanted[article_id]
                try:
                    merged = within_bounds(stored[article_id].merged(labels))
                except ValueError as error:
                    report.failures.append((line, f"with what the article has, {error}"))
                    continue
                if merged != Labels():
                    change_labels(session, {article_id: merged})
                    report.articles += 1
    return report


def _wanted(
    session: Session, rows: list[Row], report: LabelReport, choices: Collection[str] | None
) -> dict[int, tuple[int, Labels]]:
    """By article, its last line and the labels of its rows; rows without a stored article, and those whose labels
    cannot be taken, are reported."""
    wanted: dict[int, tuple[int, Labels]] = {}
    known: dict[tuple[str, ...], int | None] = {}
    for line, row in rows:
        names = normal_identifiers(row)
        identifiers = tuple(names.values())
        if identifiers not in known:
            known[identifiers] = db.articles.find_by_name(session, **names)
            if known[identifiers] is None:
                shown = " ".join(filter(None, identifiers)) or "no identifier"
                report.failures.append((line, f"no such article: {shown}"))
        article_id = known[identifiers]
        if article_id is None:
            continue
        _, before = wanted.get(article_id, (line, Labels()))
        labels, refused = _taken(row, before, choices)
        report.failures += [(line, reason) for reason in refused]
        if labels != before or not refused:
            wanted[article_id] = line, labels
    return wanted


def _taken(row: Mapping[str, str], before: Labels, choices: Collection[str] | None) -> tuple[Labels, list[str]]:
    """These labels with those of each cell of a row that can be taken, and why each other one cannot: a wrong cell
    costs no other."""
    labels, refused = before, []
    for name in CELLS:
        cell = {name: row.get(name, "")}
        try:
            new = parse_labels(cell.get("genes", ""), cell.get("cells", ""), cell.get("edit", ""), choices)
            labels = within_bounds(labels.merged(new))
        except ValueError as error:
            refused.append(str(error))
    return labels, refused
