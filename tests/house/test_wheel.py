"""The wheel: one package with all that runs, which does its work in an environment of its own, far from any checkout.

The packages that it needs are those of the tests, by a line in the new environment: to install them takes minutes.
"""

import csv
import json
import os
import re
import subprocess
import sys
import sysconfig
import tomllib
import venv
import zipfile
from pathlib import Path
from typing import Any

import pytest
import requests

from annotate.gold.sample import sample_files
from annotate.installed import usual_home
from annotate.project.release import VERSION
from tests.support.browser import START_SECONDS, free_port
from tests.support.paths import ROOT
from tests.support.waiting import wait_until

pytestmark = pytest.mark.sqlite("a package and its programs")
ROOMS = ("pages", "annotate", "model", "db")
MOST_BYTES = 5_000_000


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What `pip install` is given."""
    return built(tmp_path_factory.mktemp("wheel"))


def built(folder: Path) -> Path:
    """The wheel of this checkout."""
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    return folder / f"keyline-{VERSION}-py3-none-any.whl"


def test_a_wheel_is_built_again_to_the_same_bytes(wheel: Path, tmp_path: Path) -> None:
    assert built(tmp_path).read_bytes() == wheel.read_bytes()


def test_the_changelog_begins_with_the_version_that_is_built() -> None:
    headings = re.findall(r"^## \[(.+)\]", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert next(each for each in headings if each != "Unreleased") == VERSION


def test_the_wheel_is_one_package_with_all_of_the_rooms_and_nothing_else(wheel: Path) -> None:
    files = [ROOT / "app.py", *(path for room in ROOMS for path in (ROOT / room).rglob("*") if path.is_file())]
    listed = {path.relative_to(ROOT).as_posix() for path in files if path.parent.name != "__pycache__"}
    rooms = {f"keyline/{name}" for name in listed} - {"keyline/annotate/installed.py"}
    with zipfile.ZipFile(wheel) as packed:
        names = {name for name in packed.namelist() if ".dist-info/" not in name}
    more = {"__init__.py", ".streamlit/config.toml", "docs/deploy/nginx.conf"}
    assert names == rooms | {f"keyline/{name}" for name in more}
    assert wheel.stat().st_size < MOST_BYTES


def test_the_wheel_asks_for_the_pinned_packages(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as packed:
        said = packed.read(f"keyline-{VERSION}.dist-info/METADATA").decode()
    pins = re.findall(r"^[\w-]+==[^;\s]+", (ROOT / "requirements.txt").read_text(), re.MULTILINE)
    found = re.findall(r"^Requires-Dist: ([\w-]+==[^;\s]+)", said, re.MULTILINE)
    assert sorted(map(str.lower, found)) == sorted(map(str.lower, pins)) and len(pins) > 50


def test_the_tests_build_it_with_the_packages_that_everybody_does() -> None:
    wanted = tomllib.loads((ROOT / "pyproject.toml").read_text())["build-system"]["requires"]
    assert wanted and set(wanted) <= set((ROOT / "requirements-dev.txt").read_text().splitlines())


def test_the_usual_data_folder_is_where_the_system_keeps_the_data_of_programs(monkeypatch) -> None:
    monkeypatch.setenv("HOME", "/home/ada")
    monkeypatch.delenv("XDG_DATA_HOME", raising=False)
    assert usual_home() == Path("/home/ada/.local/share/keyline")
    monkeypatch.setenv("XDG_DATA_HOME", "/data")
    assert usual_home() == Path("/data/keyline")
    monkeypatch.setenv("XDG_DATA_HOME", "relative")
    assert usual_home() == Path("/home/ada/.local/share/keyline")


class Installed:
    """The program of an environment that holds the wheel, begun in an empty folder by a user who set nothing."""

    def __init__(self, folder: Path, wheel: Path) -> None:
        self.nowhere = folder / "nowhere"
        self.nowhere.mkdir()
        self._programs = folder / "environment" / "bin"
        ours = ("KEYLINE_", "DATABASE_", "HF_", "PYTHON", "XDG_")
        kept = {name: value for name, value in os.environ.items() if not name.startswith(ours)}
        self._environment = kept | {"HOME": str(folder)}
        venv.create(folder / "environment", symlinks=True)
        (packages,) = (folder / "environment").glob("lib/*/site-packages")
        (packages / "those_of_the_tests.pth").write_text(sysconfig.get_path("purelib") + "\n")
        pip = [sys.executable, "-m", "pip", "--python", str(self._programs / "python"), "install"]
        subprocess.run([*pip, "--quiet", "--no-deps", "--no-index", "--no-compile", str(wheel)], check=True)

    def begin(self, *arguments: str, **more: Any) -> subprocess.Popen[str]:
        """Starts a command."""
        command = [str(self._programs / "keyline"), *arguments]
        return subprocess.Popen(command, cwd=self.nowhere, env=self._environment, text=True, **more)

    def run(self, *arguments: str) -> dict[str, Any]:
        """What a command answers in JSON."""
        told, errors = self.begin(*arguments, "--json", stdout=subprocess.PIPE, stderr=subprocess.PIPE).communicate()
        assert told, errors
        return json.loads(told)

    def python(self, code: str) -> str:
        """What a program prints."""
        command = [str(self._programs / "python"), "-c", code]
        return subprocess.check_output(command, cwd=self.nowhere, env=self._environment, text=True).strip()


def test_an_installed_keyline_imports_proposes_takes_a_verdict_and_exports_the_gold(
    wheel: Path, tmp_path: Path
) -> None:
    installed, gold, port = Installed(tmp_path, wheel), tmp_path / "gold.csv", free_port()
    told = installed.run("import", str(sample_files()[0]), "--propose")
    assert told["counts"]["stored"] == 1 and told["next"] == "keyline entities recognise"
    assert (tmp_path / ".local" / "share" / "keyline" / "keyline.sqlite").is_file()

    api, asking = f"http://127.0.0.1:{port}/api/v1", requests.Session()
    asking.headers["Authorization"] = f"Bearer {installed.run('token', 'add', 'test', '--person', 'Ada')['token']}"
    with (tmp_path / "app.log").open("w") as log:
        app = installed.begin("serve", "--", "--server.port", str(port), stdout=log, stderr=log)
    try:
        wait_until(lambda: answers(f"http://127.0.0.1:{port}/healthz"), seconds=START_SECONDS)
        proposed = asking.get(f"{api}/articles/1/proposals").json()
        first = proposed["rows"][0]
        shown = {"rank": first["rank"], "cosine": first["cosine"], "set": proposed["set"]}
        event = {"id": "test-one", "kind": "verdict", "sentence": first["sentence"], "value": "accept", "shown": shown}
        answered = asking.post(f"{api}/articles/1/events", json={"events": [event]}).json()
        assert answered["stored"] == ["test-one"]
        # The search index was left to a process of its own.
        jobs = {"index": "queued"}
        while jobs["index"] in ("queued", "running"):
            jobs = {each["kind"]: each["state"] for each in asking.get(f"{api}/jobs").json()["rows"]}
        assert jobs["index"] == "done"
    finally:
        app.terminate()
        app.wait()

    installed.run("gold", "export", str(gold))
    with gold.open() as file:
        rows = [(row["origin"], row["rank"], row["annotators"]) for row in csv.DictReader(file) if row["label"] == "1"]
    assert rows == [("proposed", "1", "Ada")]
    code = "from keyline import KeySentenceRanker; print(KeySentenceRanker())"
    assert installed.python(code) == "KeySentenceRanker()"
    assert list(installed.nowhere.iterdir()) == []


def answers(address: str) -> bool:
    """Whether somebody does there, and is well."""
    try:
        return requests.get(address, timeout=2).ok
    except requests.RequestException:
        return False
