"""The page of the practice round: begin, judge, see what was known, and the score at the end."""

import pytest
from streamlit.testing.v1 import AppTest

from annotate.gold.practice import PracticeRound, finish, record
from annotate.project.stored_settings import change_settings
from tests.support.making import judge, reading, store_proposed, verdict
from tests.support.paths import PAGES
from tests.support.told import columns_of


@pytest.fixture
def labelled(home) -> None:
    store_proposed(2)
    judge("Gina", 1, verdict(1), verdict(0, "reject"), reading())


def opened(**state: object) -> AppTest:
    run = AppTest.from_file(str(PAGES / "practice.py"), default_timeout=60)
    run.session_state["annotator"] = "Nora"
    for name, value in state.items():
        run.session_state[name] = value
    run.run()
    assert not run.exception
    return run


def words(run: AppTest) -> str:
    return "\n".join(part.value for part in (*run.markdown, *run.caption, *run.info, *run.subheader))


def test_without_a_round_the_page_says_who_sets_one(labelled):
    assert "No practice round has been set up" in words(opened())


def test_the_round_begins_is_judged_and_ends_with_feedback_and_a_score(labelled):
    change_settings("Cora", PracticeRound(article_ids=[1]))
    run = opened()
    assert "0 of 1 article" in words(run)
    next(button for button in run.button if button.label == "Begin").click().run()
    assert not run.exception
    assert "not stored as verdicts" in words(run)
    record("Nora", 1, [verdict(1)])
    finish("Nora", 1)
    run = opened(practice_seen=1)
    assert "**Agreed: key sentences: 1**" in words(run)
    assert {metric.label: metric.value for metric in run.metric} == {
        "Precision": "100%", "Recall": "100%", "Cohen's κ": "1.00",
    }  # fmt: skip
    assert "n = 3 sentences of 1 article." in words(run)
    assert columns_of(run, "Everybody")["Name"] == ["Nora"]
