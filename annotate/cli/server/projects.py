"""Commands of several projects on one server: run them, see how they stand, add one, do something within one."""

import argparse
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from annotate.cli.frame.common import Commands, Pages, Result
from annotate.project import logs
from annotate.project.acting import Auth
from annotate.project.release import PROGRAM
from annotate.project.whole_files import write_whole
from annotate.projects.environment import environment_of
from annotate.projects.listing import people_of, standing_of
from annotate.projects.project_file import (
    FILE,
    FIRST_PORT,
    Project,
    one_of,
    projects_of,
    read_projects,
    text_with,
)
from annotate.projects.proxy import nginx_of
from annotate.projects.running import Apps, serve
from annotate.topics.file import read_topic, shipped

FROM = "KEYLINE_PROJECTS"
ANNOTATE = (sys.executable, "-m", "annotate")


def _serve(pages: Pages, options: argparse.Namespace) -> Result:
    logs.configure()
    serve(options.file, pages.command_of_app, options.arguments, _tell)
    return {"stopped": True}


def _tell(apps: Apps) -> None:
    for project in apps.projects:
        print(f"{project.name}: {project.url}", flush=True)


def _list(options: argparse.Namespace) -> Result:
    found = [standing_of(project) for project in read_projects(options.file)]
    rows = [[row.key, row.name, row.url, row.state, *_counted(row.articles, row.people)] for row in found]
    return {"projects": rows}


def _counted(articles: int | None, people: int | None) -> list[str]:
    counts = ((articles, "article", "articles"), (people, "person", "people"))
    return [f"{number:,} {one if number == 1 else many}" for number, one, many in counts if number is not None]


def _nginx(options: argparse.Namespace) -> Result:
    text = nginx_of(read_projects(options.file))
    return {"nginx": text, "text": text}


def _run(options: argparse.Namespace) -> Result:
    """Replaces this process by the command: its terminal, its words and its exit code are the command's own."""
    projects = read_projects(options.file)
    environment = environment_of(one_of(projects, options.key), projects, os.environ)
    os.execve(sys.executable, [*ANNOTATE, *options.arguments], environment)


def _add(options: argparse.Namespace) -> Result:
    known = read_projects(options.file) if options.file.exists() else []
    text = text_with(options.file, options.key, _entry(options, known))
    projects = projects_of(text, options.file)
    project = one_of(projects, options.key)
    if options.topic:
        _demand_topic(options.topic)
        _use_topic(options.topic, environment_of(project, projects, os.environ))
    write_whole(options.file, text.encode())
    added = {"added": project.key, "folder": str(project.folder), "address": project.url, "login": str(project.login)}
    first = f"{PROGRAM} projects run {project.key} people add NAME --role admin"
    return added | ({"next": first} if project.login is Auth.LOCAL else {})


def _entry(options: argparse.Namespace, known: Sequence[Project]) -> dict[str, Any]:
    login = options.login or (
        Auth.LOCAL if options.address or any(each.login is not Auth.OFF for each in known) else Auth.OFF
    )
    given = {
        "name": options.name or options.key,
        "folder": str(options.folder.resolve()) if options.folder else options.key,
        "port": options.port or max((each.port for each in known), default=FIRST_PORT - 1) + 1,
        "login": str(login),
        "address": options.address,
        "database_url_from": options.database_url_from,
        "secrets": str(options.secrets.resolve()) if options.secrets else None,
    }
    return {field: value for field, value in given.items() if value is not None}


def _demand_topic(topic: str) -> None:
    """Raises ValueError or OSError for one that is neither shipped nor a sound file, before anything is made."""
    path = Path(topic)
    if path.suffix in (".yaml", ".yml") or path.is_file():
        read_topic(path.read_text(encoding="utf-8"), path.name)
    else:
        shipped(topic)


def _use_topic(topic: str, environment: Mapping[str, str]) -> None:
    command = [*ANNOTATE, "topic", "use", topic]
    done = subprocess.run(
        command, env=environment, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True, check=False
    )
    if done.returncode:
        raise ValueError(
            f"the topic cannot be used, and no project was added: {done.stderr.strip().removeprefix('error: ')}"
        )


def add_commands(commands: Commands) -> None:
    """Registers the commands of `projects` with the parser."""
    group = commands.group("projects")
    about = "Run the app of each project until told to end, and start an app again when it ends."
    running = commands.add("serve", partial(_serve, commands.pages), about, group)
    running.add_argument("arguments", nargs="*", metavar="ARGUMENT", help="of streamlit run, for all apps, after --")
    listing = commands.add(
        "list", _list, "Each project: its address, whether it is up, its articles and people.", group
    )
    people = commands.add(
        "people",
        lambda options: {"people": [list(row) for row in people_of(read_projects(options.file))]},
        "Who has which role in which project.",
        group,
    )
    proxy = commands.add("nginx", _nginx, "Print the configuration of nginx for all of them.", group)
    within = commands.add("run", _run, "Run a command within one project.", group)
    within.add_argument("key", metavar="PROJECT")
    within.add_argument("arguments", nargs=argparse.REMAINDER, metavar="COMMAND", help="such as: people list")
    adding = commands.add("add", _add, "Add a project to the file, with the topic that it looks for.", group)
    _add_options(adding)
    for parser in (running, listing, people, proxy, within, adding):
        parser.add_argument(
            "--file",
            type=Path,
            default=Path(os.environ.get(FROM, FILE)),
            help=f"the file of the projects; default: the value of {FROM}, else {FILE}",
        )


def _add_options(adding: argparse.ArgumentParser) -> None:
    adding.add_argument("key", metavar="PROJECT", help="a short word that tells it from the others: a-z, 0-9 and -")
    adding.add_argument("--name", help="what people call it; the short word without it")
    adding.add_argument("--folder", type=Path, help="its data folder; default: named by the word, next to the file")
    adding.add_argument(
        "--port", type=int, help="where its app listens; the next one that is free in the file without it"
    )
    adding.add_argument("--login", choices=list(map(str, Auth)), help="how people log in there")
    adding.add_argument("--address", metavar="URL", help="under which browsers find it: https:// and a name of its own")
    adding.add_argument("--database-url-from", metavar="VARIABLE", help="the variable that holds its postgresql:// URL")
    adding.add_argument("--secrets", type=Path, metavar="FILE", help="of its identity provider, for oidc")
    adding.add_argument("--topic", help="a shipped topic, or a file")
