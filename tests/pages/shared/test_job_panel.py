"""The panel of a job: how far it is, and that it was begun again."""

import os

import pytest
from streamlit.testing.v1 import AppTest

import db.jobs
from annotate.jobs import job_process
from annotate.jobs.lifecycle import enqueue, log_path
from annotate.project.home import write
from annotate.project.rights import Right
from pages.parts.shared import job_panel

pytestmark = pytest.mark.usefixtures("home")


def panel() -> None:
    """A page with nothing but the panel."""
    from pages.parts.shared.job_panel import job_panel

    job_panel(["train"])


def shown(**values) -> str:
    """The line below the bar of a running training with these values on its row."""
    progress = {"stage": "training", "done": 700, "total": 1000, "loss": 0.25} | values.pop("more", {})
    job_id = enqueue("train", {})
    with write(Right.SYSTEM) as session:
        running = {"state": "running", "progress": progress, **job_process.identity(os.getpid())}
        db.jobs.change(session, job_id, from_states=("queued",), **running, **values)
    run = AppTest.from_function(panel, default_timeout=30).run()
    assert not run.exception
    return run.get("progress")[0].proto.text


def test_who_may_not_cancel_a_job_is_offered_no_button_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    enqueue("train", {})
    for mine in (True, False):
        monkeypatch.setattr(job_panel.lifecycle, "may_cancel", lambda *_, mine=mine: mine)
        (cancel,) = AppTest.from_function(panel, default_timeout=30).run().button
        assert (cancel.label, cancel.disabled) == ("Cancel", not mine)


def test_the_log_of_a_job_that_went_well_is_not_shown() -> None:
    def page() -> None:
        from pages.parts.shared.job_panel import job_logs

        job_logs(["train"])

    job_id = enqueue("train", {})
    log_path(job_id).write_text("The whole story")
    for state, logs in (("failed", 1), ("done", 0)):
        with write(Right.SYSTEM) as session:
            db.jobs.change(session, job_id, from_states=("queued", "failed"), state=state)
        assert len(AppTest.from_function(page, default_timeout=30).run().code) == logs


def test_the_first_attempt_is_not_worth_a_word():
    assert shown() == "700 of 1,000 · loss 0.2500"


def test_a_job_that_was_begun_again_says_so():
    assert shown(attempts=2) == "700 of 1,000 · loss 0.2500 · attempt 2 of 3"


def test_a_training_says_where_it_was_resumed():
    line = shown(attempts=3, more={"resumed_at_step": 640})
    assert line == "700 of 1,000 · loss 0.2500 · attempt 3 of 3, resumed at step 640"


def test_whoever_may_open_less_than_before_sees_the_page_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    """The panel runs by itself every second, without its page, which asks who may be here."""
    reruns = []
    monkeypatch.setattr(job_panel, "draw_again", lambda: reruns.append(1))
    before, nothing = job_panel.open_to_me(), lambda: False
    job_panel._watch([], set(), before, "", nothing)
    assert not reruns
    monkeypatch.setenv("KEYLINE_AUTH", "local")  # where nobody is logged in
    job_panel._watch([], set(), before, "", nothing)
    assert reruns == [1]


def test_a_page_is_drawn_again_before_its_job_ends_once_there_is_news(monkeypatch: pytest.MonkeyPatch) -> None:
    reruns, news = [], [False, True]
    monkeypatch.setattr(job_panel, "draw_again", lambda: reruns.append(1))
    for said in ([], [1]):
        job_panel._watch([], set(), job_panel.open_to_me(), "", lambda: news.pop(0))
        assert reruns == said


def two_kinds() -> None:
    """A page with the panel of two kinds of job."""
    from pages.parts.shared.job_panel import job_panel

    job_panel(["functions", "propose"])


def test_how_a_job_ended_is_told_while_another_one_goes_on():
    ended, going = enqueue("functions", {}), enqueue("propose", {})
    with write(Right.SYSTEM) as session:
        db.jobs.change(session, ended, from_states=("queued",), state="failed", error="no memory")
        running = {"state": "running", **job_process.identity(os.getpid())}
        db.jobs.change(session, going, from_states=("queued",), **running)
    run = AppTest.from_function(two_kinds, default_timeout=30).run()
    assert not run.exception
    assert [text.value for text in run.error] == ["Telling what sentences do failed: no memory"]
    assert len(run.get("progress")) == 1
