"""What is read aloud to those who do not see the screen: figures as words and tables, jobs, decisions."""

import os

import plotly.graph_objects as go
import pytest
from streamlit.testing.v1 import AppTest

import db.jobs
from annotate.jobs import job_process
from annotate.jobs.lifecycle import enqueue
from annotate.project.home import write
from annotate.project.rights import Right
from pages.parts.shared.figures import MOST_POINTS, figure_words
from tests.pages.shared.test_figures import FIGURES
from tests.support.making import judge, paper, store, verdict
from tests.support.paths import PAGES
from tests.support.told import components


@pytest.mark.parametrize("make", FIGURES, ids=lambda make: make.__name__)
def test_every_figure_has_a_name_with_its_axes_and_number_and_a_table_of_text(make):
    told = figure_words(FIGURES[make]())
    assert told["label"].startswith("Figure: ") and "n = " in told["label"]
    assert told["rows"] and {len(row) for row in told["rows"]} == {len(told["head"])}
    assert all(isinstance(cell, str) and "<" not in cell for row in told["rows"] for cell in row)


def test_no_figure_is_drawn_without_its_words():
    drawing = {path.name for path in PAGES.rglob("*.py") if "plotly_chart(" in path.read_text()}
    assert drawing == {"figures.py"}


def test_of_a_long_series_the_ends_the_lowest_and_the_highest_are_told():
    heights = [5.0, *[7.0] * MOST_POINTS, 9.0, -2.5, 6.0]
    figure = go.Figure(go.Scatter(x=list(range(len(heights))), y=heights, name="loss"))
    rows = figure_words(figure)["rows"]
    assert [row[2] for row in rows] == ["5", "9", "−2.5", "6"]
    assert [row[0] for row in rows] == ["loss"] * 4


def test_a_map_of_colours_tells_each_cell_by_the_names_of_its_axes():
    figure = go.Figure(go.Heatmap(z=[[None, 0.25], [0.25, None]]))
    names = {"tickvals": [0, 1], "ticktext": ["Anna &amp; Co", "Ben"]}
    figure.update_xaxes(**names).update_yaxes(**names)
    assert figure_words(figure)["rows"] == [["", "Ben", "Anna & Co", "0.25"], ["", "Anna & Co", "Ben", "0.25"]]


def aloud(run: AppTest) -> list[str]:
    assert not run.exception
    return [data["text"] for data in components(run) if "first" in data]


def panel() -> None:
    """A page with nothing but the panel."""
    from pages.parts.shared.job_panel import job_panel

    job_panel(["train"])


@pytest.mark.usefixtures("home")
def test_the_state_of_a_job_is_read_aloud_as_it_changes():
    page = AppTest.from_function(panel, default_timeout=30)
    assert aloud(page.run()) == [""]
    job_id = enqueue("train", {})
    with write(Right.SYSTEM) as session:
        own = job_process.identity(os.getpid())
        db.jobs.change(session, job_id, from_states=("queued",), state="running", **own)
    assert aloud(page.run()) == ["Retraining: running"]
    with write(Right.SYSTEM) as session:
        db.jobs.change(session, job_id, from_states=("running",), state="done")
    assert aloud(page.run()) == ["Retraining: done"]


@pytest.mark.usefixtures("home")
def test_a_decision_is_read_aloud_with_the_sentence_that_comes_next():
    store(paper(pmid="1"))
    judge("Anna", 1, verdict(0), verdict(1))
    judge("Ben", 1, verdict(0, "reject"), verdict(1, "reject"))
    run = AppTest.from_file(str(PAGES / "adjudicate.py"), default_timeout=60)
    run.session_state.annotator = "Carla"
    (text,) = aloud(run.run())
    assert text.startswith("Sentence 1 of 2, 0 decided. The gene is known. ")
    assert "Anna" not in text and "Not decided yet." in text
    next(button for button in run.button if button.label == "Key").click()
    (text,) = aloud(run.run())
    assert text.startswith("Saved: Key. Sentence 2 of 2, 1 decided. Here we deleted TP53")
    next(button for button in run.button if button.label == "Undo").click()
    assert aloud(run.run())[0].startswith("Undone. Sentence 1 of 2, 0 decided.")
