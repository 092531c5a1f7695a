"""Buttons of gold as files: its rows, their manifest, and whole articles in the formats of other programs."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from annotate.gold.export_file import WRITTEN, note_export
from annotate.gold.formats.export import DOCUMENT_FORMATS, ZIP
from annotate.project.rights import Right
from pages.parts.shared.downloads import CSV, JSON_LINES, File

MEDIA = {
    ".csv": CSV,
    ".xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    ".jsonl": JSON_LINES,
    ".zip": ZIP,
}
Summary = Mapping[str, Any]  # what the history keeps of a file, with who took it out


def table_files(
    stem: str, summary: Summary, make: Callable[[str], bytes], make_manifest: Callable[[], bytes]
) -> list[File]:
    """The rows in each format, which `make` gets as the ending of its file, and the manifest."""
    files = [
        _noted(ending.strip(".").upper(), f"{stem}{ending}", MEDIA[ending], partial(make, ending), summary)
        for ending in WRITTEN
    ]
    return [*files, File("Manifest", f"{stem}.manifest.json", "application/json", Right.GOLD, make_manifest)]


def document_files(stem: str, summary: Summary, make: Callable[[str], bytes]) -> list[File]:
    """Whole articles in each format, which `make` gets by its name."""
    return [
        _noted(form.title, f"{stem}{form.ending}", form.media, partial(make, name), summary)
        for name, form in DOCUMENT_FORMATS.items()
    ]


def _noted(label: str, name: str, media: str, make: Callable[[], bytes], summary: Summary) -> File:
    return File(label, name, media, Right.GOLD, make, note=lambda: note_export(name, dict(summary)))
