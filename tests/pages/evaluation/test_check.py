"""The page Check: what it says where nothing can be asked, and what comes of the answers."""

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from annotate.evaluation.evaluate_version import evaluate
from annotate.project.rights import Right
from model.proposing.ranking import Ranking
from pages.parts.evaluation import comparison_card
from tests.support.making import (
    judge,
    paper,
    pmids,
    propose_with,
    store,
    store_cosines,
    verdict,
    version_without_weights,
)
from tests.support.paths import PAGES
from tests.support.topics import BEST_GENERIC, GENERIC_QUERIES

TEXT = tuple(f"The {word} was there on that day." for word in "sun rain wind snow hail fog dew ice".split())


def opened(what: str = "fair_test", page: str = "check") -> AppTest:
    """The page as Ben sees it."""
    run = AppTest.from_file(str(PAGES / f"{page}.py"), default_timeout=60)
    run.session_state.annotator = "Ben"
    run.query_params["what"] = what
    run.run()
    assert not run.exception, run.exception
    return run


@pytest.fixture
def versions(home):
    """A version, its child, and a test article in which the first's five are judged."""
    store(paper(TEXT, pmid=pmids("test", 1)[0]))
    parent = version_without_weights("parent")
    propose_with(parent)
    child = version_without_weights("child", parent_id=parent.id)
    rising = np.linspace(0.1, 0.9, len(TEXT))
    store_cosines(parent, 1, GENERIC_QUERIES[BEST_GENERIC], rising[::-1])
    store_cosines(child, 1, GENERIC_QUERIES[BEST_GENERIC], rising)
    judge("Anna", 1, verdict(0), *(verdict(number, "reject") for number in (1, 2, 3, 4)))
    return parent, child


def test_without_a_second_version_there_is_nothing_to_compare(home):
    store(paper(pmid=pmids("test", 1)[0]))
    propose_with(version_without_weights("parent"))
    assert [part.value for part in opened().info] == ["There is only one version. Retrain to get a second one."]


def test_without_a_labelled_test_article_there_is_nothing_to_judge(versions):
    judge("Anna", 1, *(verdict(number, "withdrawn") for number in range(5)))
    assert [part.value for part in opened().info] == ["No test article has a label yet."]


def test_what_is_not_embedded_yet_says_so(versions):
    version_without_weights("third", parent_id=versions[0].id)
    run = opened()
    assert [part.value for part in run.info] == ["The test articles are not embedded under third yet."]
    assert [button.label for button in run.button][-1] == "Evaluate both versions"


def test_an_audit_says_what_it_lacks(home):
    store(paper(TEXT, pmid=pmids("test", 1)[0]))
    propose_with(version_without_weights("tiny"))
    assert [part.value for part in opened("audit").info] == [
        "Nothing to audit: no article of the test split has a key sentence yet."
    ]
    judge("Anna", 1, verdict(0))
    run = opened("audit")
    assert [part.value for part in run.info] == ["The test articles are not embedded under tiny yet."]
    assert [button.label for button in run.button][-1] == "Evaluate this version"


@pytest.mark.postgresql
@pytest.mark.parametrize("page", ["retrain", "evaluate", "check"])
def test_one_card_says_what_an_unfair_comparison_lacks_and_what_a_fair_one_tells(versions, page):
    def card() -> tuple[str, list[str]]:
        run = AppTest.from_file(str(PAGES / f"{page}.py"), default_timeout=60)
        run.session_state.annotator = "Ben"
        run.query_params["version"], run.query_params["what"] = "child", "fair_test"
        run.run()
        assert not run.exception
        told = [text.value.strip("*").replace("\\", "") for text in run.markdown]
        line = "child against parent, both ranked by hybrid"
        against = told.index(line) if line in told else -2
        return told[against + 1], [button.label for button in run.button if button.label in ("Promote", "Evaluate")]

    for version in versions:
        evaluate(version, Ranking.HYBRID, "test")
    if page != "check":  # there it stands once nothing is left to judge
        assert card() == ("Not decided: only 0 of 1 test articles are fair to both.", ["Promote"])
    judge("Ben", 1, *(verdict(number, "reject") for number in (5, 6, 7)))
    assert card() == ("Not measured on the present labels.", ["Promote", "Evaluate"])
    for version in versions:
        evaluate(version, Ranking.HYBRID, "test")
    assert card() == ("Not decided: 1 fair article, at least 10 are needed.", ["Promote"])


def test_a_person_who_may_not_promote_is_told_who_may(versions, monkeypatch):
    monkeypatch.setattr(comparison_card, "may", lambda right: right is not Right.PROMOTE)
    run = opened(page="retrain")
    assert "Promote" not in [button.label for button in run.button]
    assert "Maintainers promote." in [caption.value for caption in run.caption]


def test_what_was_judged_on_another_page_meanwhile_is_not_for_this_one_to_take_back(versions):
    run = opened()
    first, second, *others = run.session_state.fair_test_open
    judge("Ben", 1, verdict(second.sentence.position, "reject"))  # not on the screen, in another tab
    run.run()
    assert run.session_state.fair_test_open[0] == first and run.session_state.fair_test_done == []
    judge("Ben", 1, verdict(first.sentence.position, "reject"))  # on the screen: its answer came through unheard
    run.run()
    assert run.session_state.fair_test_done == [first]
    assert run.session_state.fair_test_open == others
