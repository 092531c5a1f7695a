"""The Search page: empty, asked, refused, narrowed, turned, and while the index is behind."""

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
from annotate.search.upkeep import update
from db.tables import Job
from pages.parts.search import search_results
from pages.parts.search.search_results import ROWS
from tests.annotate.search.conftest import indexed, library
from tests.support.making import paper, store
from tests.support.paths import PAGES

__all__ = ["indexed", "library"]


@pytest.fixture(autouse=True)
def started(home: Any, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The jobs that the page began."""
    jobs: list[str] = []
    monkeypatch.setattr(search_results, "start_indexing", lambda: jobs.append("index"))
    return jobs


def page(typed: str = "", **state: Any) -> AppTest:
    run = AppTest.from_file(str(PAGES / "search.py"), default_timeout=60)
    run.session_state["annotator"] = "Anna"
    for name, value in {"q": typed, **state}.items():
        run.session_state[name] = value
    run.run()
    assert not run.exception
    return run


def html(run: AppTest) -> str:
    return "".join(part.proto.body for part in run.get("html"))


def captions(run: AppTest) -> str:
    return " ".join(part.value for part in run.caption)


def test_without_articles_there_is_nothing_to_search():
    assert page().info[0].value.startswith("No articles yet")


def test_before_anything_is_asked_it_says_what_can_be(indexed):
    run = page()
    assert "Type words, or choose filters" in captions(run)
    assert "search-hits" not in html(run)


def test_articles_are_found_with_their_words_marked_and_open_in_review(indexed):
    run = page("deleted TP53")
    assert "1 article ·" in captions(run)
    told = html(run)
    assert 'href="/review?article=1&amp;sentence=1"' in told
    assert ">deleted</mark>" in told and ">TP53</mark>" in told
    assert "PLoS One · 2015 · PMID 1" in told


def test_sentences_are_found_and_open_at_their_place(indexed):
    run = page("mutat*", what="Sentences")
    assert "2 sentences" in captions(run)
    assert 'href="/review?article=1&amp;sentence=4"' in html(run)


def test_where_nothing_holds_all_words_it_says_so(indexed):
    assert "No article holds all of these words. 2 articles hold some" in captions(page("yeast serum"))
    assert "Nothing found" in page("nowhere").info[0].value


def test_what_cannot_be_understood_is_pointed_at(indexed):
    run = page("titel:TP53 *")
    assert run.error[0].value.replace("\\", "") == "There is no field titel, did you mean title?"
    assert ">titel:</mark>TP53 *</code>" in html(run)


def test_text_of_articles_is_never_markup():
    store(paper(("A <script>alert(1)</script> gene.",), pmid="9", title="<b>Bold</b> gene"))
    update()
    told = html(page("gene"))
    assert "<script>" not in told and "<b>" not in told
    assert "&lt;b&gt;Bold" in told


def test_filters_narrow_without_words(indexed):
    run = page("", journal="Nature", from_year=2020)
    assert "1 article ·" in captions(run)
    assert "article=3" in html(run)
    assert "article=3" in html(page("", judged="not judged by me", to_year=None))


def test_many_hits_are_turned_page_by_page():
    store(*(paper(("The gene was lost.",), pmid=str(100 + number)) for number in range(ROWS + 5)))
    update()
    run = page("gene")
    assert f"{ROWS + 5} articles" in captions(run)
    assert html(run).count("<article") == ROWS
    run.session_state["results_page"] = 2
    run.run()
    assert html(run).count("<article") == 5
    run.session_state["q"] = "gene lost"
    run.run()
    assert html(run).count("<article") == ROWS  # the first page of another question


def test_a_library_without_an_index_gets_one(library, started):
    run = page("yeast")
    assert "The index is 3 articles behind: it is being updated." in captions(run)
    assert started == ["index"]
    assert "search-hits" not in html(run)


def test_what_little_is_behind_is_put_in_at_once(indexed, started):
    store(paper(("Zebrafish swim.",), pmid="4"))
    assert "1 article ·" in captions(page("zebrafish"))
    assert started == []


def test_while_much_is_behind_what_is_there_is_searched(indexed, started, monkeypatch):
    monkeypatch.setattr(upkeep, "AT_ONCE_SENTENCES", 0)
    store(paper(("Zebrafish swim.",), pmid="4"))
    run = page("yeast")
    assert "1 article behind" in captions(run) and "article=3" in html(run)
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
