"""How far the review is, on the page Queue: small, and with all that it can show; and the report's reliability plot."""

import math
from dataclasses import replace

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

import db.active_learning.heads
import db.rows
from annotate.evaluation.report import calibration
from annotate.project.home import read, write
from annotate.project.rights import Right
from annotate.review.progress import progress
from db.tables import Head
from model.evaluation.calibration import reliability
from pages.parts.evaluation import report_tables
from pages.parts.evaluation.report_charts import reliability_plot
from pages.parts.review.progress_tables import found_curve
from tests.support.making import version_without_weights
from tests.support.paths import PAGES
from tests.support.reviewed import Review, write_pool, write_reviews
from tests.support.told import html, table_named, words

pytestmark = pytest.mark.usefixtures("home")


def page() -> AppTest:
    run = AppTest.from_file(str(PAGES / "queue.py"), default_timeout=60)
    run.session_state["annotator"] = "Anna"
    run.run()
    assert not run.exception, run.exception
    return run


def review_some(articles: int = 80, finished: int = 60) -> None:
    """Every fifth article by lot, every third read in full, every fourth of these without proposals."""
    generator = np.random.default_rng(1)
    write_pool(articles, 30, [range(5)] * articles)
    reviews = []
    for i in range(finished):
        key = [int(p) for p in np.flatnonzero(generator.random(5) < (0.5 if i < 30 else 0.1))]
        review = Review(i + 1, 10 * i, 10 * i + 8, key, [p for p in range(5) if p not in key], waiting=articles - i)
        review = replace(review, at_random=i % 5 == 0, in_full=i % 3 == 0, with_proposals=i % 2 == 0)
        reviews.append(replace(review, key=[*key, 20]) if review.in_full and i < 30 else review)
    write_reviews(reviews)


def numbers(run: AppTest) -> dict[str, str]:
    return {metric.label: metric.value for metric in run.metric}


def test_a_pool_of_which_nothing_is_finished_says_what_lacks():
    write_pool(3, 6, [range(5)] * 3)
    run = page()
    assert numbers(run) == {
        "Waiting for you": "3", "Reviewed by you": "0", "With other people": "0", "Key sentences": "0",
        "Still to find": "–",
    }  # fmt: skip
    assert "No article is reviewed yet." in words(run)
    assert "needs at least 10 articles read in full with proposals and 10 without: 0 and 0 so far" in words(run)


def test_few_random_articles_are_said_to_be_too_few():
    review_some(articles=20, finished=7)
    told = words(page())
    assert "No estimate yet: 2 of 5 random articles" in told
    assert "Missed inside" not in told and "The estimate uses" not in told


def test_the_page_shows_the_estimate_the_missed_and_the_anchoring():
    review_some()
    run = page()
    with read() as session:
        now = progress(session)
    shown = numbers(run)
    assert shown["Key sentences"] == f"{now.found:,}"
    assert shown["Still to find"] == f"{round(now.unfound.value):,}"
    assert "60 of 80 reviewed" in html(run)
    told = words(run)
    low, high = math.floor(now.unfound.low), math.ceil(now.unfound.high)
    assert f"About {round(now.unfound.value)} ({low} to {high}) key" in told
    assert f"of all (by {now.draws} random articles)." in told
    assert (
        run.metric[4].help
        == f"{low} to {high} in 95 of 100 cases, in articles not reviewed yet, by 12 random articles."
    )
    assert "The estimate uses only articles that were drawn at random, 12 so far" in told
    assert "key sentences were probably missed in the 20 articles of which only the proposals were judged" in told
    assert "Shown a proposal, annotators call it key in " in told
    assert "Compared: 10 articles with and 10 without proposals" in told
    head, *rows = table_named(run, "Key sentences with and without proposals")
    assert head == ["Measure", "Proposals shown", "Not shown", "Difference"] and len(rows) == 4


def test_the_curve_ends_at_what_was_found_and_marks_the_random_draws():
    review_some()
    with read() as session:
        now = progress(session)
    traces = {trace.name: trace for trace in found_curve(now).data}
    assert set(traces) == {"95% interval", "estimated total", "found", "drawn at random"}
    assert traces["found"].x[-1] == 60
    assert traces["found"].y[-1] == sum(now.key)
    assert len(traces["drawn at random"].x) == 12
    assert max(traces["95% interval"].y) == now.total.high


def test_ten_thousand_articles_are_drawn_with_few_points():
    review_some()
    with read() as session:
        now = progress(session)
    many = replace(now, pool=10_000, articles=range(9000), key=[1] * 9000, by_lot=[True] * 9000)
    sizes = {trace.name: len(trace.x) for trace in found_curve(many).data}
    assert sizes["found"] <= 1502
    assert sizes["drawn at random"] <= 1500
    assert found_curve(many).data[2].y[-1] == 9000
    assert set(found_curve(many).data[3].y) == {0}  # at the axis: on the line they would hide it


def head(metrics: dict) -> int:
    """A version with a head that holds these metrics."""
    version = version_without_weights("v")
    with write(Right.SYSTEM) as session:
        db.rows.add(
            session, Head(version_id=version.id, until_verdict=0, counts={"base": True}, weights={}, metrics=metrics)
        )
    return version.id


def test_the_reliability_plot_shows_what_the_latest_head_stored():
    before = reliability([0.05, 0.05, 0.95, 0.95], [0, 0, 1, 0])
    after = reliability([0.1, 0.1, 0.5, 0.5], [0, 0, 1, 0])
    stored = {"a": 0.5, "b": 0.1, "ece_before": 0.25, "ece_after": 0.05, "sentences": 4, "articles": 2}
    stored |= {"reliability_before": before, "reliability_after": after}
    number = head({"calibration": stored})
    with read() as session:
        found = calibration(session, number)["calibration"]
    assert report_tables.calibration_sentence(found) == (
        "Calibration error (ECE, ten bins of equal width): 0.250 before, 0.050 after, on 4 judged sentences of "
        "2 articles."
    )
    traces = {trace.name: trace for trace in reliability_plot(found).data}
    assert list(traces["before"].x) == [0.05, 0.95]
    assert list(traces["after calibration"].y) == [0.0, 0.5]
    assert traces["before"].error_y.array[1] == pytest.approx(before[1]["share_high"] - 0.5)


def test_a_version_without_calibration_says_why():
    number = head({"calibration": None, "reason": "calibration needs 20 articles"})
    with read() as session:
        assert calibration(session, number)["reason"] == "calibration needs 20 articles"
        assert "no head has learnt under this version yet" in calibration(session, number + 1)["reason"]
