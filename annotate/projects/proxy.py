"""What nginx is told of several projects: the file for one, with all their names, and the port of each."""

from collections.abc import Sequence
from urllib.parse import urlsplit

from annotate.project.release import PROGRAM, ROOT
from annotate.projects.project_file import Project

OF_ONE = ROOT / "docs" / "deploy" / "nginx.conf"
NAME = "keyline.example.org"
BEGIN = "map $http_upgrade"


def nginx_of(projects: Sequence[Project]) -> str:
    """The configuration of nginx in front of these projects, each under its name, all under one certificate.

    Raises ValueError for a project without an https:// address on the usual port.
    """
    for project in projects:
        parts = urlsplit(project.address or "")
        if parts.scheme != "https" or parts.port:
            raise ValueError(f"{project.key}: behind nginx a project needs an address such as https://{NAME}")
    first, names = projects[0].host, " ".join(project.host for project in projects)
    ports = "\n".join(f"    {project.host} {project.port};" for project in projects)
    changes = {
        f"server_name {NAME};": f"server_name {names};",
        f"live/{NAME}/": f"live/{first}/",
        "http://127.0.0.1:8501;": "http://127.0.0.1:$keyline_port;",
    }
    return (
        f"# Several projects behind nginx: /etc/nginx/conf.d/keyline.conf, by `{PROGRAM} projects nginx`.\n"
        f"# The certificate is one for all names, {names}.\n\n"
        f"map $host $keyline_port {{\n{ports}\n}}\n\n{_changed(changes)}"
    )


def _changed(changes: dict[str, str]) -> str:
    text = OF_ONE.read_text(encoding="utf-8")
    text = text[text.index(BEGIN) :]
    for old, new in changes.items():
        if old not in text:
            raise RuntimeError(f"{OF_ONE.name} has no {old!r} any more")
        text = text.replace(old, new)
    return text
