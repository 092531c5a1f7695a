"""How far a webhook is: a small file in the data folder, written whole after each event that was taken."""

import json
from contextlib import AbstractContextManager, suppress
from dataclasses import asdict, field
from typing import Any

from pydantic.dataclasses import dataclass

from annotate.project.home import folder, home
from annotate.project.whole_files import locked, write_whole

FOLDER, FILE = "webhook", "progress.json"


@dataclass(slots=True)
class Progress:
    """By branch the last row that was looked at, and of rows that end later those that have not been told of.

    `failures` in a row; `next_try`, `last_good` and `last_bad` are times (ISO 8601, UTC), `problem` the last reason.
    """

    after: dict[str, int] = field(default_factory=dict)
    open: dict[str, list[int]] = field(default_factory=dict)
    sent: int = 0
    failures: int = 0
    next_try: str = ""
    last_good: str = ""
    last_bad: str = ""
    problem: str = ""


def load() -> Progress | None:
    """The kept progress; None where there is none, or a damaged file: it starts again from now on."""
    try:
        stored: dict[str, Any] = json.loads((home() / FOLDER / FILE).read_bytes())
        return Progress(**stored)
    except (OSError, ValueError, TypeError):
        return None


def keep(progress: Progress) -> None:
    """On disk when it returns."""
    write_whole(folder(FOLDER) / FILE, json.dumps(asdict(progress)).encode())


def forget() -> None:
    """Deletes the kept progress of a webhook that is no more."""
    with suppress(FileNotFoundError):
        (home() / FOLDER / FILE).unlink()


def sending_lock() -> AbstractContextManager[bool]:
    """Held by the one process that sends; gives False, without waiting, where another one holds it."""
    return locked(folder(FOLDER), given_up=lambda: True)
