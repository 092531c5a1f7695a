"""The queue page: the next article and why, who holds what, what is set and by whom, and why it is empty."""

from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

import db.rows
from annotate.curation.tags import put_on
from annotate.project.acting import Auth
from annotate.project.home import read, write
from annotate.project.rights import Right
from annotate.project.stored_settings import settings_now
from annotate.review.assignments import finish_or_leave, take
from annotate.review.queue_settings import QueueSettings
from db.engine import DatabaseBusy
from db.tables import Setting
from tests.support.making import paper, query, store
from tests.support.paths import PAGES
from tests.support.queueing import begin, choose_the_first, endings, given, holder, judge_all, set_queue
from tests.support.told import table_named

HOSTILE = "Eve :red[x] [y](http://e)"


@pytest.fixture(autouse=True)
def asked(home: Path, monkeypatch: pytest.MonkeyPatch) -> list[tuple[Any, ...]]:
    """What annotate.active_learning.live_ranking was asked; it chooses the first article that waits."""
    return choose_the_first(monkeypatch)


def page(name: str = "queue", reviewer: str | None = "Anna", **query_params: str) -> AppTest:
    run = AppTest.from_file(str(PAGES / f"{name}.py"), default_timeout=30)
    run.session_state["annotator"] = reviewer
    for key, value in query_params.items():
        run.query_params[key] = value
    return checked(run.run())


def checked(run: AppTest) -> AppTest:
    assert not run.exception
    return run


def words(run: AppTest) -> str:
    return "\n".join(str(part.value) for part in (*run.markdown, *run.caption, *run.info)).replace("\\", "")


def press(run: AppTest, label: str, number: int = 0) -> AppTest:
    return checked([button for button in run.button if button.label == label][number].click().run())


def counts(run: AppTest) -> dict[str, str]:
    return {metric.label: metric.value for metric in run.metric}


def test_the_page_asks_for_a_name_first():
    run = page(reviewer=None)
    assert [field.label for field in run.text_input] == ["Your name"] and not run.metric


def test_the_next_article_is_told_with_why_and_what_comes_after_it():
    begin(4)
    given("Ben")
    run = page()
    assert counts(run) == {
        "Waiting for you": "3", "Reviewed by you": "0", "With other people": "1", "Key sentences": "0",
        "Still to find": "–",
    }  # fmt: skip
    assert "**Article 2**" in words(run) and "It is the first" in words(run)
    after = table_named(run, "The articles after the next one")
    assert [row[:3] for row in after] == [
        ["Place", "Title", "Why"],
        ["2", "Article 3", "It is the first"],
        ["3", "Article 4", "It is the first"],
    ]
    assert "at random" not in words(run)
    set_queue(random_share=0.25)
    assert "In between the queue draws 5 of every 20 articles at random." in words(page())
    assert endings() == [("Ben", 1, None)]  # looking hands nothing out


def test_what_is_in_hand_is_next():
    begin(3)
    take("Anna", 3)
    run = page()
    assert "**Article 3**" in words(run) and "Begun by you; you opened it yourself" in words(run)


def test_anybody_releases_a_lease_and_the_holder_is_named_literally():
    begin(2)
    take(HOSTILE, 1)
    run = page()
    (shown,) = [part.value for part in run.markdown if "Eve" in part.value]
    assert r"red\[x\] \[y\]\(http\:" in shown and ":red[" not in shown and "](" not in shown
    press(run, "Release")
    assert holder(1) is None and endings() == [(HOSTILE, 1, "left")]
    assert not [button for button in page().button if button.label == "Release"]


@pytest.mark.postgresql
def test_settings_are_stored_with_who_changed_them():
    begin(1, lease_minutes=30)
    put_on([1], ["pilot"])
    run = page()
    run.selectbox(key="strategy_queue_1").set_value("random")
    run.number_input(key="random_share_queue_1").set_value(12.5)
    run.number_input(key="double_share_queue_1").set_value(100.0)
    run.number_input(key="experts_queue_1").set_value(3)
    run.number_input(key="lease_minutes_queue_1").set_value(5)
    run.toggle(key="learn_at_once_queue_1").set_value(False)
    run.selectbox(key="with_tag_queue_1").set_value("pilot")
    run = press(run, "Save")
    with read() as session:
        assert settings_now(session, QueueSettings) == QueueSettings(
            "random", 0.125, 0.0, 1.0, 3, 5, learn_at_once=False, with_tag="pilot"
        )
    assert query("SELECT changed_by FROM setting ORDER BY id") == [("Cleo",), ("Anna",)]
    assert "Set by Anna, " in words(run)
    press(run, "Save")  # nothing changed
    assert query("SELECT count(*) FROM setting") == [(2,)]


