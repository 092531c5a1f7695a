"""The file of the projects of one server: its form, and its errors, with line, field and reason."""

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import urlsplit

import yaml
from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints, ValidationError

from annotate.project.acting import Auth
from annotate.project.files.characters import text_of
from annotate.project.files.plain_yaml import BadYaml, demand_once, read_yaml
from annotate.project.names import name_key
from annotate.project.release import PROGRAM

FILE = "projects.yaml"
FIRST_PORT = 8501
USUAL_PORTS = {"http": 80, "https": 443}
TOP = "projects"
BEGINNING = f"# The projects of this server; `{PROGRAM} projects serve` runs them.\n{TOP}:\n"
Place = tuple[str | int, ...]


class BadProjects(ValueError):
    """A file of projects that cannot be one; the message names the file, the line, the field and the reason."""


def _printable(name: str) -> str:
    if not name.isprintable():
        raise ValueError("holds a character that cannot be shown")
    return name


def _site(written: str) -> str:
    parts = urlsplit(written)
    more = parts.path.strip("/") or parts.query or parts.fragment or parts.username
    if parts.scheme not in ("http", "https") or not parts.hostname or more:
        raise ValueError("must be http:// or https:// and the name of a host, with nothing behind it but a port")
    port = "" if parts.port in (None, USUAL_PORTS[parts.scheme]) else f":{parts.port}"
    return f"{parts.scheme}://{parts.hostname}{port}"


def _key(written: str) -> str:
    if not re.fullmatch(r"[a-z][a-z0-9-]{0,29}", written):
        raise ValueError("is no short word: a letter of a-z, then up to 29 of a-z, 0-9 and -")
    return written


def _variable(written: str) -> str:
    if not re.fullmatch(r"[A-Z][A-Z0-9_]*", written):
        raise ValueError("must name a variable, such as HEART_DATABASE_URL, that holds the address")
    return written


Key = Annotated[str, AfterValidator(_key)]


