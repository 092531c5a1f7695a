"""The page of simulations, alone on stored replays."""

import itertools

import pytest
from streamlit.testing.v1 import AppTest

from annotate.experiments.replay import replay
from annotate.experiments.simulation_spec import Replay, reading_name
from annotate.experiments.simulation_tables import curve_of
from annotate.jobs.lifecycle import enqueue
from annotate.project.home import write
from annotate.project.rights import Right
from db.finished_runs import insert_run
from db.jobs import finish
from db.tables import SimulationRun
from model.active_learning.acquisition import STRATEGIES
from pages.parts.experiments.simulation_charts import COLOURS, DASHES, SYMBOLS, VIEWS, learning_curves
from tests.annotate.experiments.test_replay import material
from tests.annotate.experiments.test_simulation_tables import replay as stored_replay
from tests.support.paths import PAGES

PAGE = PAGES / "simulate.py"
pytestmark = pytest.mark.usefixtures("home")


def insert(strategy, seed=0, *, proposals=None, corpus="new", order=0):
    run = Replay(f"{STRATEGIES[strategy].label}, {reading_name(proposals)}", order, "tiny", strategy, seed, proposals)
    described = {"sources": [{"name": corpus, "sha256": corpus}], "sha256": corpus}
    described |= {"articles": 30, "sentences": 240, "key": 30}
    with write(Right.SYSTEM) as session:
        insert_run(
            session,
            SimulationRun,
            experiment="strategies",
            key=run.key(corpus),
            corpus=described,
            encoder="tiny",
            settings=run.described,
            device="cpu",
            seconds=1.0,
            **replay(run, material()),
        )


def page():
    run = AppTest.from_file(str(PAGE), default_timeout=60).run()
    assert not run.exception, run.exception
    return run


def test_an_empty_project_is_told_how_to_begin():
    run = page()
    assert run.info[0].value.startswith("No simulation has finished a replay yet")
    # What needs files is for the command line.
    assert run.selectbox[0].options == ["CRISPR abstracts, learning at once", "Query strategies"]
    assert run.caption[0].value.startswith("50 replays, 10 lines.")


def test_strategies_are_drawn_and_tabled_one_reading_at_a_time():
    insert("random", corpus="old")
    for seed in (0, 1):
        insert("random", seed)
        insert("committee", seed, order=2)
        insert("random", seed, proposals=3, order=1)
    run = page()
    assert [box.label for box in run.selectbox][1:] == ["Simulation", "Corpus", "Articles are"]
    assert run.selectbox[1].options[0].startswith("Query strategies · 7 replays · ")
    assert run.multiselect[1].value == ["Random", "Query by committee"]
    assert [tab.label for tab in run.tabs] == [view.title for view in VIEWS]
    table = run.dataframe[0].value
    assert table[""].tolist() == ["Random, read in full", "Random, 3 proposals", "Query by committee, read in full"]
    assert table["seeds"].tolist() == ["2", "2", "2"]
    run.selectbox[3].select(3).run()
    assert not run.exception and run.multiselect[1].value == ["Random"]
    run.selectbox[2].select("old").run()
    assert not run.exception and run.dataframe[0].value["seeds"].tolist() == ["1"]


def test_a_click_starts_the_chosen_replays(monkeypatch):
    started = []
    monkeypatch.setattr("annotate.jobs.lifecycle.start", lambda kind, payload: started.append((kind, payload)))
    run = page()
    run.selectbox[0].select("crispr")
    run.multiselect[0].set_value(["score"])
    run.number_input[0].set_value(2)
    run.number_input[1].set_value(7)
    run.button[0].click().run()
    ((kind, payload),) = started
    spec = payload["spec"]
    assert (kind, spec["name"], spec["strategies"], spec["articles"]) == ("simulate", "crispr", ["score"], 7)
    assert payload["seeds"] == 2 and spec["evaluate"] == "rest"


def test_replays_that_failed_are_named_beside_those_that_did_not():
    job = enqueue("simulate", {})
    failed = [{"row": "Random, read in full", "seed": 0, "error": "its process ended without a word"}]
    with write(Right.SYSTEM) as session:
        finish(session, job, "done", result={"runs": 5, "failed": failed})
    run = page()
    assert [entry.value for entry in run.warning] == ["1 of 5 replays failed."]
    assert run.dataframe[0].value["error"].tolist() == ["its process ended without a word"]


def test_ten_lines_are_told_apart_by_more_than_colour_and_named_where_they_end():
    from annotate.experiments.experiment_tables import rows_of

    runs = [
        stored_replay(2 * number + seed, [0.3, 0.4 + number / 100], strategy=name, seed=seed, order=number)
        for number, name in enumerate(STRATEGIES)
        for seed in (0, 1)
    ]
    curves = {row.runs[0].settings["strategy"]: curve_of(row) for row in rows_of(runs)}
    styles = {name: number for number, name in enumerate(STRATEGIES)}
    figure = learning_curves(curves, VIEWS[0], 0.5, styles)
    lines = [trace for trace in figure.data if trace.mode == "lines+markers"]
    looks = {(trace.line.color, trace.line.dash) for trace in lines}
    assert len(looks) == len({trace.marker.symbol for trace in lines}) == len(STRATEGIES)
    assert len(COLOURS) * len(DASHES) >= len(STRATEGIES) <= len(SYMBOLS)
    named = [note for note in figure.layout.annotations if note.text.startswith("<b>")]
    assert {note.text for note in named} == {f"<b>{name}</b>" for name in STRATEGIES}
    # The names keep apart: fifteen pixels of the 350 that the range fills, within rounding.
    heights = sorted(note.y for note in named)
    low, high = figure.layout.yaxis.range
    apart = min(after - before for before, after in itertools.pairwise(heights))
    assert apart / (high - low) > 0.03
    assert "all labels" in [note.text for note in figure.layout.annotations]
    assert not learning_curves({}, VIEWS[3], None, {}).data
