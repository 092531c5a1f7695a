"""The retrain page: presets, every setting in its place, and what the buttons start."""

import re
from collections.abc import Iterator
from dataclasses import asdict, fields, replace
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

import db.jobs
from annotate.gold.label_sets import current_label_set
from annotate.jobs import lifecycle
from annotate.project.home import read, write
from annotate.project.rights import Right
from annotate.proposing.encoder_versions import proposing_version
from annotate.work import HANDLERS
from db.evaluation import insert_evaluation
from db.registry import encoder_named
from model.proposing.query import QUERY_TOKEN
from model.training.settings import BOUNDS, ENUMS, PRESETS, TrainingSettings, preset_for
from pages.parts.retraining.setting_text import HELP, changes_text, differences
from pages.parts.retraining.training_form import FIELDS, FREE, FRESH, OWN
from pages.parts.shared.charts import training_curve
from tests.support.making import judge, paper, pmids, propose_with, query, store, verdict, version_without_weights
from tests.support.paths import PAGES

PAGE = str(PAGES / "retrain.py")


@pytest.fixture
def started(home: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[tuple[str, dict[str, Any]]]]:
    """The jobs that the page starts, instead of starting them; there are key sentences to train and test on."""
    store(*(paper(pmid=pmid) for split in ("train", "test") for pmid in pmids(split, 1)))
    propose_with(version_without_weights("tiny"))
    for article_id in (1, 2):
        judge("Anna", article_id, verdict(1), verdict(0, "reject"))
    found: list[tuple[str, dict[str, Any]]] = []
    monkeypatch.setattr(lifecycle, "start", lambda kind, payload: found.append((kind, payload)))
    yield found


def page() -> AppTest:
    run = AppTest.from_file(PAGE, default_timeout=30).run()
    assert not run.exception
    return run


def press(run: AppTest, label: str) -> AppTest:
    run = next(button for button in run.button if button.label == label).click().run()
    assert not run.exception
    return run


def settings_of(started: list[tuple[str, dict[str, Any]]]) -> TrainingSettings:
    ((kind, payload),) = started
    assert kind == "train"
    return TrainingSettings(**payload["settings"])


def widget(run: AppTest, name: str) -> Any:
    """The field of a setting, whichever preset and parent it belongs to."""
    kinds = [*run.number_input, *run.selectbox, *run.checkbox, *run.text_input]
    (found,) = (field for field in kinds if re.fullmatch(rf"{name}_({'|'.join(PRESETS)})_\d+", field.key or ""))
    return found


FIRST = preset_for(1)  # what the page begins with here: one key sentence is labelled


def test_every_setting_has_a_place_and_a_word_of_help():
    names = {field.name for field in fields(TrainingSettings)} - {"query", "token_start"}  # the choice of the query
    assert sorted(FIELDS) == sorted(names) == sorted(HELP)
    assert names - set(BOUNDS) - set(ENUMS) == {"dropout", "mixed_precision"}  # on or off


@pytest.mark.parametrize("preset", PRESETS)
def test_a_preset_trains_with_exactly_its_settings(started, preset):
    run = page()
    if preset != FIRST:
        run = run.button_group(key="preset").set_value(preset).run()
    assert not any(caption.value.startswith("As the preset") for caption in run.caption)  # the button says it
    press(run, "Retrain")
    assert settings_of(started) == PRESETS[preset]
    assert started[0][1]["parent"] == "tiny"


@pytest.mark.parametrize(
    ("choice", "query", "token_start"),
    [
        (OWN, None, "zeros"),
        ("query 2", "query 2", "zeros"),
        *((name, QUERY_TOKEN, str(start)) for name, start in FRESH.items()),
    ],
)
def test_the_query_is_chosen_from_those_of_the_reference(started, choice, query, token_start):
    press(widget(page(), "query").select(choice).run(), "Retrain")
    assert (settings_of(started).query, settings_of(started).token_start) == (query, token_start)


