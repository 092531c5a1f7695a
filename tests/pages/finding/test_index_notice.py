"""The notice that the index of the search is behind, on the page Find."""

from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

import db.jobs
import db.rows
from annotate.jobs.lifecycle import enqueue
from annotate.project.home import folder, read, write
from annotate.project.rights import Right
from annotate.search import upkeep
from annotate.search.index_files import NAME
from db.tables import Job
from pages.parts.finding import index_notice
from tests.annotate.search.conftest import indexed, library
from tests.support.making import paper, store
from tests.support.paths import PAGES
from tests.support.told import captions, components

__all__ = ["indexed", "library"]


@pytest.fixture(autouse=True)
def started(home: Any, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The jobs that the page began."""
    jobs: list[str] = []
    monkeypatch.setattr(index_notice, "start_after_other_work", lambda kind, payload: jobs.append(kind))
    return jobs


def page(typed: str) -> AppTest:
    run = AppTest.from_file(str(PAGES / "find.py"), default_timeout=60)
    run.session_state["annotator"] = "Anna"
    run.session_state["find_stages"] = ["words"]
    run.query_params["q"] = typed
    run.run()
    assert not run.exception
    return run


def found(run: AppTest) -> list[str]:
    """The keys of the articles that are listed."""
    return [row["key"] for data in components(run) for row in data.get("rows", [])]


def test_a_library_without_an_index_gets_one(library, started):
    run = page("yeast")
    assert "The index is 3 articles behind: it is being updated." in captions(run)
    assert started == ["index"]
    assert found(run) == []


def test_what_little_is_behind_is_put_in_at_once(indexed, started):
    store(paper(("Zebrafish swim.",), pmid="4"))
    assert found(page("zebrafish")) == ["pmid:4"]
    assert started == []


def test_while_much_is_behind_what_is_there_is_searched(indexed, started, monkeypatch):
    monkeypatch.setattr(upkeep, "AT_ONCE_SENTENCES", 0)
    store(paper(("Zebrafish swim.",), pmid="4"))
    run = page("yeast")
    assert "1 article behind" in captions(run) and found(run) == ["pmid:3"]
    assert started == ["index"]


def test_a_damaged_index_is_said_to_be_built_anew(indexed, started):
    for path in folder(NAME).rglob("meta.json"):
        path.unlink()
    run = page("yeast")
    assert "damaged: it is being built again" in captions(run)
    assert started == ["index"]


def test_after_a_failed_job_a_person_begins_the_next_one(library, started):
    job_id = enqueue("index", {})
    with write(Right.SYSTEM) as session:
        db.jobs.change(session, job_id, from_states=("queued",), state="failed", error="the disk is full")
    run = page("yeast")
    assert started == []
    assert "it is to be updated" in captions(run)
    assert any("the disk is full" in part.value.replace("\\", "") for part in run.error)
    next(button for button in run.button if button.label == "Update the index").click().run()
    assert started == ["index"]
    with read() as session:
        assert db.rows.find(session, Job, kind="index") is not None
