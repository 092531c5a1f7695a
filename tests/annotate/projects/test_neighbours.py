"""Who is told of which other project: never more than their names, and never whoever has no business there."""

import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from annotate.project.acting import ANONYMOUS, OPERATOR, Actor
from annotate.project.home import home as data_folder
from annotate.projects.neighbours import FILE, Neighbours, neighbours_of, seen_from
from annotate.projects.project_file import Project
from annotate.projects.reading import Member, members
from annotate.team import people
from tests.support.projects import projects
from tests.support.team import add, cheap_hashes

GOOGLE = ("https://id.example.org", "1")
OFF = {"login": "off"}


def member(account_id: int, name: str, identity: tuple[str, str] | None = None, *, disabled: bool = False) -> Member:
    return Member(account_id, name, "annotator", disabled, identity)


def seen(tmp_path: Path, crispr: Any, trials: Any, here: list[Member], there: list[Member]) -> Any:
    first, second = projects(tmp_path, crispr=crispr, trials=trials)
    found = seen_from(first, [second], {"crispr": here, "trials": there})
    return found[0].seen_by if found else "nobody"


@pytest.mark.parametrize(
    ("there", "told"),
    [
        ([member(9, "ada"), member(8, "Eve")], (1,)),
        ([member(9, "Ada", disabled=True)], "nobody"),
        ([member(9, "Ada", GOOGLE)], "nobody"),
        ([member(9, "Somebody else", ("https://id.example.org", "7"))], (3,)),
        ([member(9, "Gone")], "nobody"),
        ([], "nobody"),
    ],
)
def test_a_project_with_logins_is_known_to_those_who_have_an_account_there_too(
    tmp_path: Path, there: list[Member], told: Any
) -> None:
    here = [
        member(1, "Ada"),
        member(2, "Ben"),
        member(3, "Cora", ("https://id.example.org", "7")),
        member(4, "Gone", disabled=True),
    ]
    assert seen(tmp_path, {}, {}, here, there) == told


def test_one_without_logins_is_known_to_all_and_knows_of_none_with_them(tmp_path: Path) -> None:
    both = [member(1, "Ada")]
    assert seen(tmp_path, {}, OFF, both, both) is None
    assert seen(tmp_path, OFF, OFF, both, both) is None
    assert seen(tmp_path, OFF, {}, both, both) == "nobody"
    assert seen(tmp_path, {}, OFF | {"listed": False}, both, both) == "nobody"


@dataclass
class Two:
    """Two projects: Ada and Ben have accounts in the first, Ada and Eve in the second."""

    projects: list[Project]
    patch: pytest.MonkeyPatch

    def turn(self, number: int) -> Path:
        """From now on the functions of this process are in that project; returns its data folder."""
        project = self.projects[number]
        self.patch.setenv("KEYLINE_HOME", str(project.folder))
        if project.database_url_from:
            self.patch.setenv("DATABASE_URL", os.environ[project.database_url_from])
        return project.folder


@pytest.fixture
def two(home: Path, other_home: Callable[[], None], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Two:
    """Both, in a database each."""
    told: list[dict[str, Any]] = []

    def told_here(variable: str) -> dict[str, Any]:
        url = os.environ.get("DATABASE_URL")
        monkeypatch.setenv(variable, url or "")
        return {"folder": str(data_folder())} | ({"database_url_from": variable} if url else {})

    with cheap_hashes():
        add("Ben")
        add("Ada")
        told.append(told_here("FIRST_URL"))
        other_home()
        add("Ada")
        add("Eve")
        told.append(told_here("SECOND_URL"))
    return Two(projects(tmp_path, crispr=told[0], trials=told[1]), monkeypatch)


def test_each_data_folder_holds_the_others_names_and_the_numbers_of_its_own_people(two: Two) -> None:
    keeper = Neighbours()
    keeper.tell(two.projects)
    assert json.loads((two.turn(0) / FILE).read_text()) == [
        {"name": "Trials of the heart", "address": None, "port": 8602, "seen_by": [2]}
    ]
    assert [each.name for each in neighbours_of(Actor("Ada", account_id=2))] == ["Trials of the heart"]
    for stranger in (Actor("Ben", account_id=1), ANONYMOUS, OPERATOR):
        assert neighbours_of(stranger) == []

    two.turn(1)
    add("Second admin", "admin")
    people.disable(people.find("Ada"))
    keeper.tell(two.projects)
    two.turn(0)
    assert neighbours_of(Actor("Ada", account_id=2)) == []


@pytest.mark.sqlite("a file that is damaged")
def test_a_project_that_cannot_be_read_counts_as_it_was_read_last(two: Two) -> None:
    keeper = Neighbours()
    keeper.tell(two.projects)
    before = (two.turn(0) / FILE).read_text()
    (two.turn(1) / "keyline.sqlite").write_bytes(b"no database" * 1000)
    assert members(two.projects[1]) is None
    keeper.tell(two.projects)
    assert (two.turn(0) / FILE).read_text() == before != "[]"


def test_a_project_that_has_not_begun_has_nobody_and_is_not_made_by_the_look(tmp_path: Path) -> None:
    found = projects(tmp_path)
    Neighbours().tell(found)
    assert members(found[0]) == [] and not (tmp_path / "crispr").exists()


@pytest.mark.parametrize("text", [None, "", "{}", "[1]", '[{"name": 1}]', "[[]]", "null"])
def test_a_list_that_is_none_tells_of_nobody(home: Path, text: str | None) -> None:
    data_folder().mkdir(exist_ok=True, parents=True)
    if text is not None:
        (data_folder() / FILE).write_text(text)
    assert neighbours_of(OPERATOR) == []
