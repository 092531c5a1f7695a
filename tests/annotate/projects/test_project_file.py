"""What may stand in the file of projects: each mistake is told with its line, field and reason."""

from pathlib import Path
from typing import Any

import pytest

from annotate.project.acting import Auth
from annotate.projects.project_file import BadProjects, one_of, projects_of, read_projects, text_with
from tests.support.projects import projects, written

SITE = {"address": "https://crispr.example.org"}
OIDC = {"login": "oidc", "secrets": "secrets.toml"}
TEXT = """# ours
projects:
  crispr:
    name: CRISPR screens
    folder: crispr  # on the fast disk
    port: 8601
    login: off
"""


def test_a_file_is_read_with_its_paths_from_its_own_folder(tmp_path: Path) -> None:
    (crispr,) = projects_of(TEXT, tmp_path / "projects.yaml")
    assert (crispr.key, crispr.name, crispr.port, crispr.login) == ("crispr", "CRISPR screens", 8601, Auth.OFF)
    assert crispr.folder == tmp_path / "crispr" and crispr.url == "http://127.0.0.1:8601" and crispr.listed
    named = projects(tmp_path, crispr=SITE | OIDC, trials={"address": "https://Trials.example.org:443/"})
    assert [project.url for project in named] == ["https://crispr.example.org", "https://trials.example.org"]
    assert named[0].secrets == tmp_path / "secrets.toml" and named[1].host == "trials.example.org"


@pytest.mark.parametrize(
    ("change", "line", "told"),
    [
        (("port: 8601", "port: 80"), 6, "crispr.port: input should be greater than or equal to 1024"),
        (("login: off", "login: none"), 7, "crispr.login: input should be 'off', 'local' or 'oidc'"),
        (("    login: off\n", ""), 3, "crispr.login: field required"),
        (("port", "prot"), 3, "crispr.port: field required"),
        (("login: off", "login: off\n    password: x"), 8, "crispr.password: extra inputs are not permitted"),
        (("login: off", "login: off\n    login: local"), 8, "login stands twice"),
        (("  crispr:", "  Crispr X:"), 3, "Crispr X: is no short word"),
        (("login: off", "login: off\n    address: http://x/y"), 8, "crispr.address: must be http:// or https://"),
        (("login: off", "login: off\n    address: ftp://x"), 8, "crispr.address: must be http:// or https://"),
        (("login: off", "login: off\n    address: https://x.org"), 7, "crispr.login: is off, and all who reach"),
        (("login: off", "login: oidc"), 7, "crispr.login: is oidc, which needs an address"),
        (("login: off", "login: off\n    database_url_from: postgresql://x"), 8, "crispr.database_url_from: must name"),
        (("name: CRISPR screens", "name: ''"), 4, "crispr.name: string should have at least 1 character"),
        (("name: CRISPR screens", 'name: "a\\u200bb"'), 4, "crispr.name: holds a character that cannot be shown"),
        (("name: CRISPR", "name: [CRISPR"), 5, "no YAML"),
    ],
)
def test_what_is_wrong_is_told_with_its_line(tmp_path: Path, change: tuple[str, str], line: int, told: str) -> None:
    assert change[0] in TEXT
    with pytest.raises(BadProjects) as wrong:
        projects_of(TEXT.replace(*change), tmp_path / "projects.yaml")
    assert str(wrong.value).startswith(f"projects.yaml: line {line}: {told}")


@pytest.mark.parametrize("text", ["", "- crispr", "projects: {}", "projects:", "other: 1", "projects:\n  a: 5"])
def test_what_holds_no_projects_is_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(BadProjects, match=r"^projects\.yaml: "):
        projects_of(text, tmp_path / "projects.yaml")


def test_a_file_that_is_not_there_or_no_text_is_named(tmp_path: Path) -> None:
    with pytest.raises(BadProjects, match=r"projects\.yaml: No such file"):
        read_projects(tmp_path / "projects.yaml")
    (tmp_path / "projects.yaml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(BadProjects, match="no text in UTF-8"):
        read_projects(tmp_path / "projects.yaml")


@pytest.mark.parametrize(
    ("crispr", "trials", "told"),
    [
        ({}, {"name": "crispr  SCREENS"}, "trials.name: is used by crispr, too"),
        ({}, {"port": 8601}, "trials.port: is used by crispr, too"),
        ({}, {"folder": "x/../crispr"}, "trials.folder: is used by crispr, too"),
        ({}, {"folder": "crispr/models"}, "trials.folder: is used by crispr, too"),
        ({"database_url_from": "A"}, {"database_url_from": "A"}, "trials.database_url_from: is used by crispr, too"),
        (SITE, SITE, "trials.address: is used by crispr, too"),
        (SITE, {}, "trials: address: must stand at each project, or at none"),
        (SITE | OIDC, OIDC | {"address": "https://crispr.example.org:444"}, "trials.address: is used by crispr, too"),
    ],
)
def test_two_projects_have_nothing_in_common(
    tmp_path: Path, crispr: dict[str, Any], trials: dict[str, Any], told: str
) -> None:
    with pytest.raises(BadProjects) as wrong:
        projects(tmp_path, crispr=crispr, trials=trials)
    assert told.replace(": address", ".address") in str(wrong.value)


def test_one_is_found_by_its_key(tmp_path: Path) -> None:
    found = projects(tmp_path)
    assert one_of(found, "trials") is found[1]
    with pytest.raises(LookupError, match="no project 'x'; there are crispr, trials"):
        one_of(found, "x")


def test_a_project_is_added_behind_what_stands_there(tmp_path: Path) -> None:
    path = tmp_path / "projects.yaml"
    entry = {"name": "Trials: für alle", "folder": "trials", "port": 8602, "login": "local"}
    path.write_text(TEXT)
    made = text_with(path, "trials", entry)
    assert made.startswith(TEXT) and path.read_text() == TEXT
    assert [project.name for project in projects_of(made, path)] == ["CRISPR screens", "Trials: für alle"]
    path.unlink()
    assert [project.key for project in projects_of(text_with(path, "trials", entry), path)] == ["trials"]


@pytest.mark.parametrize(
    ("text", "key", "told"),
    [
        (TEXT, "crispr", "there is a project crispr already"),
        (TEXT, "trials", "Nothing was changed; these lines were to be added:\n  trials:\n    name: CRISPR screens"),
        ("{projects: {crispr: {name: a, folder: a, port: 8601, login: off}}}\n", "trials", "these lines"),
    ],
)
def test_what_cannot_be_added_changes_nothing_and_says_what_was_meant(
    tmp_path: Path, text: str, key: str, told: str
) -> None:
    path = written(tmp_path)
    path.write_text(text)
    with pytest.raises(BadProjects) as wrong:
        text_with(path, key, {"name": "CRISPR screens", "folder": "b", "port": 8602, "login": "off"})
    assert told in str(wrong.value) and path.read_text() == text
