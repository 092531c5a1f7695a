"""The commands of several projects, over data folders that begin with them."""

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from annotate.projects import listing
from tests.support.copies import COMMAND, ran
from tests.support.making import paper, store
from tests.support.projects import projects, written
from tests.support.team import add, cheap_hashes

Cli = Callable[..., tuple[int, dict[str, Any], str]]


def entries(path: Path) -> dict[str, dict[str, Any]]:
    """What stands in the file."""
    found: dict[str, dict[str, Any]] = yaml.safe_load(path.read_text())["projects"]
    return found


def test_projects_are_added_one_after_another(cli: Cli, tmp_path: Path) -> None:
    path = tmp_path / "projects.yaml"
    assert cli("projects", "add", "crispr", "--name", "CRISPR screens", "--file", path)[1] == {
        "added": "crispr",
        "folder": str(tmp_path / "crispr"),
        "address": "http://127.0.0.1:8501",
        "login": "off",
    }
    _, told, _ = cli("projects", "add", "trials", "--login", "local", "--folder", tmp_path / "x", "--file", path)
    assert told["next"] == "python -m annotate projects run trials people add NAME --role admin"
    cli("projects", "add", "third", "--port", 9000, "--database-url-from", "THIRD_URL", "--file", path)
    assert entries(path) == {
        "crispr": {"name": "CRISPR screens", "folder": "crispr", "port": 8501, "login": "off"},
        "trials": {"name": "trials", "folder": str(tmp_path / "x"), "port": 8502, "login": "local"},
        "third": {
            "name": "third",
            "folder": "third",
            "port": 9000,
            "login": "local",  # as there is one with logins already
            "database_url_from": "THIRD_URL",
        },
    }


def test_a_project_begins_with_its_topic_and_commands_run_within_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "projects.yaml"
    monkeypatch.setenv("KEYLINE_PROJECTS", str(path))
    monkeypatch.setenv("KEYLINE_HOME", str(tmp_path / "elsewhere"))

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        return ran(COMMAND, "projects", *arguments)

    assert run("add", "trials", "--topic", "clinical_trial_findings").returncode == 0
    listed = run("run", "trials", "topic", "list", "--json")
    assert json.loads(listed.stdout)["topic"] == "Clinical trial findings"
    assert not (tmp_path / "elsewhere").exists()
    refused = run("add", "other", "--topic", "nothing_like_it")
    assert refused.returncode == 1 and "no topic 'nothing_like_it' is shipped" in refused.stderr
    assert list(entries(path)) == ["trials"] and not (tmp_path / "other").exists()
    failed = run("run", "trials", "topic", "use", "nothing_like_it")
    assert failed.returncode == 1 and "no topic" in failed.stderr
    assert "no project 'nobody'; there are trials" in run("run", "nobody", "status").stderr


@pytest.fixture
def lab(home: Path, other_home: Callable[[], None], tmp_path: Path) -> Path:
    """A file of three projects: Ada and Ben and an article in the first, Ada in the second, a third not begun."""
    with cheap_hashes():
        add("Ada", "admin")
        add("Ben")
        store(paper(pmid="1"))
        other_home()
        add("Ada")
    third = {"name": "Third", "folder": "third", "port": 8603, "login": "off"}
    return written(tmp_path, crispr={"folder": str(home)}, trials={"folder": f"{home}-other"}, third=third)


def test_the_lists_tell_how_each_stands_and_who_is_what_where(
    cli: Cli, lab: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(listing, "state_of", lambda project: "up" if project.key == "crispr" else "down")
    assert cli("projects", "list", "--file", lab)[1]["projects"] == [
        ["crispr", "CRISPR screens", "http://127.0.0.1:8601", "up", "1 article", "2 people"],
        ["trials", "Trials of the heart", "http://127.0.0.1:8602", "down", "0 articles", "1 person"],
        ["third", "Third", "http://127.0.0.1:8603", "down"],
    ]
    assert cli("projects", "people", "--file", lab)[1]["people"] == [
        ["Ada", "crispr", "admin", "enabled"],
        ["Ada", "trials", "annotator", "enabled"],
        ["Ben", "crispr", "annotator", "enabled"],
    ]
    (lab.parent / "keyline-other" / "keyline.sqlite").write_bytes(b"no database" * 1000)
    assert ["", "trials", "", "not readable"] in cli("projects", "people", "--file", lab)[1]["people"]
    assert len(cli("projects", "list", "--file", lab)[1]["projects"][1]) == 4
    assert not (lab.parent / "third").exists()


def test_mistakes_are_told_in_words(cli: Cli, tmp_path: Path) -> None:
    path = tmp_path / "projects.yaml"
    for command in (["list"], ["people"], ["nginx"], ["serve"]):
        code, _, words = cli("projects", command[0], "--file", path)
        assert code == 1 and "No such file" in words
    written(tmp_path, trials={"port": "x"})
    code, _, words = cli("projects", "list", "--file", path)
    assert code == 1 and "projects.yaml: line 10: trials.port: input should be a valid integer" in words
    assert cli("projects", "nginx", "--file", written(tmp_path))[0] == 1


def test_nginx_is_printed_as_it_is(cli: Cli, tmp_path: Path) -> None:
    path = written(tmp_path, crispr={"address": "https://a.org"}, trials={"address": "https://b.org"})
    assert "a.org 8601;" in cli("projects", "nginx", "--file", path)[1]["nginx"]


@pytest.mark.parametrize(
    ("said", "state"),
    [(b'{"status": "ok"}', "up"), (b'{"status": "disk full"}', "disk full"), (b"<html>", "down"), (b"[]", "down")],
)
def test_a_state_is_what_the_app_says_of_itself(tmp_path: Path, said: bytes, state: str) -> None:
    from http.server import BaseHTTPRequestHandler, HTTPServer
    from threading import Thread

    class Answer(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            assert self.path == "/healthz"
            self.send_response(200)
            self.end_headers()
            self.wfile.write(said)

        def log_message(self, *_: Any) -> None:
            """Says nothing."""

    with HTTPServer(("127.0.0.1", 0), Answer) as server:
        Thread(target=server.handle_request, daemon=True).start()
        project = projects(tmp_path, crispr={"port": server.server_port})[0]
        assert listing.state_of(project) == state
    assert listing.state_of(project) == "down"
