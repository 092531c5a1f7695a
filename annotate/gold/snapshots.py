"""Snapshots: the gold frozen under a name by a stated rule, checked by its hash, exported always alike, compared."""

import gzip
import hashlib
import json
import re
import zlib
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Any

from sqlalchemy.orm import Session

import db.gold
import db.registry
import db.review.verdicts
import db.rows
from annotate.gold.export_file import WRITTEN, as_jsonl, cells_prefixed, check_ending, write_files
from annotate.gold.label_sets import Basis, Rule, check_rule, judged, label_set, lines_of
from annotate.gold.rows import GoldRow, counted_columns, counts_of, gold_columns, manifest, rows_of
from annotate.project.acting import current_actor, demand
from annotate.project.home import read, write
from annotate.project.notes import Noted, note
from annotate.project.rights import Right
from annotate.project.words import count_of
from annotate.topics.project_topic import topic_now
from db.base import utc_now
from db.tables import GoldSnapshot

MOST_CHARACTERS = 60
# Counted again from the rows when a snapshot is verified.
COUNTED = ("rows", "by_label", "by_origin", "by_annotator")


class NoSuchSnapshot(LookupError):
    """There is no snapshot of this name."""


class DamagedSnapshot(RuntimeError):
    """A snapshot's rows differ from the frozen ones; the message names it."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two snapshots compared: how many rows are alike, and what differs, by article and position."""

    alike: int
    relabelled: int
    added: int
    removed: int
    differences: list[dict[str, Any]]


def clean_snapshot_name(name: str) -> str:
    """The name with single spaces. Raises ValueError for one that could not be a file's name too."""
    tidy = " ".join(name.split())
    if not re.fullmatch(rf"\w[\w .()+-]{{0,{MOST_CHARACTERS - 1}}}", tidy):
        raise ValueError(
            f"{tidy[:80]!r} cannot be a snapshot's name: 1 to {MOST_CHARACTERS} letters, digits, spaces and . ( ) + -"
        )
    return tidy


def freeze(name: str, rule: str, annotator: str | None = None) -> GoldSnapshot:
    """Freezes the gold as of now under this name and by this rule; for the rule single, of this annotator.

    Raises ValueError for a name that is unusable or taken, for an unknown rule or annotator, and where the rule makes
    no row.
    """
    tidy, basis = clean_snapshot_name(name), Basis(check_rule(rule, annotator), annotator or None)
    with read() as session:  # one snapshot of everything; freezing takes seconds, in which reviewers go on writing
        demand(session, Right.GOLD)
        _check_free(session, tidy)
        if annotator and db.review.verdicts.find_annotator(session, annotator) is None:
            raise ValueError(f"no annotator named {annotator} has said anything")
        events = db.review.verdicts.last_events(session)
        basis = replace(basis, until_verdict=events["until_verdict"], until_reading=events["until_reading"])
        columns = _columns(session, tidy, basis)
    with write(Right.GOLD) as session:
        _check_free(session, tidy)
        row = db.rows.add(session, GoldSnapshot(**columns))
        summary = f"froze the gold as {tidy}: {count_of(columns['manifest']['rows'], 'row')} by the rule {basis.rule}"
        note(session, Noted.SNAPSHOT, summary, snapshot=tidy, sha256=row.sha256)
        return row


def _check_free(session: Session, name: str) -> None:
    if any(row.name.casefold() == name.casefold() for row in db.gold.snapshots(session)):
        raise ValueError(f"there is a snapshot {name} already; snapshots never change, so choose another name")


def _columns(session: Session, name: str, basis: Basis) -> dict[str, Any]:
    sentences = judged(session, basis)
    rows = list(rows_of(session, sentences, basis))
    if not rows:
        raise ValueError(f"there is nothing to freeze: by the rule {basis.rule} no sentence has a label")
    labels = label_set(session, lines_of(sentences), basis).sha256
    lines = as_jsonl(rows, gold_columns(topic_now(session)))
    made = {"created_by": current_actor().name, "created_at": utc_now(), "sha256": hashlib.sha256(lines).hexdigest()}
    until = {"until_verdict": basis.until_verdict, "until_reading": basis.until_reading}
    by = {"rule": str(basis.rule), "annotator": basis.annotator}
    described = {
        "snapshot": name,
        "rule": by["rule"],
        "rule_in_words": basis.rule.words,
        "annotator": by["annotator"],
        **manifest(session, rows, basis, labels),
        "undecided": len(sentences) - len(rows),
        "csv_cells_prefixed": cells_prefixed(rows),
        **until,
        **made,
    }
    content = gzip.compress(lines, mtime=0)
    return {"name": name, "label_set_sha256": labels, "manifest": described, "content": content} | by | until | made


# The columns of rows in which people are named.
NAMING = ("annotators", "verdicts", "read_in_full_by", "comment", "commented_by", "decided_by")


