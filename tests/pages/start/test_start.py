"""The page Start: the next article with its first proposal, how far the project is, and sentences of both sides."""

from unittest.mock import Mock

import pytest
from streamlit.testing.v1 import AppTest

import db.jobs
from annotate.active_learning.queue import Coming
from annotate.project.home import write
from annotate.project.rights import Right
from annotate.topics.file import SHIPPED, shipped
from pages.parts.shared.next_article import article_card
from pages.parts.start.where import EXAMPLES
from tests.support.making import judge, reading, store_proposed, verdict
from tests.support.paths import PAGES
from tests.support.queueing import given, set_queue
from tests.support.told import html, words


def opened() -> AppTest:
    run = AppTest.from_file(str(PAGES / "start.py"), default_timeout=60)
    run.session_state["annotator"] = "Anna"
    run.run()
    assert not run.exception
    return run


def next_steps(run: AppTest) -> list[str]:
    return [button.label for button in run.button if (button.key or "").startswith("next_")]


def test_an_empty_project_says_so_in_one_sentence_with_one_button(home):
    run = opened()
    assert next_steps(run) == ["Import articles"]
    assert run.markdown[1].value.startswith("No articles yet")
    assert "ring" not in html(run)


def test_the_first_article_is_there_as_soon_as_it_is_proposed_and_not_only_when_the_job_ends(home, monkeypatch):
    asked = []
    monkeypatch.setattr("pages.parts.shared.job_panel.job_panel", lambda kinds, **more: asked.append(more["news"]))
    with write(Right.SYSTEM) as session:
        assert db.jobs.insert_job(session, "import", {})
    run = opened()
    assert next_steps(run) == [] and "your first article comes in a moment" in words(run)
    assert [news() for news in asked] == [False]
    store_proposed(2)
    assert [news() for news in asked] == [True]
    assert next_steps(opened()) == ["Review the next article"]
    assert not asked[-1]()


def test_the_next_article_stands_there_with_its_first_proposal_and_two_sentences_of_each_side(home):
    store_proposed(2)
    judge("Ben", 1, verdict(0), verdict(1, "reject"), reading())
    run = opened()
    assert next_steps(run) == ["Review the next article"]
    told = words(run)
    assert "1 article waits for you." in told and "**Article 2**" in told
    assert "> Here we deleted TP53 in HeLa cells." in told
    assert "1 of 2 reviewed" in html(run)
    signs = [part.value[: len(":green[")] for part in run.markdown if part.value.startswith(":")]
    assert [sign.startswith(":green") for sign in signs] == [True] * EXAMPLES + [False] * EXAMPLES


def test_no_proposal_is_shown_of_an_article_that_is_or_may_be_drawn_to_be_read_without_them(home):
    store_proposed(3)
    set_queue(blind_share=0.5)
    assert "> Here we deleted" in words(opened())  # a block of lots never begins with one without
    assert given("Ben")
    assert "> " not in words(opened())  # now the lot decides when the article is handed out
    set_queue(blind_share=1.0)
    assert given("Anna")
    told = words(opened())
    assert "drawn at random to be read without proposals" in told and "> " not in told


def test_the_chance_of_an_article_stands_there_without_the_chance_of_one_of_its_sentences(monkeypatch):
    monkeypatch.setattr("pages.parts.shared.next_article.first_proposal", lambda reviewer, article_id: "")
    place = Mock()
    row = Coming(article_id=1, title="T", strategy="committee", score=0.5, in_hand=True, promise="94%", reason="unsure")
    for each in (row, row | {"strategy": "random", "in_hand": False}, row | {"promise": "–"}):
        article_card(place, each, "Anna")
    assert [call.args[0].replace("\\", "") for call in place.caption.call_args_list] == [
        "Begun by you. Chance that it holds a key sentence: 94%.",
        "Unsure. Chance that it holds a key sentence: 94%.",
        "Begun by you; unsure.",
    ]


@pytest.mark.parametrize("name", SHIPPED)
def test_every_shipped_topic_has_two_sentences_of_each_side(name):
    examples = shipped(name).file.examples
    assert len(examples.accepted) >= EXAMPLES and len(examples.rejected) >= EXAMPLES