class Entry(BaseModel):
    """A project as the file has it. Passwords stand in the environment: `database_url_from` names the variable."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: Annotated[
        str, StringConstraints(strip_whitespace=True, min_length=1, max_length=60), AfterValidator(_printable)
    ]
    folder: Path
    port: int = Field(ge=1024, le=65535)
    # YAML reads a bare off as false.
    login: Annotated[Auth, BeforeValidator(lambda written: "off" if written is False else written)]
    address: Annotated[str, AfterValidator(_site)] | None = None
    database_url_from: Annotated[str, AfterValidator(_variable)] | None = None
    secrets: Path | None = None
    listed: bool = True

    @property
    def host(self) -> str:
        """The name under which browsers ask for it; empty where it has none of its own."""
        return urlsplit(self.address).hostname or "" if self.address else ""


class Project(Entry):
    """A project of the file, with its key and with paths from the root."""

    key: Key

    @property
    def url(self) -> str:
        """Where a browser on this machine finds it, or any browser where it has an address of its own."""
        return self.address or f"http://127.0.0.1:{self.port}"


class _Form(BaseModel):
    model_config = ConfigDict(extra="forbid")

    projects: dict[Key, Entry] = Field(min_length=1)


def read_projects(path: Path) -> list[Project]:
    """The projects of a file, in its order; relative paths begin at its folder. Raises BadProjects."""
    return projects_of(_text_of(path), path)


def _text_of(path: Path) -> str:
    try:
        return text_of(path)
    except OSError as error:
        raise BadProjects(f"{path}: {error.strerror}; `{PROGRAM} projects add` makes it") from None
    except ValueError as error:
        raise BadProjects(str(error)) from None


def projects_of(text: str, path: Path) -> list[Project]:
    """The projects of a text that stands, or is to stand, at this path. Raises BadProjects that names the line."""
    tree, content = _loaded(text, path)
    try:
        form = _Form.model_validate(content)
    except ValidationError as error:
        first = error.errors()[0]
        place = tuple(part for part in first["loc"] if part != "[key]")
        raise _wrong(path, tree, place, str(first["msg"]).removeprefix("Value error, ")) from None
    below = path.resolve().parent
    found = []
    for key, entry in form.projects.items():
        given = {"folder": entry.folder, "secrets": entry.secrets}
        paths = {name: (below / own.expanduser()).resolve() for name, own in given.items() if own}
        found.append(Project(key=key, **entry.model_dump() | paths))
    for key, field, reason in _problems(found):
        raise _wrong(path, tree, (TOP, key, field), reason)
    return found


def _loaded(text: str, path: Path) -> tuple[yaml.Node, Any]:
    try:
        content = read_yaml(text)
        demand_once(text)
    except BadYaml as error:
        raise BadProjects(f"{path.name}: {error}") from None
    tree = yaml.compose(text, yaml.CSafeLoader)  # once more, with the lines
    if not isinstance(tree, yaml.MappingNode):
        raise BadProjects(f"{path.name}: must begin with `{TOP}:` and the projects below it")
    return tree, content


def _wrong(path: Path, tree: yaml.Node, place: Place, reason: str) -> BadProjects:
    field = ".".join(map(str, place[1:] or place))
    return BadProjects(f"{path.name}: line {_line_of(tree, place)}: {field}: {reason[:1].lower()}{reason[1:]}")


def _line_of(tree: yaml.Node, place: Place) -> int:
    """The line, from 1, of the deepest part of a place that is there."""
    line = tree.start_mark.line + 1
    for part in place:
        below = {name.value: (name, value) for name, value in tree.value} if isinstance(tree, yaml.MappingNode) else {}
        if part not in below:
            break
        name, tree = below[part]
        line = name.start_mark.line + 1
    return line


def _problems(projects: Sequence[Project]) -> Iterator[tuple[str, str, str]]:
    """(key, field, reason) of what only shows between fields, or between projects."""
    for number, project in enumerate(projects):
        yield from ((project.key, *problem) for problem in _problems_within(project))
        for other in projects[:number]:
            yield from ((project.key, field, f"is used by {other.key}, too") for field in _shared(project, other))
            if (project.address is None) != (other.address is None):
                yield project.key, "address", "must stand at each project, or at none"


def _problems_within(project: Project) -> Iterator[tuple[str, str]]:
    # Whether a browser takes the name for the machine that it runs on.
    is_here = project.host in ("localhost", "127.0.0.1", "::1") or (project.host or "").endswith(".localhost")
    if project.login is Auth.OFF and project.host and not is_here:
        yield "login", f"is off, and all who reach {project.address} would be let in: local or oidc"
    if project.login is Auth.OIDC and not (project.address and project.secrets):
        yield "login", "is oidc, which needs an address of its own, and secrets: the file with its redirect_uri"


def _shared(one: Project, other: Project) -> Iterator[str]:
    """The fields in which two projects must differ and do not."""
    if name_key(one.name) == name_key(other.name):
        yield "name"
    if one.port == other.port:
        yield "port"
    if one.folder.is_relative_to(other.folder) or other.folder.is_relative_to(one.folder):
        yield "folder"
    if one.database_url_from and one.database_url_from == other.database_url_from:
        yield "database_url_from"
    # Cookies know no ports: what an identity provider's login leaves would be one for both.
    one_login = one.host == other.host and Auth.OIDC in (one.login, other.login)
    if one.address and (one.address == other.address or one_login):
        yield "address"


def text_with(path: Path, key: str, entry: Mapping[str, Any]) -> str:
    """The text of the file with one more project at its end; all that stood there stays as it was.

    Raises BadProjects where the two together cannot be one, or where nothing can be put behind what is there.
    """
    text = _text_of(path) if path.exists() else BEGINNING
    lines = yaml.safe_dump({key: dict(entry)}, sort_keys=False, allow_unicode=True).splitlines()
    block = "".join(f"  {line}\n" for line in lines)
    made = text + ("" if text.endswith("\n") else "\n") + block
    before = [project.key for project in read_projects(path)] if path.exists() else []
    if key in before:
        raise BadProjects(f"{path.name}: there is a project {key} already")
    try:
        after = [project.key for project in projects_of(made, path)]
    except BadProjects as error:
        raise BadProjects(f"{error}. Nothing was changed; these lines were to be added:\n{block}") from None
    if after != [*before, key]:
        raise BadProjects(f"{path.name}: `{TOP}:` is not its last part. Put these lines there yourself:\n{block}")
    return made


def one_of(projects: Sequence[Project], key: str) -> Project:
    """The project of this key. Raises LookupError, which names all."""
    found = next((project for project in projects if project.key == key), None)
    if found is None:
        raise LookupError(f"no project {key!r}; there are {', '.join(project.key for project in projects)}")
    return found
