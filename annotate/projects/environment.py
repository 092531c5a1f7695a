"""What the app of one project is told: its environment and its arguments, with nothing of another project in them."""

import os
from collections.abc import Mapping, Sequence

from annotate.project import served
from annotate.project.acting import AUTH
from annotate.project.own_database import SQLITE_NAME
from annotate.projects.project_file import Project
from db.engine import Address, postgresql_address

HOME, DATABASE, HTTPS = "KEYLINE_HOME", "DATABASE_URL", "KEYLINE_HTTPS"
# The process that began an app; without it the app ends.
PARENT = "KEYLINE_PARENT"
OF_ONE_PROJECT = (HOME, DATABASE, HTTPS, AUTH, PARENT, served.KEY, served.NAME)


def environment_of(project: Project, projects: Sequence[Project], outer: Mapping[str, str]) -> dict[str, str]:
    """The environment of this project's processes, made from the environment of the person who starts them.

    Left out are the addresses of the others' databases. Raises ValueError where this project's own is missing, or is
    another one's, too.
    """
    named = {each.database_url_from for each in projects if each.database_url_from}
    made = {name: value for name, value in outer.items() if name not in named and name not in OF_ONE_PROJECT}
    made |= {
        HOME: str(project.folder),
        AUTH: str(project.login),
        served.KEY: project.key,
        served.NAME: project.name,
    }
    if project.database_url_from:
        made[DATABASE] = _database_url(project, projects, outer)
    if not project.address:
        made |= {HTTPS: outer[HTTPS]} if HTTPS in outer else {}
    elif project.address.startswith("https:"):
        made[HTTPS] = "1"
    return made


def _database_url(project: Project, projects: Sequence[Project], outer: Mapping[str, str]) -> str:
    name = project.database_url_from or ""
    if not (url := outer.get(name)):
        raise ValueError(f"{project.key}: the environment has no {name}, which is to hold its postgresql:// address")
    for other in projects:
        if other.key != project.key and other.database_url_from and outer.get(other.database_url_from) == url:
            raise ValueError(f"{project.key}: {name} holds the same database as {other.database_url_from}")
    return url


def arguments_of(project: Project, more: Sequence[str] = ()) -> list[str]:
    """The arguments of `streamlit run` for this project's app, after those that are the same for all."""
    hosts = [f"--server.allowedHosts={host}" for host in (project.host, "127.0.0.1")] if project.host else []
    secrets = [f"--secrets.files={project.secrets}"] if project.secrets else []
    return [*more, f"--server.port={project.port}", *hosts, *secrets]


def address_of(project: Project) -> Address:
    """Where the project's database is; it may not be there yet. Raises ValueError as `environment_of`."""
    url = environment_of(project, [project], os.environ).get(DATABASE)
    return postgresql_address(url) if url else project.folder / SQLITE_NAME
