"""The advice on the retrain page: what changed, what it may bring, the policy's form and the last automatic run."""

import pytest
from streamlit.testing.v1 import AppTest

import db.jobs
from annotate.project.home import read, write
from annotate.project.rights import Right
from annotate.project.stored_settings import change_settings, settings_now
from annotate.retraining.advice import Advice, Point, SplitChange, Worth
from annotate.retraining.retrain_policy import Gate, RetrainPolicy, When
from model.evaluation.intervals import Estimate
from pages.parts.retraining.retrain_advice import changes_by_split, fairness_of, learning_curve
from tests.support.making import judge, paper, pmids, propose_with, query, store, trained_version, verdict
from tests.support.making import version_without_weights as bare
from tests.support.paths import PAGES
from tests.support.told import captions

PAGE = str(PAGES / "retrain.py")


@pytest.fixture
def labelled(home):
    """Two train articles and one of test with a key sentence each."""
    store(*(paper(pmid=pmid) for split, n in (("train", 2), ("test", 1)) for pmid in pmids(split, n)))
    version = bare("tiny")
    propose_with(version)
    for article_id in (1, 3):
        judge("Anna", article_id, verdict(1))
    return version


def page() -> AppTest:
    run = AppTest.from_file(PAGE, default_timeout=30).run()
    assert not run.exception
    return run


def test_an_empty_database_is_told_once_that_there_is_nothing_to_learn_from(home):
    run = page()
    assert not run.info and not run.success
    assert [warning.value for warning in run.warning] == [
        "Cannot train yet: no key sentence in the train and test split."
    ]
    labels = [expander.label for expander in run.expander]
    assert "Training begins only by a click; promoted by a person" in labels


def test_what_is_worth_it_stands_on_top_with_its_figures(labelled):
    trained_version("v1", parent=labelled)
    judge("Anna", 2, verdict(1), verdict(0, "reject"))
    run = page()
    said = run.success[0].value.replace("\\", "")
    assert said.startswith(
        "**Worth it: 100% more key sentences than v1 was trained on.** Expected: ARP +0.03 (+0.01 to +0.10)"
    )
    assert "2 verdicts; 0 articles newly read in full; 1 key sentence trained on, 2 now." in captions(run)


def test_the_form_changes_the_policy_and_the_page_says_what_it_waits_for(labelled):
    run = page()
    run.radio(key="when_retrain_0").set_value(When.AFTER)
    run.radio(key="gate_retrain_0").set_value(Gate.BETTER)
    run.number_input(key="after_verdicts_retrain_0").set_value(30)
    run.number_input(key="night_hour_retrain_0").set_value(4)
    run = next(button for button in run.button if button.label == "Save").click().run()
    assert not run.exception
    with read() as session:
        assert settings_now(session, RetrainPolicy) == RetrainPolicy(When.AFTER, 30, 4, Gate.BETTER)
    assert query("SELECT changed_by FROM setting") == [("operator",)]
    assert any(
        expander.label == "Training begins after 30 new verdicts; promoted by the gate, where surely better"
        for expander in run.expander
    )
    assert "Automatic training waits: 2 of 30 new verdicts." in captions(run)


@pytest.mark.parametrize(
    ("promoted", "words"), [(True, "The gate promoted v1: so much better."), (False, "The gate did not promote v1: so")]
)
def test_the_last_automatic_run_and_its_gate_are_told(labelled, promoted, words):
    change_settings("Anna", RetrainPolicy(When.NIGHT))
    with write(Right.SYSTEM) as session:
        job_id = db.jobs.insert_job(session, "train", {"automatic": "7 new verdicts", "until_verdict": 2})
        result = {"child": "v1", "promoted": promoted, "gate": "so much better"}
        db.jobs.finish(session, job_id, "done", result=result)
    said = captions(page())
    assert "for 7 new verdicts: done, made v1." in said
    assert words in said


def test_a_failed_automatic_run_says_its_error_as_it_stands(labelled):
    with write(Right.SYSTEM) as session:
        job_id = db.jobs.insert_job(session, "train", {"automatic": "7 new verdicts", "until_verdict": 2})
        db.jobs.finish(session, job_id, "failed", error="disk *full*")
    assert "for 7 new verdicts: failed: disk *full*." in captions(page())


def test_the_bars_count_each_kind_of_change_by_split():
    figure = changes_by_split(
        (SplitChange("train", key=3, changed=1), SplitChange("validation"), SplitChange("test", key=2))
    )
    assert [(bar.name, list(bar.x)) for bar in figure.data] == [("key sentences", [3, 0, 2]), ("changed", [1, 0, 0])]
    assert list(figure.data[0].y) == ["train", "validation", "test"]


def test_the_curve_shows_the_next_point_with_its_interval():
    points = [Point("v<1>", 10, Estimate(0.5, 0.4, 0.6)), Point("v2", 20, Estimate(0.6, 0.5, 0.7))]
    figure = learning_curve(points, Point("next", 40, Estimate(0.7, 0.65, 0.9)))
    versions, expected = figure.data
    assert (list(versions.x), list(versions.y)) == ([10, 20], [0.5, 0.6])
    assert versions.text[0] == "v&lt;1&gt;"
    assert (list(expected.x), list(expected.y), expected.name) == ([40], [0.7], "expected next")
    assert expected.error_y.array[0] == pytest.approx(0.2) and expected.error_y.arrayminus[0] == pytest.approx(0.05)


@pytest.mark.parametrize(
    ("fair", "told"),
    [
        (
            ((1, 2), (1, 2)),
            "The curve is fair: in all test articles, annotators judged everything that a version ranks first.",
        ),
        (((1, 2), (2,)), "The curve is not fair: only in 1 of 2 test articles"),
        (((1, 2), ()), "The curve is not fair: only in 0 of 2 test articles"),
    ],
)
def test_a_curve_that_is_not_fair_is_marked(fair, told):
    points = tuple(Point("v", 10, Estimate(0.5, 0.4, 0.6), 2, frozenset(own)) for own in fair)
    assert fairness_of(Advice(Worth.SOME, "", None, points, None)).startswith(told)
