"""The other projects that the people of one may go on to: worked out for all projects together, read by each app.

An app opens no database but its own, so the list lies in its data folder. Of another project it holds the name, the
address, and the ids of this app's accounts that may see it.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass

from annotate.project.acting import Actor, Auth
from annotate.project.home import home
from annotate.project.whole_files import write_whole
from annotate.projects.project_file import Project
from annotate.projects.reading import Member, members

FILE = "other_projects.json"


@dataclass(frozen=True, slots=True)
class Neighbour:
    """Another project: its name, and its address, or the port where it has the host's name in common with this one.

    `seen_by` are the accounts, here, of those who may know of it; None: everybody who is let in here.
    """

    name: str
    address: str | None
    port: int
    seen_by: tuple[int, ...] | None = None


class Neighbours:
    """Keeps the lists of all projects true. What could not be read counts as it was read last."""

    def __init__(self) -> None:
        self._members: dict[str, list[Member]] = {}
        self._written: dict[str, str] = {}

    def tell(self, projects: Sequence[Project]) -> None:
        """Writes the list of each project whose data folder is there, where it is another than before."""
        for project in projects:
            if (found := members(project)) is not None:
                self._members[project.key] = found
        for project in projects:
            others = [each for each in projects if each.key != project.key]
            text = json.dumps([asdict(each) for each in seen_from(project, others, self._members)], ensure_ascii=False)
            if project.folder.is_dir() and text != self._written.get(project.key):
                write_whole(project.folder / FILE, text.encode())
                self._written[project.key] = text


def seen_from(here: Project, others: Sequence[Project], found: Mapping[str, Sequence[Member]]) -> list[Neighbour]:
    """What the people of a project may know of the others.

    A project without login is open to all who reach the server, and so is its name. One with logins is known to
    those who have an account there, too; never where there are no logins.
    """
    seen = []
    for other in others:
        if not other.listed:
            continue
        if other.login is Auth.OFF:
            seen.append(Neighbour(other.name, other.address, other.port))
        elif here.login is not Auth.OFF and (known := _in_both(found.get(here.key, ()), found.get(other.key, ()))):
            seen.append(Neighbour(other.name, other.address, other.port, known))
    return seen


def _in_both(here: Sequence[Member], there: Sequence[Member]) -> tuple[int, ...]:
    enabled = [member for member in there if not member.disabled]
    return tuple(one.account_id for one in here if not one.disabled and any(one.is_also(other) for other in enabled))


def neighbours_of(actor: Actor) -> list[Neighbour]:
    """The other projects of this server that somebody who is let in here may know of; none without such a list."""
    try:
        entries = [Neighbour(**entry) for entry in json.loads((home() / FILE).read_text(encoding="utf-8"))]
    except (OSError, ValueError, TypeError):  # not run with others, or a list of another release
        return []
    return [entry for entry in entries if entry.seen_by is None or actor.account_id in entry.seen_by]
