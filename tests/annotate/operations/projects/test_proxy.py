"""The proxy's file for several projects is that for one, with all names and ports."""

import re
from pathlib import Path

import pytest

from annotate.operations.projects.proxy import nginx_of
from tests.house.test_deploy import CONFIGURATION
from tests.support.projects import projects

SITES = {"crispr": {"address": "https://crispr.example.org"}, "trials": {"address": "https://trials.example.org"}}


def test_each_name_leads_to_its_port_and_all_else_is_as_for_one(tmp_path: Path) -> None:
    made = nginx_of(projects(tmp_path, **SITES))
    assert "map $host $keyline_port {\n    crispr.example.org 8601;\n    trials.example.org 8602;\n}" in made
    assert re.findall(r"server_name (.+);", made) == ["crispr.example.org trials.example.org"] * 2
    assert "proxy_pass http://127.0.0.1:$keyline_port;" in made and "keyline.example.org" not in made
    assert "ssl_certificate     /etc/letsencrypt/live/crispr.example.org/fullchain.pem;" in made
    before = {line for line in CONFIGURATION.read_text().splitlines() if line[:1] not in ("#", "")}
    changed = [line.split()[0] for line in sorted(before - set(made.splitlines()))]
    assert sorted(changed) == ["proxy_pass", "server_name", "ssl_certificate", "ssl_certificate_key"]


@pytest.mark.parametrize("address", [None, "http://crispr.localhost:8601", "https://crispr.example.org:8443"])
def test_a_project_without_such_a_name_is_refused(tmp_path: Path, address: str | None) -> None:
    with pytest.raises(ValueError, match="crispr: behind nginx a project needs an address"):
        nginx_of(projects(tmp_path, crispr={"address": address}, trials=None))
