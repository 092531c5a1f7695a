"""The page Evaluate: what it says of the articles that it measures on."""

import re

import pytest
from streamlit.testing.v1 import AppTest

from annotate.evaluation.evaluate_version import evaluate
from annotate.evaluation.last_figures import Figures, last_figures
from annotate.evaluation.measuring_again import MeasuringSettings
from annotate.evaluation.metric_labels import HEADINGS
from annotate.gold.label_sets import labels_now
from annotate.project.home import read
from annotate.project.stored_settings import settings_now
from annotate.topics.project_topic import use_topic
from db.tables import Evaluation
from model.proposing.ranking import Ranking
from pages.parts.evaluation.evaluation_tables import rows_of
from tests.support.making import judge, paper, pmids, propose_with, query, store, store_divided_work, verdict
from tests.support.making import version_without_weights as version
from tests.support.measured import measured_once
from tests.support.paths import PAGES
from tests.support.told import columns_of, html
from tests.support.topics import SMALL

__all__ = ["measured_once"]
pytestmark = pytest.mark.usefixtures("home")


def opened() -> AppTest:
    run = AppTest.from_file(str(PAGES / "evaluate.py"), default_timeout=30)
    run.session_state["annotator"] = "Anna"
    run.run()
    assert not run.exception
    return run


def warnings() -> list[str]:
    """The warnings on the page."""
    return [warning.value for warning in opened().warning]


def test_works_in_two_splits_are_counted_and_named():
    propose_with(version("tiny"))
    store_divided_work()
    judge("Anna", 1, verdict(1))
    assert warnings() == [
        "Two splits share 1 work, so a version may have learnt from a test article: TP53 slows the growth of cells."
    ]


def test_where_there_are_none_nothing_is_said():
    propose_with(version("tiny"))
    store(paper(pmid=pmids("test", 1)[0]))
    judge("Anna", 1, verdict(1))
    assert warnings() == []


FIGURES = "Metrics by version and ranking"


def greyed(run: AppTest) -> bool:
    """Whether the one line of the table of figures is of earlier labels."""
    return '<tr class="old">' in html(run)


def test_one_verdict_leaves_the_last_figures_in_sight_greyed_with_their_time_and_what_came_since(measured_once):
    run = opened()
    assert columns_of(run, FIGURES)[HEADINGS["arp"]] == ["1.000 (1.00 to 1.00)"] and not greyed(run)
    judge("Anna", 1, verdict(0))
    run = opened()
    table = columns_of(run, FIGURES)
    assert table[HEADINGS["arp"]] == ["1.000 (1.00 to 1.00)"] and greyed(run)
    assert re.fullmatch(r"\d\d:\d\d, 1 verdict since", table["Measured"][0])
    evaluate(measured_once, Ranking.COSINE, "test")
    run = opened()
    table = columns_of(run, FIGURES)
    assert table[HEADINGS["arp"]] == ["0.500 (0.50 to 0.50)"] and not greyed(run)
    assert re.fullmatch(r"\d\d:\d\d", table["Measured"][0])


def test_figures_of_another_topic_are_greyed_and_share_no_fair_articles_with_others(measured_once):
    use_topic(SMALL, by="Anna")
    run = opened()
    assert greyed(run) and columns_of(run, FIGURES)["Measured"][0].endswith(", labels or topic changed since")
    with read() as session:
        (found,) = last_figures(session, [(measured_once, Ranking.COSINE)], "test", labels_now(session)).values()
    old, of_now = copy_of(found, fair_articles=[1]), copy_of(found, ranked_by_sha256="another", fair_articles=[])
    row, other = rows_of({("tiny", "cosine"): old, ("v1", "cosine"): of_now})
    assert (row["arp_fair"], other["arp_fair"]) == ("1.000 (1.00 to 1.00), 1 article", None)


def copy_of(one: Figures, **metrics) -> Figures:
    """The figures with some metrics changed."""
    row = one.evaluation
    kept = {"label_set_sha256": row.label_set_sha256, "created_at": row.created_at}
    return Figures(Evaluation(metrics=row.metrics | metrics, **kept))


def test_measuring_by_itself_is_switched_off_and_on_again_on_the_page(measured_once):
    for by_itself in (False, True):
        run = opened()
        run.toggle[0].set_value(by_itself).run()
        with read() as session:
            assert settings_now(session, MeasuringSettings).by_itself is by_itself
    assert query("SELECT changed_by FROM setting") == [("Anna",), ("Anna",)]