def test_a_strategy_of_an_earlier_release_is_named_with_the_one_in_its_place():
    begin(1)
    assert "no longer offered" not in words(page())
    with write(Right.SYSTEM) as session:
        db.rows.add(session, Setting(name=QueueSettings.NAME, content={"strategy": "core-set"}, changed_by="Cleo"))
    run = page()
    assert "This project chose Core-set, which is no longer offered: Query by committee takes its place." in words(run)
    assert run.selectbox(key="strategy_queue_2").value == "committee"


@pytest.mark.parametrize("name", ["queue", "review"])
def test_an_empty_queue_says_why(name):
    empty = page(name)
    assert "There are no articles yet." in words(empty) and not empty.metric
    store(paper(pmid="1"))
    assert "None of 1 article has proposals yet." in words(page(name))
    begin(2)
    given("Ben")
    judge_all("Anna", 2)
    run = page(name)
    assert "You have reviewed 1 of 2 articles." in words(run)
    assert "Ben is reviewing the other 1 article; the first comes back in 30 min" in words(run)


def test_review_opens_what_the_queue_hands_out_and_leases_what_is_opened_by_address():
    begin(3)
    run = page("review")
    assert run.query_params["article"] == "1" and holder(1) == "Anna"
    assert page("review", "Ben").query_params["article"] == "2"
    page("review", "Ben", article="1")
    assert holder(1) == "Anna"
    page("review", "Ben", article="3")
    assert endings() == [("Anna", 1, None), ("Ben", 2, None), ("Ben", 3, None)]
    finish_or_leave("Anna", 1)
    assert page("review").query_params["article"] == "1"  # the others are in hand, and this one was left unfinished


def test_the_best_sentences_of_all_articles_have_an_address_of_their_own():
    begin(3)
    given("Ben")
    run = page(view="sentences")
    assert "Is it a key sentence?" in words(run) and not run.metric
    asked = {one.place[0] for one in run.session_state.picked_open}
    assert asked and 1 not in asked  # Ben has it in hand
    judge_all("Anna", 2)
    run = checked(run.run())
    assert {one.place[0] for one in run.session_state.picked_open} == {3}
    run.segmented_control(key="queue_view").set_value("articles")
    run = checked(run.run())
    assert run.query_params["view"] == "articles" and "Waiting for you" in counts(run)


def test_without_a_sentence_to_pick_the_queue_says_why():
    assert "There are no articles yet." in words(page(view="sentences"))
    begin(2, double_share=1.0)
    assert "Left out: 2 articles for several annotators." in words(page(view="sentences"))


@pytest.mark.postgresql
def test_another_person_in_the_tab_is_asked_anew():
    begin(3)
    run = page(view="sentences")
    hers = {one.place for one in run.session_state.picked_open}
    run.session_state.annotator = "Ben"
    run = checked(run.run())
    assert run.session_state.picked_of == "Ben" and not run.session_state.picked_done
    assert not hers & {one.place for one in run.session_state.picked_open}


def test_next_leads_newcomers_of_a_team_to_practice_and_after_an_error_to_the_queue(monkeypatch):
    begin(3)
    run = page("review", article="1")
    finish_or_leave("Anna", 1)
    run.session_state["wants_next"] = True
    with monkeypatch.context() as patched:
        patched.setattr("annotate.active_learning.queue.hand_out", failing)
        assert run.run().exception
    assert "article" not in run.query_params
    run = page("review", article="1")
    run.session_state["wants_next"] = True
    monkeypatch.setattr("pages.parts.review.queue_tables.auth", lambda: Auth.LOCAL)
    monkeypatch.setattr("pages.parts.review.queue_tables.is_newcomer", lambda session, reviewer: True)
    assert "Please do the practice round before your first article." in words(checked(run.run()))


def failing(*_: Any) -> None:
    raise DatabaseBusy("", {}, OSError("busy"))
