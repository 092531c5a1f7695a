"""The notebook: docs/measurements/TOPIC.json holds what was measured, and this writes each as a page of tables.

    python -m tests.measure.notebook            # writes docs/measurements/TOPIC.md for each TOPIC.json
    python -m tests.measure.notebook --check    # writes nothing; exit code 1 where a page is not what its JSON says

A file is {"title": ..., "about": ..., "records": [...]}. A record has an `id` (a page of the manual links to it), a
`title`, `when` (year and month), `on` (data, n, what was tuned on what), `command`, `machine`, `figures` and a `note`.
A figure has a `name`, a `value` (text, as it was printed) and `of` (which measure). What is not known is left out.
"""

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from tests.support.paths import ROOT

FOLDER = ROOT / "docs" / "measurements"
FIELDS = {"when": "When", "on": "On", "command": "Command", "machine": "Machine"}


def topics() -> list[Path]:
    """The files of the notebook, by name."""
    return sorted(FOLDER.glob("*.json"))


def page(topic: dict[str, Any]) -> str:
    """The Markdown of a topic, a chapter a record, which is headed by its id."""
    parts = [f"# {topic['title']}", topic["about"]]
    for record in topic["records"]:
        parts += [f"## {record['id']}", f"**{record['title']}**"]
        told = [f"- {word}: {_said(field, record[field])}" for field, word in FIELDS.items() if record.get(field)]
        parts += ["\n".join(told)] if told else []
        parts += [_table(record["figures"])] if record["figures"] else []
        parts += [record["note"]] if record.get("note") else []
    return "\n\n".join(parts) + "\n"


def _said(field: str, text: str) -> str:
    return f"`{text}`" if field == "command" else text


def _table(figures: list[dict[str, str]]) -> str:
    """Names down, measures across."""
    heads = list(dict.fromkeys(figure.get("of", "") for figure in figures))
    rows: dict[str, dict[str, str]] = {}
    for figure in figures:
        cells = rows.setdefault(figure["name"], {})
        if figure.get("of", "") in cells:
            raise ValueError(f"two figures are called {figure['name']!r} of {figure.get('of')!r}")
        cells[figure.get("of", "")] = figure["value"]
    lines = [["", *heads], ["---"] * (len(heads) + 1)]
    lines += [[name, *(cells.get(head, "") for head in heads)] for name, cells in rows.items()]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def main() -> int:
    """Writes or checks the pages; tells which were not as their JSON says."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="write nothing, exit with 1 where a page is out of date")
    arguments = parser.parse_args()
    stale = []
    for path in topics():
        written, now = path.with_suffix(".md"), page(json.loads(path.read_text()))
        if not written.exists() or written.read_text() != now:
            stale.append(written.name)
            if not arguments.check:
                written.write_text(now)
    print("\n".join(stale) or "all pages are as their JSON says")
    return 1 if stale and arguments.check else 0


if __name__ == "__main__":
    sys.exit(main())
