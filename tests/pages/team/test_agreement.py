"""The agreement page, alone: empty, small, with hostile names, and large; its figures and files."""

import csv
import io
from dataclasses import replace
from datetime import date, timedelta

import pytest
from streamlit.testing.v1 import AppTest

from annotate.project.home import read
from annotate.team.agreement import Pair, Period, team_agreement
from model.agreement import Agreement, Coefficient, PairAgreement
from pages.parts.team.agreement_charts import over_time, pair_matrix
from pages.parts.team.agreement_tables import articles_csv, pairs_csv
from tests.support.making import SENTENCES, judge, paper, store, verdict
from tests.support.paths import PAGES
from tests.support.queueing import begin
from tests.support.told import table_named, words

PAGE = PAGES / "agreement.py"
pytestmark = pytest.mark.usefixtures("home")
HOSTILE = "<b>Ben</b> *x*"


def page() -> AppTest:
    run = AppTest.from_file(str(PAGE), default_timeout=60)
    run.session_state.annotator = "Carla"
    run.run()
    assert not run.exception, run.exception
    return run


def some() -> None:
    """Two articles of six sentences. In the second all that one calls key the other rejects."""
    store(*(paper(SENTENCES * 2, pmid=str(pmid), title=f"=Article {pmid}") for pmid in (1, 2)))
    for number in (1, 2):
        judge("Anna", number, *(verdict(p, "accept" if p % 2 else "reject") for p in range(6)))
        judge(HOSTILE, number, *(verdict(p, "accept" if p % 2 == number % 2 else "reject") for p in range(6)))


def test_an_empty_database_is_said_to_be_empty():
    run = page()
    assert run.info[0].value == "No sentence is labelled by two annotators yet."
    assert not run.metric


def test_the_page_says_how_many_verdicts_were_not_blind_and_do_not_count():
    begin(1, double_share=1)
    judge("Anna", 1, verdict(0), verdict(1))
    judge("Ben", 1, verdict(0), verdict(1, "reject"))
    assert "not blind" not in words(page())
    judge("Ben", 1, verdict(1))
    run = page()
    assert "1 verdict was given after the others' were shown: not blind, so left out." in words(run)
    assert run.metric[2].value == "50%" and ", of 2 sentences in 1 article." in words(run)


def test_the_page_shows_the_numbers_and_how_to_read_them():
    some()
    run = page()
    # 6 of 12 sentences agree; of 24 labels 12 are key: alpha 1 - 23 * 12 / (2 * 12 * 12).
    assert [metric.value for metric in run.metric] == ["0.04", "0.00", "50%", "50%"]
    told = words(run)
    assert "12 sentences of 2 articles with labels of at least two annotators." in told
    assert "Intervals" not in told  # there is none of two articles
    assert "Landis and Koch would call an α of 0.04 slight: a convention, not a test." in told
    assert "Worth a look: 1 of 2, with an α below 0.667 from 5 sentences or more." in told
    assert "κ below 0.667: <b>Ben</b> *x* and Anna." in told
    assert table_named(run, "Labels of both annotators")[1:] == [["key", "3", "3"], ["not key", "3", "3"]]
    articles = run.dataframe[0].value
    assert articles["look"].tolist() == ["low", ""]
    assert articles["adjudicate"].dropna().tolist() == ["/adjudicate?article=2"]
    assert articles["open"].tolist() == [6, 0]


def test_of_few_sentences_the_page_says_that_they_are_too_few():
    store(paper(pmid="1"))
    judge("Anna", 1, verdict(0), verdict(1))
    judge("Ben", 1, verdict(0), verdict(1, "reject"))
    told = words(page())
    assert "No article has the 5 sentences from which an α says whether it is worth a look." in told
    assert "Worth a look: " not in told


def test_how_far_intervals_may_be_believed_is_said_where_there_are_any():
    store(*(paper(pmid=str(pmid)) for pmid in range(5)))
    for number in range(1, 6):
        judge("Anna", number, verdict(0), verdict(1, "reject"))
        judge("Ben", number, verdict(0), verdict(1, "accept" if number == 1 else "reject"))
    assert "Intervals draw whole articles; of fewer than 20 they are too narrow." in words(page())


def test_unsure_is_told_apart():
    some()
    judge("Anna", 1, verdict(0, "unsure"))
    assert "Unsure, not counted in any coefficient: Anna 8% (1 of 12)." in words(page())


def test_the_tables_are_exported_with_their_numbers():
    some()
    with read() as session:
        team = team_agreement(session)
    articles = list(csv.DictReader(io.StringIO(articles_csv(team.articles, {2: 6}))))
    names = ("article", "title", "sentences", "differing", "to_adjudicate")
    assert [[row[name] for name in names] for row in articles] == [
        ["2", "'=Article 2", "6", "6", "6"], ["1", "'=Article 1", "6", "0", "0"],
    ]  # fmt: skip
    assert float(articles[1]["alpha"]) == 1.0
    (pair,) = csv.DictReader(io.StringIO(pairs_csv(team.pairs)))
    assert (pair["first"], pair["second"]) == (HOSTILE, "Anna")
    assert [pair[name] for name in ("both_key", "first_alone", "second_alone", "neither")] == ["3"] * 4
    assert float(pair["kappa"]) == 0.0


def pair(first: str, second: str, kappa: float | None) -> Pair:
    found = Coefficient(kappa)
    return Pair(first, second, PairAgreement(10, 1, ((4, 1), (1, 4)), found, found, found), low=False)


def test_the_matrix_is_symmetric_with_names_escaped_and_numbers_where_they_can_be_read():
    pairs = [pair("Anna", HOSTILE, 0.5), pair("Anna", "Zoe", None)]
    (heat,) = pair_matrix(pairs).data
    assert [list(row) for row in heat.z] == [[None, 0.5, None], [0.5, None, None], [None, None, None]]
    assert heat.texttemplate == "%{text}"
    assert "no kappa: one label alone" in str(heat.customdata)
    assert "<b>" not in str(heat.customdata) + str(pair_matrix(pairs).layout.xaxis.ticktext)
    many = [pair(f"A{i}", f"A{j}", 0.5) for i in range(30) for j in range(i)]
    assert pair_matrix(many).data[0].texttemplate is None
    assert pair_matrix(many).layout.height == 620


def period(week: int, *alpha: float | None) -> Period:
    none = Coefficient(None)
    return Period(date(2025, 1, 6) + timedelta(weeks=week), Agreement(10, 2, none, none, none, Coefficient(*alpha)))


def test_the_band_breaks_where_there_is_no_interval():
    periods = [period(0, 0.5, 0.3, 0.7), period(1, 0.6, 0.4, 0.8), period(2, 0.7), period(3, 0.2, -0.4, 0.6)]
    *bands, line = over_time(periods, by_month=False).data
    assert [len(band.x) for band in bands] == [4, 4]
    assert list(bands[0].y) == [0.3, 0.4, 0.8, 0.7]
    assert list(bands[1].y) == [-0.4, -0.4, 0.6, 0.6]
    assert [band.showlegend for band in bands] == [True, False]
    assert list(line.y) == [0.5, 0.6, 0.7, 0.2]
    assert over_time(periods, by_month=False).layout.yaxis.range[0] == pytest.approx(-0.53)
    assert over_time([replace(periods[2])], by_month=True).layout.yaxis.range[0] == pytest.approx(-0.03)
