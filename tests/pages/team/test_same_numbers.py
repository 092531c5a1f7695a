"""A number that several pages show is one number: they are walked, and what they say of one project is compared."""

import re
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from annotate.cli.main import main
from annotate.operations.overview import next_steps, overview
from annotate.operations.project_status import status
from annotate.project.home import read
from annotate.review.assignments import finish_or_leave
from annotate.team.adjudication import adjudicate
from tests.support.making import judge, query, reading, store_proposed, verdict
from tests.support.paths import PAGES
from tests.support.queueing import begin, given

pytestmark = pytest.mark.usefixtures("home")


def page(name: str) -> AppTest:
    run = AppTest.from_file(str(PAGES / f"{name}.py"), default_timeout=60)
    run.session_state["annotator"] = "Carla"
    run.run()
    assert not run.exception
    return run


def metrics(run: AppTest) -> dict[str, Any]:
    return {metric.label: metric.value for metric in run.metric}


def disagreeing() -> None:
    """Three articles: disputes in two, one of them a minority; a decision; an unsure; one read by one expert alone."""
    store_proposed(3)
    judge("Anna", 1, verdict(0), verdict(1), verdict(2))
    judge("Ben", 1, verdict(0, "reject"), verdict(1), verdict(2, "unsure"))
    judge("Carla", 1, verdict(0), verdict(1))
    judge("Anna", 2, verdict(0), verdict(1, "reject"))
    judge("Ben", 2, verdict(0, "reject"), verdict(1), reading())
    judge("Anna", 3, verdict(2))


def disputed_on_every_page(capsys: pytest.CaptureFixture[str]) -> set[str]:
    assert main(["agreement"]) == 0
    told = capsys.readouterr().out.strip().splitlines()[-1]
    agreement = [words.value.strip("*.") for words in page("agreement").markdown if "disputed" in words.value]
    chosen = [box.label for box in page("adjudicate").selectbox if "disputed" in box.label]
    frozen = [warning.value.split(":")[0] for warning in page("gold").warning if "disputed" in warning.value]
    assert len(agreement) == len(chosen) == len(frozen) == 1
    return {told, *agreement, *chosen, *frozen}


def test_disputed_sentences_are_as_many_on_every_page_before_and_after_decisions(capsys):
    disagreeing()
    assert disputed_on_every_page(capsys) == {"3 disputed sentences in 2 articles"}
    table = next(frame.value for frame in page("agreement").dataframe if "open" in frame.value)
    assert table["open"].sum() == 3
    first, last = query("SELECT min(id), max(id) FROM verdict WHERE article_id = 1 AND sentence_id = 1")[0]
    assert first < last
    adjudicate("Carla", 1, 1, "accept", seen=last, event_id="decision-1")
    assert disputed_on_every_page(capsys) == {"2 disputed sentences in 1 article"}


def test_disputes_that_wait_for_experts_are_told_apart_in_the_same_words():
    begin(1, double_share=1.0, experts=2)
    assert given("Anna") == given("Ben") == 1
    judge("Anna", 1, verdict(0), verdict(1))
    judge("Ben", 1, verdict(0, "reject"))
    finish_or_leave("Anna", 1)
    words = "1 disputed sentence in 1 article that somebody still has open"
    assert any(words in shown.value for shown in page("agreement").markdown)
    assert any(words in shown.value for shown in page("adjudicate").info)
    assert any(words in shown.value for shown in page("gold").warning)
    with read() as session:  # Start sends nobody to decide what is too early
        found = next_steps(session, "Carla", overview(session, "Carla"))
        assert "adjudicate" not in [each.page for each in found]


def test_key_sentences_are_as_many_on_every_page():
    disagreeing()
    key = str(status()["key_sentences"])
    shown = {
        "articles": metrics(page("articles"))["Key sentences"],
        "gold": metrics(page("gold"))["Key sentences"],
        "queue": metrics(page("queue"))["Key sentences"],
    }
    assert shown == dict.fromkeys(shown, key) and re.fullmatch(r"[1-9]\d*", key)


def test_what_is_tied_is_not_called_disputed():
    disagreeing()
    gold = metrics(page("gold"))
    assert gold["Tied"] == "2" and "Disputed" not in gold  # a minority is disputed, and has a label all the same
