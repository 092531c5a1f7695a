"""A folder whose new files are imported by themselves, each once: imported files stand in the rows of its imports.

A file is new until an import of it was asked for, at the size and time of change that it had. It is taken once two
looks have found it the same: one that is still being written waits. A file that is changed later is new again. Where
an import fails as a whole, its files are asked for again after a while.
"""

import re
import stat
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from sqlalchemy.orm import Session

import db.jobs
from annotate.articles.parsing import find_files
from annotate.articles.parsing.seen_files import sign_of, version_of
from annotate.jobs import lifecycle
from annotate.project.home import home, read
from annotate.project.rights import Right
from annotate.project.stored_settings import StoredSettings, settings_now
from db.base import stamp
from db.values import JobState
from model.checked_settings import checked

KIND = "import"
# In one import: the others come with the next one.
MOST_FILES = 1_000
# An import may fail as a whole (a full disk, a database that was away). It is tried again after a while, this number of
# times at most, and in small parts: where one file is the reason, few others fail with it.
TRIES = 3
PAUSE = timedelta(minutes=30)
MOST_AGAIN = 20
Signs = dict[str, str]
# What stands for a byte of a file's name that is not UTF-8.
_NO_UNICODE = re.compile("[\ud800-\udfff]")


@checked
class WatchSettings(StoredSettings):
    """The folder of the machine that runs Keyline that is watched; none where it is empty."""

    NAME = "watched_folder"
    RIGHT = Right.OPERATE

    folder: str = ""


def refuse_own_data(folder: Path) -> None:
    """Raises ValueError for a folder that holds Keyline's own data or lies in it: what it writes is no article."""
    own, other = home().resolve(), folder.resolve()
    if own.is_relative_to(other) or other.is_relative_to(own):
        raise ValueError(f"the folder {folder} is one with Keyline's own data: watch another one")


@dataclass(frozen=True, slots=True)
class Asked:
    """The files of a folder that imports have been asked for, each as it was then; which of them are due once more,
    and whether others may become so with time."""

    signs: Signs
    due: Signs
    may_change: bool


class FolderWatch:
    """Looks at one folder again and again. Raises ValueError for one that `refuse_own_data` names."""

    def __init__(self, folder: Path) -> None:
        refuse_own_data(folder)
        self.folder = folder.resolve()
        self._before: Signs = {}
        self._asked = Asked({}, {}, may_change=False)

    def look(self, now: datetime | None = None) -> dict[str, Any] | None:
        """What the next import is asked for; None where no new file has settled. FileNotFoundError without a folder."""
        found = _signs(self.folder)
        settled = {path: version_of(sign) for path, sign in found.items() if self._before.get(path) == sign}
        self._before = found
        if self._asked.may_change or _news(settled, self._asked.signs):
            with read() as session:
                self._asked = asked_for(session, self.folder, now or datetime.now(UTC))
        new = list(_news(settled, self._asked.signs).items())[:MOST_FILES]
        again = [each for each in self._asked.due.items() if settled.get(each[0]) == each[1]][:MOST_AGAIN]
        signs = {path: found[path] for path, _ in new or again}
        return {"paths": list(signs), "recognise": True, "watched": str(self.folder), "signs": signs} if signs else None


def asked_for(session: Session, folder: Path, now: datetime) -> Asked:
    """What imports of a folder have been asked for until now."""
    ended: dict[tuple[str, str], str | None] = {}  # when its last import failed; None where it did not
    failures: Counter[tuple[str, str]] = Counter()
    signs: Signs = {}
    active = False
    for payload, state, finished_at in db.jobs.payloads_with(session, KIND, "watched", str(folder)):
        active = active or state in db.jobs.ACTIVE
        asked = {path: version_of(sign) for path, sign in payload.get("signs", {}).items()}
        signs |= asked
        for file in asked.items():
            ended[file] = finished_at if state == JobState.FAILED else None
            failures[file] += state == JobState.FAILED
    waiting = {file: at for file, at in ended.items() if at is not None and failures[file] < TRIES}
    due = dict(file for file, at in waiting.items() if at <= stamp(now - PAUSE))
    return Asked(signs, due, may_change=active or bool(waiting))


def _news(settled: Mapping[str, str], known: Mapping[str, str]) -> Signs:
    return {path: sign for path, sign in settled.items() if known.get(path) != sign}


def _signs(folder: Path) -> Signs:
    if not folder.is_dir():
        raise FileNotFoundError(f"the watched folder {folder} is not there")
    found: Signs = {}
    for path in find_files([folder]):
        try:
            status = path.lstat()
        except OSError:  # it went meanwhile
            continue
        # No links: a person who may write here could choose a file elsewhere. No names that PostgreSQL cannot hold.
        if stat.S_ISREG(status.st_mode) and not _NO_UNICODE.search(str(path)):
            found[str(path)] = sign_of(status)
    return found


_watch: FolderWatch | None = None


def tick(_: datetime | None = None) -> int | None:
    """Begins an import of the new files in the folder that the settings name; returns the job's id, else None."""
    global _watch  # noqa: PLW0603 (what the look before has found: one folder, one app)
    with read() as session:
        named = settings_now(session, WatchSettings).folder
    if not named:
        _watch = None
        return None
    if _watch is None or _watch.folder != Path(named).resolve():
        _watch = FolderWatch(Path(named))
    payload = _watch.look()
    # It proposes as the Import page does; where an import runs the next round asks again.
    return lifecycle.start_if_none_runs(KIND, payload | {"propose": True}) if payload else None
