"""Document labels: what an article is about, by the kinds of the project's topic.

Labels of kinds that another topic of the project had stay stored.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from sqlalchemy.orm import Session

import db.articles
from annotate.articles.citations import IDENTIFIERS
from annotate.articles.parsing.identifiers import normal_identifiers
from annotate.articles.table_files import Row, read_table
from annotate.project.files.packed_lines import UnreadableFile
from annotate.project.home import read, write
from annotate.project.notes import Noted, note_each
from annotate.project.rights import Right
from annotate.topics.file import Topic
from annotate.topics.label_columns import kinds_of_columns, label_columns, labels_by_kind
from annotate.topics.project_topic import current_topic, topic_now
from model.names import composed
from model.proposing.terms import DocumentTerms

KEY = "article"  # the column of our own export that holds the key of its article
# In one transaction: the labels of 50 articles are written in about 10 ms, so that no reviewer waits.
BATCH_ARTICLES = 50
# The limit for one kind, with synonyms. No article edits more genes, and each name is looked for in every sentence.
MAX_NAMES = 500
MAX_NAME = 100


Names = dict[str, tuple[str, ...]]  # each with its synonyms; choices have none


@dataclass(frozen=True, slots=True)
class Labels:
    """Document labels as people write them: the names of each kind that has any, by the kind's key."""

    by_kind: dict[str, Names] = field(default_factory=dict)
    # By name, where somebody confirmed which one it is.
    identifiers: Names = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Leaves kinds without names out, so that equal labels are equal."""
        object.__setattr__(self, "by_kind", {kind: names for kind, names in self.by_kind.items() if names})

    def of(self, kind: str) -> Names:
        """The names of a kind."""
        return self.by_kind.get(kind, {})

    def merged(self, other: "Labels") -> "Labels":
        """The union of these labels and the other ones."""
        kinds = dict.fromkeys((*self.by_kind, *other.by_kind))
        by_kind = {kind: _united((*self.of(kind).items(), *other.of(kind).items())) for kind in kinds}
        identifiers = _united((*self.identifiers.items(), *other.identifiers.items()))
        return Labels(by_kind, identifiers)

    def without_strangers(self) -> "Labels":
        """These labels without the identifiers of names that are not among them."""
        names = {name for of_kind in self.by_kind.values() for name in of_kind}
        return replace(self, identifiers={name: found for name, found in self.identifiers.items() if name in names})


@dataclass
class LabelReport:
    """How many articles were labelled, and (line, reason) of rows left out."""

    articles: int = 0
    failures: list[tuple[int, str]] = field(default_factory=list)

    def as_dict(self) -> dict[str, Any]:
        """The report as JSON-able values."""
        return {"articles_labelled": self.articles, "failures": [list(entry) for entry in self.failures]}


Choices = Mapping[str, Collection[str]]  # what may be chosen, by the key of a kind; other kinds have names


def parse_labels(given: Mapping[str, str], choices: Choices | None = None) -> Labels:
    """Reads `TP53|p53; MDM2` of each kind: names separated by semicolons, synonyms behind a bar.

    What cannot be seen (control characters, marks of direction) is left out. Raises ValueError for what is none of the
    choices of its kind, for too many names and for one that is too long.
    """
    return within_bounds(Labels({kind: _parse(kind, text, choices or {}) for kind, text in given.items()}))


def _parse(kind: str, text: str, choices: Choices) -> Names:
    names = _names(text)
    if kind not in choices:
        return names
    chosen: Names = dict.fromkeys((name if name in choices[kind] else name.upper() for name in names), ())
    if unknown := [name for name in chosen if name not in choices[kind]]:
        raise ValueError(f"{kind} {unknown[0]!r} is none of {', '.join(choices[kind])}")
    return chosen


def choices_with(topic: Topic, labels: Labels) -> Choices:
    """What may be chosen for what bears these labels: what another topic had as a choice is no reason to refuse it."""
    return {kind: (*choices, *labels.of(kind)) for kind, choices in topic.choices.items()}


def within_bounds(labels: Labels) -> Labels:
    """Returns the labels. Raises ValueError above MAX_NAMES of a kind, or for a name above MAX_NAME characters."""
    for kind, named in labels.by_kind.items():
        names = [name for first, more in named.items() for name in (first, *more)]
        if len(names) > MAX_NAMES:
            raise ValueError(f"{kind}: {len(names):,} names are more than an article may have: {MAX_NAMES}")
        if too_long := [name for name in names if len(name) > MAX_NAME]:
            raise ValueError(f"{kind}: a name is longer than {MAX_NAME} characters: {too_long[0][:30]}…")
    return labels


def write_names(names: Names) -> str:
    """Names and their synonyms as `parse_labels` reads them: `TP53|p53; MDM2`."""
    return "; ".join("|".join((name, *synonyms)) for name, synonyms in names.items())


def _names(text: str) -> Names:
    parts = ([clean for name in part.split("|") if (clean := _visible(name))] for part in text.split(";"))
    return _united((names[0], names[1:]) for names in parts if names)


def plain_name(name: str) -> str:
    """A name as the form of labels can hold it: its visible letters, without the signs that separate names."""
    return _visible(name.replace(";", " ").replace("|", " "))


def _visible(name: str) -> str:
    return " ".join("".join(letter if letter.isprintable() else " " for letter in name).split())


def _united(named: Iterable[tuple[str, Iterable[str]]]) -> Names:
    """Each name once with all its synonyms. Names in either form of Unicode are one, as it is written first."""
    spelled: dict[str, str] = {}
    found: dict[str, dict[str, str]] = {}
    for name, synonyms in named:
        known = found.setdefault(spelled.setdefault(composed(name)[0], name), {})
        for synonym in synonyms:
            known.setdefault(composed(synonym)[0], synonym)
    return {name: tuple(known.values()) for name, known in found.items()}


def labels_of(session: Session, article_ids: Sequence[int]) -> dict[int, Labels]:
    """The stored document labels of some articles."""
    found = {}
    for article_id, rows in db.articles.document_labels(session, article_ids).items():
        by_kind: dict[str, Names] = {}
        for row in rows:
            by_kind.setdefault(row.kind, {})[row.name] = tuple(row.synonyms)
        found[article_id] = Labels(by_kind, {row.name: tuple(row.identifiers) for row in rows if row.identifiers})
    return found


def terms_of(labels: Labels) -> DocumentTerms:
    """The labels as the rankings take them: names and synonyms together."""
    return DocumentTerms.of(
        {
            kind: tuple(dict.fromkeys(name for first, more in names.items() for name in (first, *more)))
            for kind, names in labels.by_kind.items()
        }
    )


def rows_of(labels: Labels) -> list[dict[str, Any]]:
    """The labels as rows of their table, but for the article."""
    return [
        {
            "kind": kind,
            "name": name,
            "synonyms": list(synonyms),
            "identifiers": list(labels.identifiers.get(name, ())),
        }
        for kind, names in labels.by_kind.items()
        for name, synonyms in names.items()
    ]


def change_labels(session: Session, wanted: Mapping[int, Labels]) -> list[int]:
    """Replaces the labels of articles, by id, for the topic's kinds; the history notes each article that this changes.

    Returns the articles whose labels changed. Labels of kinds that the topic does not have stay as they are.
    """
    before, topic = labels_of(session, list(wanted)), topic_now(session)
    after = {}
    for number, labels in wanted.items():
        others = {kind: names for kind, names in before[number].by_kind.items() if kind not in topic.keys}
        # Typed names carry no identifiers: a name that stays keeps its own.
        known = before[number].identifiers | labels.identifiers
        after[number] = Labels(others | labels.by_kind, known).without_strangers()
    changed = {number: labels for number, labels in after.items() if before[number] != labels}
    if changed:
        db.articles.replace_document_labels(session, {number: rows_of(labels) for number, labels in changed.items()})
    changes = {
        n: {"before": _in_words(before[n], topic), "after": _in_words(labels, topic)} for n, labels in changed.items()
    }
    note_each(session, Noted.LABELS, {n: f"{one['before']} → {one['after']}" for n, one in changes.items()}, changes)
    return list(changed)


def store_labels(article_id: int, labels: Labels) -> None:
    """Does what `change_labels` does in a transaction of its own, in the name of the person who is acting."""
    with write(Right.LABEL) as session:
        change_labels(session, {article_id: labels})


def _in_words(labels: Labels, topic: Topic) -> str:
    columns = label_columns(topic)
    parts = [f"{columns.get(kind, kind)} {write_names(names)}" for kind, names in labels.by_kind.items()]
    return ", ".join(parts) or "no labels"


def import_labels(path: Path) -> LabelReport:
    """Adds the names of a CSV to the labels of the articles that it names.

    Columns: pmid, pmcid or doi, and any of the topic's kinds, such as genes. Rows of articles that are not stored are
    reported. Raises UnreadableFile where the file itself cannot be used.
    """
    topic = current_topic()
    if not topic.keys:
        raise UnreadableFile(f"{path.name}: the topic of this project has no document labels")
    rows = read_table(path, needs=[IDENTIFIERS, kinds_of_columns(topic, {})])
    report = LabelReport()
    with read() as session:
        wanted = _wanted(session, rows, report, topic)
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
    report.failures.sort()
    return report


def _wanted(session: Session, rows: list[Row], report: LabelReport, topic: Topic) -> dict[int, tuple[int, Labels]]:
    """By article, its last line and the labels of its rows; rows that cannot be taken are reported."""
    wanted: dict[int, tuple[int, Labels]] = {}
    articles = articles_named(session, rows, report.failures)
    for line, row in rows:
        if (article_id := articles.get(line)) is None:
            continue
        _, before = wanted.get(article_id, (line, Labels()))
        labels, refused = _taken(row, before, topic)
        report.failures += [(line, reason) for reason in refused]
        if labels != before or not refused:
            wanted[article_id] = line, labels
    return wanted


def articles_named(session: Session, rows: Iterable[Row], failures: list[tuple[int, str]]) -> dict[int, int]:
    """By line of a file the id of the article that its row names; lines of unknown articles are failures.

    A row without an identifier names it by the column article of our own export, which holds the article's key.
    """
    found: dict[int, int] = {}
    known: dict[tuple[str, ...], int | None] = {}
    for line, row in rows:
        identifiers = normal_identifiers(row)
        key = "" if any(identifiers.values()) else row.get(KEY, "").strip()
        names = (*identifiers.values(), key)
        if names not in known:
            known[names] = db.articles.find_by_name(session, **identifiers, key=key)
        if (article_id := known[names]) is not None:
            found[line] = article_id
        else:
            failures.append((line, f"no such article: {' '.join(filter(None, names)) or 'no identifier'}"))
    return found


def _taken(row: Mapping[str, str], before: Labels, topic: Topic) -> tuple[Labels, list[str]]:
    """The labels with each valid cell of the row added, and the error texts of the other cells."""
    labels, refused = before, []
    for kind, text in labels_by_kind(topic, row).items():
        try:
            labels = within_bounds(labels.merged(parse_labels({kind: text}, topic.choices)))
        except ValueError as error:
            refused.append(str(error))
    return labels, refused