def test_a_query_can_be_typed_and_an_empty_one_is_refused_in_words(started):
    run = widget(page(), "query").select(FREE).run()
    run = press(run, "Retrain")
    assert [error.value for error in run.error] == ["the query is empty"] and not started
    press(widget(run, "words").input(" loss of a gene ").run(), "Retrain")
    assert settings_of(started).query == "loss of a gene"


def test_changed_fields_are_trained_with_and_named_beside_the_presets(started):
    run = page()
    widget(run, "epochs").set_value(7)
    widget(run, "negatives_per_key").set_value(None)
    widget(run, "dropout").uncheck()
    run = run.run()
    best = PRESETS[FIRST]
    expected = replace(best, epochs=7, negatives_per_key=None, dropout=False)
    changed = differences(asdict(expected), FIRST)
    assert changed["epochs"] == ("7", str(best.epochs))
    assert any("epochs 7" in caption.value for caption in run.caption)
    press(run, "Retrain")
    assert settings_of(started) == expected


def test_a_version_with_a_query_of_its_own_goes_on_with_it(started):
    propose_with(version_without_weights("v1", own_query="my query", parent_id=1))
    run = page()
    assert widget(run, "query").value == FREE and widget(run, "words").value == "my query"
    press(run, "Retrain")
    assert settings_of(started).query == "my query"
    assert started[0][1]["parent"] == "v1"


def test_without_key_sentences_there_is_no_retrain(started):
    judge("Anna", 2, verdict(1, "withdrawn"))
    run = page()
    assert next(button for button in run.button if button.label == "Retrain").disabled
    assert any("no key sentence in the test split" in warning.value for warning in run.warning)


def test_a_version_drawn_as_better_is_not_promoted_once_test_labels_have_changed(started):
    child = version_without_weights("child")
    with read() as session:
        labels = current_label_set(session).split_sha256["test"]
    with write(Right.SYSTEM) as session:
        for version, arp in ((encoder_named(session, "tiny"), 0.5), (child, 0.9)):
            numbers = {"arp": arp}
            for ranking in ("hybrid", "cosine"):
                of = {"version_id": version.id, "ranking": ranking, "split": "test", "label_set_sha256": labels}
                insert_evaluation(session, [], metrics=numbers, histogram={}, **of)
    run = page()
    assert run.text_input(key="why_encoder").label == "Why another one"
    ((article_id,),) = query("SELECT id FROM article WHERE split = 'test'")
    judge("Berta", article_id, verdict(2))
    run = press(run, "Promote")  # of the page as it was drawn before
    assert [error.value for error in run.error] == ["child was not evaluated on the present labels; evaluate it first"]
    assert next(button for button in run.button if button.label == "Promote").disabled
    assert "Promote it anyway" not in [box.label for box in run.checkbox]
    assert proposing_version().name == "tiny" and not started


@pytest.mark.parametrize(
    ("arp", "said", "locked"),
    [
        (0.5, "**Not decided: only 0 of 12 test articles are fair to both.**", False),
        (0.0, "**Worse: ARP −0.500 (−0.500 to −0.500) on 12 test articles, of which 0 are fair to both.**", True),
    ],
    ids=["equal", "worse"],
)
def test_promote_is_locked_only_where_the_version_is_shown_to_rank_worse(started, arp, said, locked):
    store(*(paper(pmid=pmid) for pmid in pmids("test", 12)[1:]))
    child = version_without_weights("child")
    with read() as session:
        labels = current_label_set(session).split_sha256["test"]
        article_ids = [number for (number,) in query("SELECT id FROM article WHERE split = 'test'")]
    for version_id, value in ((1, 0.5), (child.id, arp)):
        for ranking in ("hybrid", "cosine"):
            of = {"version_id": version_id, "ranking": ranking, "split": "test", "label_set_sha256": labels}
            numbers = {"arp": value}
            scores = [{"article_id": each, "r_precision": value, "key_sentences": 1} for each in article_ids]
            with write(Right.SYSTEM) as session:
                insert_evaluation(session, scores, metrics=numbers, histogram={}, **of)
    run = page()
    assert said in [text.value.replace("\\", "") for text in run.markdown]
    assert next(button for button in run.button if button.label == "Promote").disabled is locked
    assert ("Promote it anyway" in [box.label for box in run.checkbox]) is locked


