"""The page of the fair test: what it says where nothing can be asked, and what comes of the answers."""

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from annotate.evaluation.evaluate_version import evaluate
from model.proposing.ranking import Ranking
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


def opened(page: str = "fair_test") -> AppTest:
    """The page as Ben sees it."""
    run = AppTest.from_file(str(PAGES / f"{page}.py"), default_timeout=60)
    run.session_state.annotator = "Ben"
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


def test_retrain_says_what_an_unfair_comparison_needs_and_what_a_fair_one_decides_by(versions):
    for version in versions:
        for ranking in (Ranking.HYBRID, Ranking.COSINE):
            evaluate(version, ranking, "test")
    assert any("only 0 are fair to both versions" in part.value for part in opened("retrain").warning)
    judge("Ben", 1, *(verdict(number, "reject") for number in (5, 6, 7)))
    for version in versions:
        for ranking in (Ranking.HYBRID, Ranking.COSINE):
            evaluate(version, ranking, "test")
    run = opened("retrain")
    assert not any("are fair to both" in part.value for part in run.warning)
    assert "On the 1 of 1 test articles that are fair to both." in [part.value for part in run.caption]


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
