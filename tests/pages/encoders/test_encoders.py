"""The page of encoders, alone on stored results."""

import pytest
from streamlit.testing.v1 import AppTest

from annotate.encoders.results import Result, key_of, store, store_facts
from annotate.encoders.sources import files_sha256
from annotate.encoders.tasks.registry import TaskFolder
from annotate.project.home import read
from annotate.project.stored_settings import settings_now
from pages.parts.shared.charts import Measured, intervals_by_row
from tests.support.encoder_tasks import task_folder
from tests.support.making import propose_with, version_without_weights
from tests.support.paths import PAGES
from tests.support.told import columns_of

PAGE = PAGES / "encoders.py"
pytestmark = pytest.mark.usefixtures("home")


@pytest.fixture
def versions(home):
    parent = version_without_weights("parent")
    propose_with(parent)
    return parent, version_without_weights("child", parent_id=parent.id)


def insert(name, sha256, hits, *, task="rqe", measure="accuracy", words=False, **values):
    told = {
        "paired_sha256": "same", "tested_on": "test", "trained_on": 3000, "tested": 200, "full": False,
        "floor": {measure: 0.5}, "sums": {measure: [[float(number < hits), 1.0] for number in range(200)]},
    }  # fmt: skip
    named = {"source": name, "source_sha256": sha256, "words": words, "task": task, "classifier": "logistic"}
    store(Result(key=key_of(name, task), **named, **(told | values)))


def page():
    run = AppTest.from_file(str(PAGE), default_timeout=60).run()
    assert not run.exception, run.exception
    return run


def test_an_empty_project_is_told_what_to_do(versions):
    run = page()
    assert run.info[0].value.startswith("No encoder was compared yet. Name the folder of the tasks' files above")
    assert run.multiselect[0].value == ["words", "parent", "child"]
    assert run.multiselect[1].options == []
    assert [button.label for button in run.button if button.disabled] == ["Run"]
    assert run.expander[0].label == "Tasks that cannot be run here: 18"


def test_a_folder_makes_tasks_ready_and_a_wrong_one_is_refused(versions, tmp_path):
    folder = task_folder(tmp_path / "tasks")
    run = page()
    run.text_input[0].set_value(str(tmp_path / "nowhere"))
    run.button[0].click().run()
    assert run.error[0].value.endswith("is no folder")
    run.text_input[0].set_value(str(folder))
    run.button[0].click().run()
    assert run.multiselect[1].value == ["biosses", "rqe", "functions", "roles_pubmed", "hallmarks"]
    with read() as session:
        assert settings_now(session, TaskFolder).folder == str(folder)


def test_a_click_starts_what_was_chosen(versions, tmp_path, monkeypatch):
    started = []
    monkeypatch.setattr("annotate.jobs.lifecycle.start", lambda kind, payload: started.append((kind, payload)))
    run = page()
    run.text_input[0].set_value(str(task_folder(tmp_path / "tasks")))
    run.button[0].click().run()
    run.multiselect[1].set_value(["rqe"]).run()
    run.checkbox[1].check().run()
    next(button for button in run.button if button.label == "Run").click().run()
    kind, payload = started[0]
    assert kind == "encoders" and payload["tasks"] == ["rqe"] and payload["probes"] and not payload["full"]
    assert payload["encoders"] == ["words", "parent", "child"] and payload["classifier"] == "logistic"


def test_differences_have_a_sign_and_a_colour_where_they_are_more_than_chance(versions):
    insert("words", "words", 90, words=True)
    insert("one", "1" * 64, 150)
    insert("two", "2" * 64, 149)
    insert("three", "3" * 64, 190)
    insert("one+words", "1" * 64, 150, words=True, task="functions")
    store_facts("1" * 64, {
        "cost": {"dimension": 384, "parameters": 22_713_216, "seconds_per_1000": 4.2, "memory_bytes": 90_861_056},
        "probes": {"stop_words": {"pairs": 2, "mean": 0.9, "worst": 0.8, "worst_pair": ["The a.", "a."]},
                   "abbreviations": {"pairs": 0}},
    })  # fmt: skip
    run = page()
    shown = run.table[0].value
    of = dict(zip(shown["Encoder"], shown["RQE, accuracy"], strict=True))
    cells = [of[name] for name in ("one", "words", "two", "three")]
    assert next(iter(of)) == "one"
    assert cells[0].startswith("**0.750** (") and cells[0].endswith(":gray[floor\u00a00.500]")
    assert cells[1].endswith(":orange-background[▼\u00a0−0.300]")
    assert cells[2].endswith(":gray[−0.005]") and cells[3].endswith(":blue-background[▲\u00a0+0.200]")
    assert run.selectbox[1].value == ("1" * 64, False)  # the first that is no words
    assert columns_of(run, "Cost")["Dimension"] == ["384"]  # once an encoder, with or without words
    assert columns_of(run, "Probes")["Sentences"] == ["2", "0"]
    run.selectbox[1].select(("words", True)).run()
    assert not run.exception and run.table[0].value["Encoder"].tolist()[0] == "words"
    captions = " ".join(caption.value for caption in run.caption).replace("\\", "")
    assert "learnt from 3,000, tested on 200 (the test part); a sample of whole articles" in captions


def test_tasks_of_another_package_can_be_typed_where_it_is_and_are_shown_without_an_interval(versions, monkeypatch):
    assert not page().multiselect[1].proto.accept_new_options
    monkeypatch.setattr("annotate.encoders.tasks.suites.find_spec", lambda name: name)
    insert("one", "1" * 64, 0, task="mteb:BIOSSES", sums={}, floor={}, score=0.8125, tested=0)
    run = page()
    assert run.multiselect[1].proto.accept_new_options and not any(button.disabled for button in run.button)
    assert run.table[0].value["mteb:BIOSSES, main score"].tolist() == ["**0.812**"]
    assert any("scored by its own rules, which give no interval" in caption.value for caption in run.caption)


def test_names_are_shown_as_they_are_written(versions):
    insert("<b>odd</b> *name*", "9" * 64, 100)
    run = page()
    assert r"\*name\*" in run.table[0].value["Encoder"].tolist()[0]
    figure = intervals_by_row([Measured("<b>x</b>", 0.5, 0.4, 0.6)], "RQE", y="encoder", n="9 items", floor=0.3)
    assert figure.layout.yaxis.ticktext == ("&lt;b&gt;x&lt;/b&gt;",) and len(figure.layout.shapes) == 1


def test_retrain_warns_of_a_loss_beside_the_button_and_never_bars_it(versions, tmp_path):
    parent, child = versions
    insert("parent", files_sha256(parent.manifest), 180)
    insert("child", files_sha256(child.manifest), 120)
    run = AppTest.from_file(str(PAGES / "retrain.py"), default_timeout=60).run()
    assert not run.exception, run.exception
    assert any("It is worse on other tasks: RQE" in warning.value for warning in run.warning)