def test_an_encoder_is_added_by_a_job(started):
    run = page()
    run.text_input(key="encoder_source").input(" some/encoder ")
    press(run, "Add")
    assert started == [("encoder", {"source": "some/encoder", "name": None, "max_tokens": None})]


def test_the_encoder_job_makes_a_folder_a_version(home, tiny_encoder):
    stages: list[str] = []
    payload = {"source": str(tiny_encoder), "name": "mine"}
    result = lifecycle.run_here("encoder", payload, HANDLERS, lambda progress: stages.append(progress["stage"]))
    assert (result, stages) == ({"version": "mine"}, [f"loading {tiny_encoder}"])
    with read() as session:
        assert encoder_named(session, "mine").dimension == 32


def test_what_differs_from_a_preset_is_told_beside_it():
    reference = asdict(PRESETS["reference"])
    assert changes_text(differences(reference | {"margin": 0.7}, "reference")) == "margin 0.7 (0.5)"
    assert differences(reference | {"token_start": "random"}, "reference") == {}  # no token, no start
    token = differences(reference | {"query": QUERY_TOKEN, "token_start": "random"}, "reference")
    assert changes_text(token) == "query [QUERY] (query 1), token start random (zeros)"
    gone = {"negatives": "hard", "hard_renewals": 3, "anchor": 0.5}  # of a version that an earlier release trained
    assert differences(reference | gone, "reference") == {}
    assert changes_text(differences({"query": None}, "reference")) == "query each article's own (query 1)"


def test_the_curve_names_the_score_that_chose_the_checkpoint():
    history = [
        {"kind": "checkpoint", "epoch": 0, "step": 0, "score": 0.25},
        {"kind": "step", "step": 1, "steps": 1, "loss": 0.5, "pairs_per_second": 1.0, "seconds_left": 0.0},
        {"kind": "checkpoint", "epoch": 1, "step": 1, "score": 0.5},
    ]
    figure = training_curve(history, {"select_by": "R-precision"})
    assert [trace.name for trace in figure.data] == ["loss (running mean)", "R-precision on validation"]
    assert list(figure.data[1].y) == [0.25, 0.5]
    assert figure.layout.yaxis2.title.text == "R-precision"


def test_an_encoder_is_added_with_the_length_at_which_texts_are_cut(started):
    run = page()
    for key, value in (("encoder_source", "some/encoder"), ("encoder_name", "")):
        next(field for field in run.text_input if field.key == key).set_value(value)
    press(run, "Add")
    length = next(field for field in run.number_input if field.key == "encoder_max_tokens")
    assert (length.min, length.max) == BOUNDS["max_tokens"]
    length.set_value(300)
    press(run, "Add")
    asked = {"source": "some/encoder", "name": None}
    assert started == [("encoder", asked | {"max_tokens": None}), ("encoder", asked | {"max_tokens": 300})]


def test_while_one_retraining_runs_the_page_advises_nothing_and_offers_no_second_one(started):
    assert [info.value.split("\\")[0] for info in page().info] == ["**Nothing was trained here yet"]
    with write(Right.SYSTEM) as session:
        db.jobs.insert_job(session, "train", {}, "Ada")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lifecycle, "reap", lambda: None)  # its process is not looked for
        run = page()
    assert "why_encoder" not in [field.key for field in run.text_input]  # one version is all there is
    assert next(button for button in run.button if button.label == "Retrain").disabled
    assert not run.info and not run.success  # the job's own panel says that it waits
