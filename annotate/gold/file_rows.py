"""The rows of a gold file: who gave which verdict, decided or said what, once all in them is known."""

import json
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from annotate.articles.table_files import REPORTED_LINES
from annotate.gold.label_sets import DISPUTED, LABEL_NAMES, resolve
from annotate.project.files.packed_lines import UnreadableFile
from annotate.project.names import Spelling
from annotate.review.events import MAX_COMMENT, clean_comment
from annotate.topics.file import Topic
from annotate.topics.label_columns import labels_by_kind
from db.base import stamp
from db.tables import Verdict
from db.values import Origin, Value

VALUES = (  # tables of pandas hold 1.0 for 1
    dict.fromkeys(("1", "1.0", "true", "yes", "key", "accept"), Value.ACCEPT)
    | dict.fromkeys(("0", "0.0", "false", "no", "reject"), Value.REJECT)
    | dict.fromkeys(("unsure", "disputed"), Value.UNSURE)
)
MANIFEST_SUFFIX = ".manifest.json"
LARGEST_NUMBER = 1_000_000


@dataclass(frozen=True, slots=True)
class FileRow:
    """One row of the file: who gave which verdict, who decided, who said what, who read the whole article."""

    line: int
    cells: dict[str, str]
    verdicts: dict[str, Value]
    decision: tuple[str, Value] | None
    comments: dict[str, str]
    readers: tuple[str, ...]


def readings_next_to(path: Path, spelling: Spelling) -> list[tuple[str, str, int | None]]:
    """(article key, annotator, sentences that the article had) of the articles read in full, from an own manifest next
    to the file; manifests of earlier releases do not tell the last."""
    manifest = path.with_name(path.name + MANIFEST_SUFFIX)
    if not manifest.is_file():
        return []
    try:
        entries = json.loads(manifest.read_bytes())["read_in_full"]
        return [(str(key), spelling.of(name), int(*count) if count else None) for key, name, *count in entries]
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise UnreadableFile(f"{manifest.name}: not a manifest of ours ({error})") from None


def understood(
    path: Path, table: list[tuple[int, dict[str, str]]], annotator: str, spelling: Spelling
) -> list[FileRow]:
    """The rows, once all in them is known, one spelling of each name. Raises UnreadableFile that lists the lines."""
    wrong: list[str] = []
    rows: list[FileRow] = []
    wrote: dict[int, tuple[str, ...]] = {}
    for line, cells in table:
        label = cells.get("label", "1").strip().lower()
        if label not in VALUES:
            wrong.append(f"line {line}: label {label[:20]!r} is none of 1, 0, unsure, disputed")
            continue
        try:
            decider = spelling.of(cells["decided_by"]) if cells.get("decided_by", "").strip() else ""
            verdicts = _verdicts(cells, spelling) or ({} if decider else {annotator: VALUES[label]})
            readers, wrote[line] = (_names(cells, column, spelling) for column in ("read_in_full_by", "commented_by"))
        except ValueError as error:
            wrong.append(f"line {line}: {error}")
            continue
        rows.append(FileRow(line, cells, verdicts, (decider, VALUES[label]) if decider else None, {}, readers))
    if wrong:
        raise UnreadableFile(f"{path.name}: {'; '.join(wrong[:REPORTED_LINES])}")
    # Files of earlier releases do not tell who wrote the remarks: anybody who says something else in them may have.
    known = {name for row in rows for name in (*row.verdicts, *(row.decision or ())[:1], *row.readers)}
    return [replace(row, comments=_comments(row.cells, wrote[row.line], known, annotator, spelling)) for row in rows]


def label_changed(row: FileRow) -> str | None:
    """Why a row is not taken whose verdicts say another label; None for the others, and where somebody decided."""
    given = [value for value in row.verdicts.values() if value is not Value.WITHDRAWN]
    label = row.cells.get("label", "").strip().lower()
    if row.decision or not label or not given or VALUES[label] is VALUES[made := resolve(given)]:
        return None
    return f"the label is {label}, its verdicts say {made}: empty the column verdicts to import the label as your own"


def decision_changed(row: FileRow, decided: Iterable[tuple[str, Verdict]]) -> str | None:
    """Why a row is not taken whose decision, by the same person at the same time, is another one here; else None.

    `decided`: who decided, and what, of the row's sentences.
    """
    name, value = row.decision or ("", None)
    for who, known in decided:
        if value and (who, known.given_at) == (name, time_of(row)) and known.value != value:
            return (
                f"the label is {LABEL_NAMES[value]}, {name} decided {LABEL_NAMES[Value(known.value)]}: "
                "empty the columns decided_by and verdicts to import the label as your own"
            )
    return None


