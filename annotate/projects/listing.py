"""Tables for the person who runs several projects: how each stands, and who has which role where."""

import http.client
import json
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

import db.curation
import db.team.people
from annotate.projects.project_file import Project
from annotate.projects.reading import looking_into, members
from db.engine import DATABASE_ERRORS

HEALTH = "/healthz"
PATIENCE_SECONDS = 10
UP, DOWN, NOT_READ = "up", "down", "not readable"


@dataclass(frozen=True, slots=True)
class Standing:
    """A project: whether its app answers, or why it does not do its work; numbers are None where they are not known."""

    key: str
    name: str
    url: str
    state: str
    articles: int | None
    people: int | None


def standing_of(project: Project) -> Standing:
    """How a project stands now. People are those with an account."""
    articles = people = None
    with suppress(*DATABASE_ERRORS, ValueError), looking_into(project) as session:
        if session is not None:
            articles, people = db.curation.count_listed(session), len(db.team.people.accounts(session))
    return Standing(project.key, project.name, project.url, state_of(project), articles, people)


def state_of(project: Project) -> str:
    """UP where the app can do its work, DOWN where none answers, else what it says is wrong."""
    connection = http.client.HTTPConnection("127.0.0.1", project.port, timeout=PATIENCE_SECONDS)
    try:
        connection.request("GET", HEALTH)
        answer = json.load(connection.getresponse())
    except (OSError, http.client.HTTPException, ValueError):
        return DOWN
    finally:
        connection.close()
    status = answer.get("status") if isinstance(answer, dict) else None
    return UP if status == "ok" else str(status or DOWN)


def people_of(projects: Sequence[Project]) -> list[tuple[str, str, str, str]]:
    """(name, key of the project, role, state) of every account, by name; a project that cannot be read says so."""
    rows = []
    for project in projects:
        found = members(project)
        rows += [("", project.key, "", NOT_READ)] if found is None else []
        for member in found or ():
            rows.append((member.name, project.key, member.role, "disabled" if member.disabled else "enabled"))
    return sorted(rows, key=lambda row: (row[0].casefold(), row[1]))
