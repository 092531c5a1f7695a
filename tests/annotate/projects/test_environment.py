"""What the app of a project is told: all of its own, nothing of another's."""

from pathlib import Path

import pytest

from annotate.projects.environment import address_of, arguments_of, environment_of
from tests.support.projects import projects

OUTER = {
    "PATH": "/bin",
    "KEYLINE_HOME": "/elsewhere",
    "KEYLINE_AUTH": "off",
    "KEYLINE_LOG": "json",
    "DATABASE_URL": "postgresql://all",
    "A_URL": "postgresql://a/a",
    "B_URL": "postgresql://b/b",
}
DATABASES = {"crispr": {"database_url_from": "A_URL"}, "trials": {"database_url_from": "B_URL"}}


def test_a_project_is_told_its_own_folder_login_and_database_alone(tmp_path: Path) -> None:
    found = projects(tmp_path, **DATABASES)
    assert environment_of(found[0], found, OUTER) == {
        "PATH": "/bin",
        "KEYLINE_LOG": "json",
        "KEYLINE_HOME": str(tmp_path / "crispr"),
        "KEYLINE_AUTH": "local",
        "KEYLINE_PROJECT": "crispr",
        "KEYLINE_PROJECT_NAME": "CRISPR screens",
        "DATABASE_URL": "postgresql://a/a",
    }
    alone = projects(tmp_path)
    assert "DATABASE_URL" not in environment_of(alone[0], alone, OUTER)


def test_a_database_that_is_not_named_or_is_another_s_is_refused(tmp_path: Path) -> None:
    found = projects(tmp_path, **DATABASES)
    with pytest.raises(ValueError, match="trials: the environment has no B_URL"):
        environment_of(found[1], found, {"A_URL": "postgresql://a/a"})
    with pytest.raises(ValueError, match="crispr: A_URL holds the same database as B_URL"):
        environment_of(found[0], found, OUTER | {"B_URL": "postgresql://a/a"})


@pytest.mark.parametrize(
    ("address", "outer", "https"),
    [
        ("https://crispr.example.org", None, "1"),
        ("http://crispr.localhost:8601", "1", None),
        (None, "1", "1"),
        (None, None, None),
    ],
)
def test_https_is_as_the_address_says(tmp_path: Path, address: str, outer: str | None, https: str | None) -> None:
    found = projects(tmp_path, crispr={"address": address}, trials=None)
    given = {"KEYLINE_HTTPS": outer} if outer else {}
    assert environment_of(found[0], found, given).get("KEYLINE_HTTPS") == https


def test_the_arguments_name_the_port_last_and_the_host_it_answers_to(tmp_path: Path) -> None:
    (plain, _) = projects(tmp_path)
    assert arguments_of(plain, ["--server.address=::1"]) == ["--server.address=::1", "--server.port=8601"]
    (named,) = projects(
        tmp_path, crispr={"address": "https://a.example.org", "login": "oidc", "secrets": "/etc/a.toml"}, trials=None
    )
    assert arguments_of(named) == [
        "--server.port=8601",
        "--server.allowedHosts=a.example.org",
        "--server.allowedHosts=127.0.0.1",
        "--secrets.files=/etc/a.toml",
    ]


def test_a_database_is_the_file_of_the_folder_or_that_of_the_variable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert address_of(projects(tmp_path)[0]) == tmp_path / "crispr" / "keyline.sqlite"
    monkeypatch.setenv("A_URL", "postgresql://me:secret@a/b")
    assert str(address_of(projects(tmp_path, crispr=DATABASES["crispr"])[0])) == "postgresql+psycopg://me:***@a/b"