def _names(cells: dict[str, str], column: str, spelling: Spelling) -> tuple[str, ...]:
    return tuple(spelling.of(name) for name in cells.get(column, "").split(";") if name.strip())


def _verdicts(cells: dict[str, str], spelling: Spelling) -> dict[str, Value]:
    """The verdicts of our own export by annotator. Raises ValueError that names the error."""
    found: dict[str, Value] = {}
    for part in filter(str.strip, cells.get("verdicts", "").split(";")):
        given, _, value = part.partition(":")
        try:
            name = spelling.of(given)
            if found.setdefault(name, Value(value.strip())) != value.strip():
                raise ValueError(f"{name} has another verdict before it")
        except ValueError as error:
            raise ValueError(f"verdict {part.strip()[:40]!r}: {error}") from None
    return found


def _comments(
    cells: dict[str, str], wrote: Sequence[str], known: Collection[str], annotator: str, spelling: Spelling
) -> dict[str, str]:
    """Comments by name. In our own export "Anna: text, maybe of several lines" begins with the name of who wrote it.

    `wrote` names these people in the order of their comments, so that a line which quotes a person stays its writer's.
    Where it is empty, the first line of each `known` name counts. What no name precedes is the importing annotator's.
    """
    text = cells.get("comment", "").strip()
    if not text:
        return {}
    if not any(cells.get(column, "").strip() for column in ("verdicts", "decided_by", "commented_by")):
        return {annotator: clean_comment(text[:MAX_COMMENT])}
    lines = [line.partition(": ") for line in text.split("\n")]
    names = [spelling.find(given) if colon else None for given, colon, _ in lines]
    begins = {} if wrote else {names.index(name): name for name in known if name in names}
    before = len(lines)
    for name in reversed(wrote):
        place = max((place for place in range(before) if names[place] == name), default=before)
        if place < before:
            begins[place], before = name, place
    found: dict[str, list[str]] = {}
    current = annotator
    for place, line in enumerate(lines):
        current = begins.get(place, current)
        found.setdefault(current, []).append(line[2] if place in begins else "".join(line))
    return {name: clean_comment("\n".join(theirs)[:MAX_COMMENT]) for name, theirs in found.items()}


def explained(cells: dict[str, str]) -> dict[str, Any]:
    """What the row says of how the sentence came up; None for what it does not say."""
    origin = cells.get("origin", "").strip()
    return {
        "origin": origin if origin in set(Origin) else str(Origin.IMPORTED),
        "rank": number_of(cells.get("rank", ""), int),
        "cosine": number_of(cells.get("cosine", ""), float),
        "ranking": cells.get("ranking") or None,
        "version": cells.get("model_version") or None,
    }


def labels_given(row: FileRow, topic: Topic, name: str | None) -> dict[str, str] | None:
    """The labels in the row's cells, by kind, where this annotator's verdict, or with None the decision, takes them.

    The last verdict that says what the label says takes them, of a disputed sentence the last that says key; where
    there is none, the decision. A sentence that is not key has none of its own.
    """
    label = row.cells.get("label", "1").strip().lower()
    agrees = Value.ACCEPT if label == DISPUTED else VALUES[label]
    takes = next((who for who in reversed(row.verdicts) if row.verdicts[who] is agrees), None)
    named = labels_by_kind(topic, row.cells)
    if name != takes or agrees is Value.REJECT or not any(map(str.strip, named.values())):
        return None
    return dict.fromkeys(topic.keys, "") | named


def number_of(text: str, kind: type[int] | type[float]) -> Any:
    """A number of ordinary size, None for anything else; spreadsheets write 3 as 3.0."""
    try:
        number = float(text)
    except ValueError:
        return None
    return kind(number) if abs(number) < LARGEST_NUMBER else None


def time_of(row: FileRow) -> str:
    """When the verdict was given, as we store times; empty where the row does not say it in ISO 8601."""
    try:
        given = datetime.fromisoformat(row.cells.get("time", "").strip())
        return stamp(given if given.tzinfo else given.replace(tzinfo=UTC))
    except (ValueError, OverflowError):  # no time, or one of the first or the last day that there is
        return ""
