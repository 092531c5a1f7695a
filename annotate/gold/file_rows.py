"""The rows of a gold file as they are understood: every label, verdict, name and time in them checked."""

import json
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from annotate.articles.table_files import REPORTED_LINES, BadTable
from annotate.project.names import clean_name
from annotate.review.events import MAX_COMMENT
from annotate.topics.file import Topic
from annotate.topics.label_columns import labels_by_kind
from db.base import stamp
from db.values import Origin, Value

VALUES = {
    "1": Value.ACCEPT, "true": Value.ACCEPT, "yes": Value.ACCEPT, "key": Value.ACCEPT, "accept": Value.ACCEPT,
    "0": Value.REJECT, "false": Value.REJECT, "no": Value.REJECT, "reject": Value.REJECT,
    "unsure": Value.UNSURE, "disputed": Value.UNSURE,
}  # fmt: skip
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


def readings_beside(path: Path) -> list[tuple[str, str]]:
    """(article key, annotator) of the articles read in full, from an own manifest next to the file."""
    manifest = path.with_name(path.name + MANIFEST_SUFFIX)
    if not manifest.is_file():
        return []
    try:
        return [(str(key), clean_name(name)) for key, name in json.loads(manifest.read_bytes())["read_in_full"]]
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise BadTable(f"{manifest.name}: not a manifest of ours ({error})") from None


def understood(path: Path, table: list[tuple[int, dict[str, str]]], annotator: str) -> list[FileRow]:
    """The rows, once every label, verdict and name in them is a known one. Raises BadTable that lists the lines."""
    wrong: list[str] = []
    given: list[tuple[int, dict[str, str], dict[str, Value], str, list[str]]] = []
    for line, cells in table:
        label = cells.get("label", "1").strip().lower()
        if label not in VALUES:
            wrong.append(f"line {line}: label {label[:20]!r} is none of 1, 0, unsure, disputed")
            continue
        try:
            decider = clean_name(cells["decided_by"]) if cells.get("decided_by", "").strip() else ""
            verdicts = dict(_verdict_pairs(cells)) or ({} if decider else {annotator: VALUES[label]})
            readers = [clean_name(name) for name in cells.get("read_in_full_by", "").split(";") if name.strip()]
        except ValueError as error:
            wrong.append(f"line {line}: {error}")
            continue
        given.append((line, cells, verdicts, decider, readers))
    if wrong:
        raise BadTable(f"{path.name}: {'; '.join(wrong[:REPORTED_LINES])}")
    names = {name for _, _, verdicts, decider, readers in given for name in (*verdicts, decider, *readers)}
    return [
        FileRow(
            line,
            cells,
            verdicts,
            (decider, VALUES[cells.get("label", "1").strip().lower()]) if decider else None,
            _comments(cells, names, annotator),
            tuple(readers),
        )
        for line, cells, verdicts, decider, readers in given
    ]


def _verdict_pairs(cells: dict[str, str]) -> Iterator[tuple[str, Value]]:
    """The annotators and verdicts of our own export. Raises ValueError that names the error."""
    for part in filter(str.strip, cells.get("verdicts", "").split(";")):
        name, _, value = part.partition(":")
        try:
            yield clean_name(name), Value(value.strip())
        except ValueError as error:
            raise ValueError(f"verdict {part.strip()[:40]!r}: {error}") from None


def _comments(cells: dict[str, str], names: Collection[str], annotator: str) -> dict[str, str]:
    """Comments by name. In our own export "Anna: text, maybe of several lines" begins with a name of the file.

    What no name precedes is the importing annotator's.
    """
    text = cells.get("comment", "").strip()
    if not text:
        return {}
    if not cells.get("verdicts", "").strip():
        return {annotator: text[:MAX_COMMENT]}
    found: dict[str, list[str]] = {}
    current = annotator
    for line in text.split("\n"):
        name, colon, rest = line.partition(": ")
        named = bool(colon) and name in names and name not in found
        current = name if named else current
        found.setdefault(current, []).append(rest if named else line)
    return {name: "\n".join(lines).strip()[:MAX_COMMENT] for name, lines in found.items()}


def explained(cells: dict[str, str], topic: Topic) -> dict[str, Any]:
    """What the row says of how the sentence came up, and what it is about; None for what it does not say."""
    origin = cells.get("origin", "").strip()
    named = labels_by_kind(topic, cells)
    return {
        "origin": origin if origin in set(Origin) else str(Origin.IMPORTED),
        "rank": number_of(cells.get("rank", ""), int),
        "cosine": number_of(cells.get("cosine", ""), float),
        "ranking": cells.get("ranking") or None,
        "version": cells.get("model_version") or None,
        "labels": dict.fromkeys(topic.keys, "") | named if any(map(str.strip, named.values())) else None,
    }


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
    except ValueError:
        return ""
    aware = given if given.tzinfo else given.replace(tzinfo=UTC)
    return stamp(aware)
