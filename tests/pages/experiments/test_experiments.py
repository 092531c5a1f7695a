"""The page of experiments, alone on stored runs."""

import pytest
from streamlit.testing.v1 import AppTest

from annotate.jobs.lifecycle import enqueue
from annotate.project.home import write
from annotate.project.rights import Right
from db.evaluation import insert_run
from db.jobs import finish
from tests.support.paths import PAGES
from tests.support.told import columns_of

PAGE = PAGES / "experiments.py"
pytestmark = pytest.mark.usefixtures("home")


def insert(row, order, seed, corpus, **articles):
    counts = {"articles": len(articles), "sentences": 9, "key": 3}
    described = {"sources": [{"name": corpus, "sha256": corpus}], "sha256": corpus}
    described |= dict.fromkeys(("train", "validation", "test"), counts)
    with write(Right.SYSTEM) as session:
        insert_run(
            session,
            "experiment",
            experiment="table-4-7",
            key=f"{row}{seed}{corpus}",
            corpus=described,
            encoder="embedded",
            settings={"row": row, "order": order, "seed": seed, "margin": order},
            metrics={"arp": sum(articles.values()) / len(articles), "mse": 0.25},
            articles=[{"key": key, "r_precision": value} for key, value in articles.items()],
            history=[],
            device="cpu",
            seconds=1.0,
        )


def page():
    run = AppTest.from_file(str(PAGE), default_timeout=60).run()
    assert not run.exception, run.exception
    return run


def test_two_rows_are_drawn_tabled_and_compared():
    insert("margin [0.1]", 0, 0, "old", a=0.0, b=0.0)
    insert("margin [0.1]", 0, 0, "new", a=0.0, b=0.5)
    insert("margin 0.5", 1, 0, "new", a=1.0, b=0.5)
    insert("margin 0.5", 1, 1, "new", a=0.5, b=0.5)
    run = page()
    assert [box.label for box in run.selectbox][1:] == ["Experiment", "Corpus", "Measure", "Row", "compared with"]
    assert run.selectbox[1].options == [f"Margins (table 4.7) · 4 runs · {_today()}"]
    table = columns_of(run, "Measures by row")
    assert table["ARP"] == ["0.250", "0.625 ± 0.354"] and table["MSE"] == ["0.250", "0.250 ± 0.000"]
    (text,) = (entry.value for entry in run.markdown if "R-precision" in entry.value)
    assert text.startswith("**+0.375**") and "1 article better, 1 equal, 0 worse" in text
    assert "margin \\[0\\.1\\]" in text
    run.selectbox[2].select_index(1).run()
    assert not run.exception and columns_of(run, "Measures by row")["ARP"] == ["0.000"]


def _today():
    from db.base import utc_now

    return utc_now()[:10]


def test_runs_that_failed_are_named_beside_those_that_did_not():
    job = enqueue("experiment", {})
    failed = [{"row": "margin 0.1", "seed": 0, "error": "too little memory"}]
    with write(Right.SYSTEM) as session:
        finish(session, job, "done", result={"runs": 5, "failed": failed})
    run = page()
    assert [entry.value for entry in run.warning] == ["1 of 5 runs failed."]
    assert columns_of(run, "What failed")["Error"] == ["too little memory"]
    assert run.info[0].value.startswith("No experiment has finished a run yet")


def test_a_click_starts_the_chosen_experiment(monkeypatch):
    started = []
    monkeypatch.setattr("annotate.jobs.lifecycle.start", lambda kind, payload: started.append((kind, payload)))
    run = page()
    run.selectbox[0].select("table-4-8")
    run.number_input[0].set_value(2)
    run.number_input[1].set_value(7)
    run.button[0].click().run()
    ((kind, payload),) = started
    assert (kind, payload["spec"]["name"], payload["seeds"], payload["limit"]) == ("experiment", "table-4-8", 2, 7)