def renamed(row: GoldSnapshot, rename: Callable[[Any], Any]) -> dict[str, Any]:
    """The columns of a snapshot in which a person is called otherwise: its SHA-256 is another one then. Raises
    DamagedSnapshot."""
    rows = _rows(_lines(row))
    found = [one | {name: rename(one[name]) for name in NAMING if name in one} for one in rows]
    if found == rows:
        return {}
    lines = as_jsonl(found, tuple(found[0]))
    digest = {"sha256": hashlib.sha256(lines).hexdigest()}
    return digest | {"content": gzip.compress(lines, mtime=0), "manifest": rename(row.manifest) | digest}


def _named(name: str) -> GoldSnapshot:
    with read() as session:
        row = db.rows.find(session, GoldSnapshot, name=name)
    if row is None:
        raise NoSuchSnapshot(f"there is no snapshot {name}")
    return row


def _lines(row: GoldSnapshot) -> bytes:
    try:
        lines = gzip.decompress(row.content)
    except (OSError, EOFError, zlib.error) as error:
        raise DamagedSnapshot(f"the snapshot {row.name} is damaged: it cannot be unpacked ({error})") from error
    if hashlib.sha256(lines).hexdigest() != row.sha256:
        raise DamagedSnapshot(f"the snapshot {row.name} is damaged: its rows have another SHA-256 than when frozen")
    return lines


def _rows(lines: bytes) -> list[GoldRow]:
    return [json.loads(line) for line in lines.decode().split("\n")[:-1]]


def verify(name: str) -> dict[str, Any]:
    """The manifest, once the rows have been hashed and counted again. Raises DamagedSnapshot where they differ."""
    row = _named(name)
    rows = _rows(_lines(row))
    counted = counts_of(counted_columns(rows), articles=0)
    if wrong := [what for what in COUNTED if row.manifest[what] != counted[what]]:
        raise DamagedSnapshot(f"the snapshot {name} is damaged: its manifest counts other {', '.join(wrong)}")
    return row.manifest


def snapshot_file(name: str, ending: str) -> bytes:
    """The snapshot in one of the formats: the same bytes whenever it is asked for. Raises DamagedSnapshot."""
    lines = _lines(_named(name))
    columns = tuple(json.loads(lines.partition(b"\n")[0]))  # those that there were when it was frozen
    return lines if ending == ".jsonl" else WRITTEN[ending](_rows(lines), columns)


def export_snapshot(path: Path, name: str) -> dict[str, Any]:
    """Writes the snapshot to `path` (by its ending) and its manifest to PATH.manifest.json; returns the manifest.

    Raises ValueError for an unknown ending, NoSuchSnapshot, DamagedSnapshot.
    """
    content = snapshot_file(name, check_ending(path))
    summary = dict(_named(name).manifest)
    write_files(path, content, summary)
    return summary


def compare(before: str, after: str) -> Comparison:
    """What changed from one snapshot to another. Raises NoSuchSnapshot, DamagedSnapshot."""
    rows = [list(_rows(_lines(_named(name)))) for name in (before, after)]
    keyed = all("article" in row for row in chain(*rows))  # not in snapshots of earlier releases
    old, new = ({_place(row, keyed=keyed): row for row in one} for one in rows)
    newest = {**old, **new}
    differences = []
    for place in sorted(newest):
        one, other = old.get(place), new.get(place)
        labels = one["label"] if one else "", other["label"] if other else ""
        if labels[0] != labels[1]:
            change = "relabelled" if one and other else "removed" if one else "added"
            columns = ("sentence", "title", "pmid", "sentence_index")
            differences.append(
                {"change": change, "before": labels[0], "after": labels[1]}
                | {name: newest[place][name] for name in columns}
            )
    counts = Counter(row["change"] for row in differences)
    alike = len(old.keys() & new.keys()) - counts["relabelled"]
    return Comparison(alike, counts["relabelled"], counts["added"], counts["removed"], differences)


def _place(row: GoldRow, *, keyed: bool) -> tuple[str, int, str]:
    """What tells a row from others: the article's key, which stays while it gets identifiers, or what names it."""
    if keyed:
        return row["article"], row["sentence_index"], ""
    identifier = row["pmid"] or row["pmcid"] or row["doi"]
    return identifier or row["title"], row["sentence_index"], "" if identifier else row["sentence"]


def last_trained(session: Session) -> tuple[str, str] | None:
    """(version, label set's hash) of the last training; None before the first."""
    trained = db.registry.fine_tuned(session)
    return (trained[-1].name, trained[-1].trained_on["label_set_sha256"]) if trained else None


def same_labels_as_training(row: GoldSnapshot, trained: tuple[str, str] | None) -> str:
    """The version that was last trained, if exactly the labels of this snapshot made it; else empty."""
    return trained[0] if trained and row.rule == Rule.MAJORITY and row.label_set_sha256 == trained[1] else ""
