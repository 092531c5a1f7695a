"""The command that serves the app: the sample is loaded into an empty project behind it, and the process is the app."""

import sys
from typing import Any, NoReturn

import pytest

from annotate.__main__ import main
from tests.support.making import paper, store

pytestmark = pytest.mark.usefixtures("home")


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The jobs that are begun, and the program that the process becomes."""
    told: list[Any] = []
    monkeypatch.setattr("annotate.cli.project.start_if_none_runs", lambda kind, payload: told.append((kind, payload)))

    def become(program: str, arguments: list[str]) -> NoReturn:
        told.append(arguments)
        sys.exit()

    monkeypatch.setattr("os.execv", become)
    return told


def served(told: list[Any], *arguments: str) -> list[str]:
    """What the app is called with, by this command; the jobs stay told."""
    with pytest.raises(SystemExit):
        main(["serve", *arguments])
    program, *called = told.pop()
    assert program == sys.executable and called[:3] == ["-m", "streamlit", "run"]
    return called[4:]


def test_an_empty_project_is_served_at_once_and_gets_the_sample_meanwhile(told: list[Any]) -> None:
    assert served(told, "--", "--server.port", "9000") == ["--server.port", "9000"]
    assert told == [("import", {"sample": True, "propose": True, "recognise": True})]


def test_an_empty_project_is_served_as_it_is_where_that_is_asked_for(told: list[Any]) -> None:
    assert served(told, "--no-sample") == []
    assert told == []


def test_a_project_with_articles_gets_no_sample(told: list[Any]) -> None:
    store(paper())
    assert served(told) == []
    assert told == []
