"""The page of simulations, alone on stored replays."""

import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from annotate.experiments.replay import replay
from annotate.experiments.simulation_spec import Replay, reading_name
from annotate.jobs.lifecycle import enqueue
from annotate.project.home import write
from annotate.project.rights import Right
from db.evaluation import insert_run
from db.jobs import finish
from model.active_learning.acquisition import STRATEGIES
from pages.parts.experiments.simulation_view import VIEWS, learning_curve_against_random
from tests.annotate.experiments.test_replay import material
from tests.support.paths import PAGES
from tests.support.told import columns_of

PAGE = PAGES / "simulate.py"
pytestmark = pytest.mark.usefixtures("home")


def insert(strategy, seed=0, *, proposals=None, corpus="new", order=0, rows="", **asked):
    name = f"{STRATEGIES[strategy].label}, {reading_name(proposals)}"
    run = Replay(name, order, "tiny", strategy, seed, proposals, **asked)
    described = {"sources": [{"name": corpus, "sha256": corpus}], "sha256": corpus, "rows_sha256": rows or corpus}
    described |= {"articles": 30, "sentences": 240, "key": 30}
    with write(Right.SYSTEM) as session:
        insert_run(
            session,
            "simulation",
            experiment="strategies",
            key=run.key(corpus, rows),
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
    assert run.info[0].value.startswith("No simulation has finished a run yet")
    # What needs files is for the command line.
    assert run.selectbox[0].options == ["CRISPR abstracts, learning at once", "Query strategies"]
    assert run.caption[0].value.startswith("30 runs, 6 lines.")


def test_a_strategy_is_drawn_against_random_one_reading_at_a_time():
    insert("random", corpus="old")
    for seed in (0, 1):
        insert("random", seed)
        insert("committee", seed, order=2)
        insert("random", seed, proposals=3, order=1)
    run = page()
    drawn = ["Strategy against random", "Drawn"]
    assert [box.label for box in run.selectbox][1:] == ["Simulation", "Corpus", "Articles are", *drawn]
    assert run.selectbox[1].options[0].startswith("Query strategies · 7 runs · ")
    assert run.selectbox[4].options == ["Query by committee"]
    assert "**On these labels no strategy beats random\\.**" in [text.value for text in run.markdown]
    assert len(run.get("plotly_chart")) == 1
    table = columns_of(run, "Measures by row")
    assert table["Row"] == ["Random, read in full", "Random, 3 proposals", "Query by committee, read in full"]
    assert table["Seeds"] == ["2", "2", "2"]
    run.selectbox[3].select(3).run()
    assert not run.exception and not run.get("plotly_chart")
    assert any(text.value.startswith("**Run the random order and another") for text in run.markdown)
    run.selectbox[2].select_index(1).run()
    assert not run.exception and columns_of(run, "Measures by row")["Seeds"] == ["1"]


def test_replays_that_were_asked_otherwise_or_of_another_encoder_are_not_compared():
    for seed in (0, 1):
        insert("random", seed, rows="encoder")
        insert("random", seed, articles=8)
        insert("committee", seed, order=2)
        insert("random", seed)
    run = page()
    assert run.selectbox[2].options == [
        "new: 30 articles, 240 sentences, 30 key, new, tiny, articles: all",
        "new: 30 articles, 240 sentences, 30 key, new, tiny, articles: 8",
        "new: 30 articles, 240 sentences, 30 key, encoder, tiny, articles: all",
    ]
    assert columns_of(run, "Measures by row")["Row"] == ["Random, read in full", "Query by committee, read in full"]
    run.selectbox[2].select_index(1).run()
    assert columns_of(run, "Measures by row")["Row"] == ["Random, read in full"]


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
    assert [entry.value for entry in run.warning] == ["1 of 5 runs failed."]
    assert columns_of(run, "What failed")["Error"] == ["its process ended without a word"]


def test_the_band_holds_the_other_line_where_the_difference_may_be_chance():
    one, other = (
        pd.DataFrame(values, columns=[1, 2, 3]).T
        for values in ([[0.2, 0.5, 0.6], [0.2, 0.5, 0.8]], [[0.2, 0.4, 0.7], [0.2, 0.4, 0.5]])
    )
    figure = learning_curve_against_random("Score", one, other, VIEWS[0], 0.9)
    band, random, score = figure.data
    assert (random.name, list(random.y)) == ("Random", pytest.approx([0.2, 0.4, 0.6]))
    assert (score.name, list(score.y)) == ("Score", pytest.approx([0.2, 0.5, 0.7]))
    # The differences are 0 and 0, .1 and .1, -.1 and .3: half the last interval is .2 times 12.706.
    assert list(band.y[:3]) == pytest.approx([0.2, 0.5, 0.7 + 2.5412], abs=1e-4)
    names = {note.text: note.yanchor for note in figure.layout.annotations}
    assert names == {"<b>Random</b>": "top", "<b>Score</b>": "bottom", "all labels": "bottom"}
    nothing = pd.DataFrame(columns=[0], dtype=float)
    assert not len(learning_curve_against_random("Score", nothing, nothing, VIEWS[1], None).data[0].x)
