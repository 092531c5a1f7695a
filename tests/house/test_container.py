"""The files that make a container: what they name is there, and what they say is what the proxy and the unit say."""

import re
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.support.paths import ROOT

pytestmark = pytest.mark.sqlite("files alone")
DEPLOY = ROOT / "docs" / "deploy"
RECIPE = (DEPLOY / "Containerfile").read_text()
SERVICES: dict[str, Any] = yaml.safe_load((DEPLOY / "compose.yaml").read_text())["services"]
IGNORED = (ROOT / ".dockerignore").read_text().splitlines()
KEPT = {line[1:] for line in IGNORED if line.startswith("!")}
ROOMS = {"app.py", "pages", "annotate", "model", "db"}


def test_into_the_image_go_the_rooms_what_they_need_and_no_secret() -> None:
    assert ROOMS | {"requirements.txt", "LICENSE", ".streamlit/config.toml", "docs/deploy/nginx.conf"} == KEPT
    assert all((ROOT / name).exists() for name in KEPT)
    assert "*" in IGNORED and not any(fnmatch("keyline-data", name) for name in KEPT)


def test_what_is_left_out_of_the_image_no_room_imports() -> None:
    left_out = (ROOT / "requirements-dev.txt").read_text()
    names = {name.replace("-", "_").lower() for name in re.findall(r"^([\w-]+)==", left_out, re.MULTILINE)}
    modules = names | {"skactiveml", "pytrec_eval"}
    assert {"pytest", "playwright", "mypy"} <= modules
    imported: set[str] = set()
    for path in (file for room in ROOMS - {"app.py"} for file in (ROOT / room).rglob("*.py")):
        imported |= set(re.findall(r"^\s*(?:import|from) (\w+)", path.read_text(), re.MULTILINE))
    assert not imported & modules


def test_the_image_runs_as_nobody_in_particular_and_is_asked_how_it_is() -> None:
    assert re.findall(r"^USER (\d+)$", RECIPE, re.MULTILINE) == ["10001"]
    assert "VOLUME /data" in RECIPE and "KEYLINE_HOME=/data" in RECIPE
    assert "/healthz" in RECIPE.partition("HEALTHCHECK")[2]


@pytest.mark.parametrize("image", [each["image"] for each in SERVICES.values() if "build" not in each])
def test_the_images_that_are_fetched_are_pinned(image: str) -> None:
    assert re.fullmatch(r"docker\.io/library/\w+:\d+\.\d+(?:\.\d+)?-bookworm", image)


def test_the_base_is_pinned_by_its_digest_and_nothing_else_is_built_on() -> None:
    assert re.search(
        r"^ARG BASE=docker\.io/library/debian:bookworm-\d{8}-slim@sha256:[0-9a-f]{64}$", RECIPE, re.MULTILINE
    )
    assert re.findall(r"^FROM (\S+)", RECIPE, re.MULTILINE) == ["${BASE}"] * 2
    assert re.findall(r"COPY --from=(\S+)", RECIPE) == ["packages"]


def test_no_package_is_looked_for_on_two_indexes() -> None:
    installs = re.findall(r"pip install ([^\\\n]+)", RECIPE)
    assert [("--index-url" in one, "--no-deps" in one) for one in installs] == [(True, True), (False, False)]
    assert "torch==" in installs[0] and "-r requirements.txt" in installs[1]
    files = [ROOT / "Makefile", *ROOT.glob("requirements*.txt"), *DEPLOY.iterdir()]
    assert not [path.name for path in files if path.is_file() and "extra-index" in path.read_text()]


def test_every_file_and_folder_that_compose_names_is_there_or_made_by_its_first_lines() -> None:
    build = SERVICES["keyline"]["build"]
    assert (DEPLOY / build["context"]).resolve() == ROOT
    assert (ROOT / build["dockerfile"]).exists()
    sources = [volume.partition(":")[0] for each in SERVICES.values() for volume in each.get("volumes", [])]
    steps = (DEPLOY / "compose.yaml").read_text().partition("name:")[0]
    for source in (Path(name) for name in sources if name.startswith(".")):
        assert (DEPLOY / source).exists() or source.name in steps


def test_the_settings_are_those_of_the_unit() -> None:
    unit = dict(re.findall(r"^Environment=(\w+)=(.+)$", (DEPLOY / "keyline.service").read_text(), re.MULTILINE))
    image = dict(re.findall(r"(KEYLINE_\w+|HF_\w+)=(\S+)", RECIPE))
    said = image | SERVICES["keyline"]["environment"]
    assert {name: said[name] for name in unit if name != "KEYLINE_HOME"} == {
        name: value for name, value in unit.items() if name != "KEYLINE_HOME"
    }


def test_a_backup_asks_only_for_programs_that_the_image_has() -> None:
    steps = (DEPLOY / "compose.yaml").read_text().partition("name:")[0]
    assert re.findall(r"docker compose exec (?:-T )?(\w+) (\S+)", steps) == [
        ("keyline", "python"),
        ("postgres", "pg_dump"),
        ("keyline", "python"),
    ]


def test_the_proxy_finds_the_app_and_the_name_where_the_configuration_has_them() -> None:
    proxy, configuration = SERVICES["proxy"], (DEPLOY / "nginx.conf").read_text()
    assert SERVICES["keyline"]["network_mode"] == "service:proxy"
    assert "proxy" in SERVICES["keyline"]["depends_on"] and proxy["ports"] == ["80:80", "443:443"]
    assert "proxy_pass http://127.0.0.1:8501;" in configuration
    folder = proxy["volumes"][1].split(":")[1]
    assert folder.startswith("/etc/letsencrypt/live/$")
    assert "/etc/letsencrypt/live/keyline.example.org/fullchain.pem" in configuration
    assert r"s/keyline\.example\.org/$$KEYLINE_NAME/g" in proxy["command"][2]
