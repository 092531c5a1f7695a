"""The page Evaluate: what it says of the articles that it measures on."""

import pytest
from streamlit.testing.v1 import AppTest

from tests.support.making import judge, paper, pmids, propose_with, store, store_divided_work, verdict
from tests.support.making import version_without_weights as version
from tests.support.paths import PAGES

pytestmark = pytest.mark.usefixtures("home")


def warnings() -> list[str]:
    """The warnings on the page."""
    run = AppTest.from_file(str(PAGES / "evaluate.py"), default_timeout=30)
    run.session_state["annotator"] = "Anna"
    run.run()
    assert not run.exception
    return [warning.value for warning in run.warning]


def test_works_in_two_splits_are_counted_and_named():
    propose_with(version("tiny"))
    store_divided_work()
    judge("Anna", 1, verdict(1))
    assert warnings() == [
        "1 works lie in two splits, so that a version may have learnt what it is measured on: "
        "TP53 slows the growth of cells."
    ]


def test_where_there_are_none_nothing_is_said():
    propose_with(version("tiny"))
    store(paper(pmid=pmids("test", 1)[0]))
    judge("Anna", 1, verdict(1))
    assert warnings() == []
