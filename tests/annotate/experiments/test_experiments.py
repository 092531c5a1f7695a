"""Experiments: what a spec means, which runs are done and stored, and the tables of several seeds."""

import json
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
import yaml

import db.evaluation
from annotate.cli.frame.common import aligned
from annotate.engines import child_processes
from annotate.experiments.experiment_spec import PlannedRun, parse_spec
from annotate.experiments.experiment_tables import COLUMNS, as_csv, paired, table_of
from annotate.experiments.experiments import EXPERIMENT, encoder_source
from annotate.experiments.studies import listed
from annotate.experiments.study_tables import by_corpus, cells_of, rows_of
from annotate.jobs.lifecycle import cancel, run_here
from annotate.jobs.monitor import Cancelled
from annotate.project.home import read
from annotate.work import HANDLERS
from model.files import embedded_encoder, manifest_of
from model.proposing.query import QUERY_TOKEN
from model.training.settings import PRESETS, Loss
from tests.support.copies import CONTEXT
from tests.support.making import query
from tests.support.topics import RULES

KEY = "here we generated tp53 knockout hela cells using crispr cas9 ."
OTHERS = ("cells incubated in buffer .", "protein expression was measured .", "patients reported increased growth .")
QUICK = {"epochs": 1, "batch_size": 8, "negatives_per_key": 2, "learning_rate": 1e-4}


def rows(monitor=None, **grid):
    return {"name": "try", "preset": "best", "settings": QUICK, **grid}


@pytest.fixture
def files(tmp_path):
    """A corpus of 12 and 4 articles, each with one key sentence of three."""
    paths = {}
    for part, number in (("train", 12), ("test", 4)):
        lines = [
            {"id": f"{part}{i}", "sentences": [OTHERS[i % 3], KEY, OTHERS[(i + 1) % 3]], "labels": [0, 1, 0]}
            for i in range(number)
        ]
        paths[part] = tmp_path / f"{part}.jsonl"
        paths[part].write_text("".join(json.dumps(entry) + "\n" for entry in lines))
    return {part: str(path) for part, path in paths.items()}


@pytest.fixture
def perform(files, tiny_home):
    """Runs an experiment as a job with the tiny encoder; returns its result."""

    def run(spec, show=lambda progress: None, **payload):
        spec = {**spec, "settings": {"encoder": "tiny", **spec.get("settings", {})}}
        return run_here("experiment", {"spec": spec, "files": files, **payload}, HANDLERS, show)

    return run


def test_every_shipped_spec_is_sound_and_names_each_row_differently():
    assert set(EXPERIMENT.shipped) == {
        "ideas",
        "averaged",
        "presets",
        "table-4-3",
        "table-4-6",
        "table-4-7",
        "table-4-8",
    }
    for path in EXPERIMENT.shipped.values():
        spec = parse_spec(EXPERIMENT.read_spec(path), seeds=2)
        names = {run.order: run.row for run in spec.runs}
        assert spec.name == path.stem and spec.corpus == {} and len(set(names.values())) == len(names) > 1


def test_the_references_tables_are_its_method_with_one_thing_changed():
    runs = {
        name: parse_spec(EXPERIMENT.read_spec(EXPERIMENT.shipped[name])).runs
        for name in ("table-4-3", "table-4-6", "table-4-7", "table-4-8")
    }
    reference = PRESETS["reference"]
    assert [r.settings.margin for r in runs["table-4-7"][::5]] == [0.1, 0.3, 0.5, 0.7, 0.9]
    assert [r.settings.loss for r in runs["table-4-8"][::5]] == [Loss.CONTRASTIVE, Loss.COSINE_SIMILARITY]
    assert runs["table-4-7"][10].settings == reference == runs["table-4-8"][0].settings
    asked = [r.settings.query for r in runs["table-4-3"][::5]]
    assert asked == ["query 1", "query 2", "query 3", QUERY_TOKEN, QUERY_TOKEN]
    assert [r.settings.token_start for r in runs["table-4-3"][15::5]] == ["zeros", "random"]
    trained = [r for r in runs["table-4-6"] if r.train]
    assert len({r.encoder for r in trained}) == 6 and len(trained) == 30
    # What was not fine-tuned has no seeds to differ by.
    assert len(runs["table-4-6"]) == 36


def test_a_grid_is_crossed_with_the_rows_and_rows_that_repeat_are_left_out():
    spec = parse_spec(
        rows(
            rows=[{"name": "x", "loss": "contrastive"}, {"train": False}],
            grid={"pooling": ["mean", "cls"], "margin": [0.1, 0.5]},
            seeds=[3, 4],
        )
    )
    assert list(dict.fromkeys(run.row for run in spec.runs)) == [
        "x, pooling mean, margin 0.1",
        "x, pooling mean, margin 0.5",
        "x, pooling cls, margin 0.1",
        "x, pooling cls, margin 0.5",
        "not fine-tuned, pooling mean, margin 0.1",
        "not fine-tuned, pooling cls, margin 0.1",
    ]
    assert [run.settings.seed for run in spec.runs] == [3, 4] * 4 + [0, 0]
    assert spec.runs[0].settings == replace(
        PRESETS["best"], **(QUICK | {"loss": Loss.CONTRASTIVE, "pooling": "mean", "margin": 0.1, "seed": 3})
    )


def test_numbers_and_queries_are_read_as_people_write_them():
    content = yaml.safe_load("{name: a, settings: {learning_rate: 5e-5, query: query 2, epochs: '2'}}")
    assert content["settings"]["learning_rate"] == "5e-5"  # YAML's own idea of it
    settings = parse_spec(content).runs[0].settings
    assert (settings.learning_rate, settings.epochs, settings.query) == (5e-5, 2, "query 2")
    assert (
        parse_spec({"name": "a", "preset": "reference", "settings": {"query": "article"}}).runs[0].settings.query
        is None
    )


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ({"name": "a", "grids": {}}, "the spec: grids is none of name, title, corpus"),
        ({"title": "a"}, "there is no name"),
        ({"name": "a", "preset": "fast"}, "preset 'fast' is none of best, best averaged, few labels, reference"),
        ({"name": "a", "settings": {"margins": 1}}, "settings: margins is none of"),
        ({"name": "a", "settings": {"margin": "wide"}}, "margin is 'wide'; it must be a number"),
        ({"name": "a", "settings": {"margin": 7}}, "margin is 7; it must be a number from 0 to 2"),
        ({"name": "a", "grid": {"margin": 0.1}}, "grid: margin is 0.1; it must be a list of values"),
        ({"name": "a", "grid": {"seed": [1]}}, "grid: seed is none of"),
        ({"name": "a", "grid": {"loss": ["hinge"]}}, "loss 'hinge' is none of contrastive"),
        ({"name": "a", "rows": {"loss": 1}}, "rows is {'loss': 1}; it must be a list of rows"),
        ({"name": "a", "rows": [3]}, "rows: 3 is no list of names with values"),
        ({"name": "a", "rows": [{"los": 1}]}, "rows: los is none of name, preset, encoder"),
        ({"name": "a", "corpus": {"limit": {"rest": 3}}}, "limit: rest is none of train, validation, test"),
        ({"name": "a", "corpus": {"limit": 0}}, "limit is 0; it must be a number of articles"),
        ({"name": "a", "corpus": {"validation_share": 1}}, "validation_share is 1; it must be from 0 to below 1"),
        ({"name": ["a"]}, "name is ['a']; it must be a text"),
        ({"name": "a", 5: 1}, "the spec: 5 is none of name, title, corpus"),
        ({"name": "a", "seeds": 0}, "seeds is 0; it must be a number from 1 to 1,000"),
        ({"name": "a", "seeds": 10**12}, "seeds is 1000000000000; it must be a number from 1 to 1,000"),
        ({"name": "a", "seeds": [2**31]}, "or a list of up to 1,000 whole numbers from 0 to 2147483647"),
        ({"name": "a", "grid": {name: [1] * 100 for name in ("epochs", "batch_size", "margin")}}, "1,000,000 runs"),
        ({"name": "a", "settings": {"hide": 0.3}}, "settings: hide is none of preset, encoder, train, query"),
        ({"name": "a", "settings": {"train": "no"}}, "train is 'no'; it must be true or false"),
        ({"name": "a", "corpus": "web"}, "corpus is 'web'; it must be database, or name files"),
        ({"name": "a", "corpus": {"text": "x"}}, "corpus: text is none of train, validation, test"),
    ],
)
def test_what_is_wrong_in_a_spec_is_named_with_what_is_allowed(content, message):
    with pytest.raises(ValueError) as error:
        parse_spec(content)
    assert message in str(error.value)


def test_a_spec_file_names_its_files_beside_itself(tmp_path):
    (tmp_path / "my.yaml").write_text("corpus: {train: data/a.jsonl, test: /b.jsonl, limit: 5}")
    corpus = EXPERIMENT.read_spec(tmp_path / "my.yaml")["corpus"]
    assert corpus == {"train": str(tmp_path / "data/a.jsonl"), "test": "/b.jsonl", "limit": 5}
    with pytest.raises(ValueError, match=r"no spec file .*; shipped are averaged, ideas, presets"):
        EXPERIMENT.read_spec(tmp_path / "none.yaml")
    (tmp_path / "bad.yaml").write_text("a: [")
    with pytest.raises(ValueError, match=r"bad\.yaml: line 2: no YAML"):
        EXPERIMENT.read_spec(tmp_path / "bad.yaml")
    (tmp_path / "wrong.yaml").write_text("settings: {margin: 7}")
    with pytest.raises(ValueError, match=r"wrong\.yaml: margin is 7; it must be a number from 0 to 2"):
        EXPERIMENT.read_spec(tmp_path / "wrong.yaml")


def test_an_experiment_trains_ranks_stores_and_tells(perform):
    stages = []
    spec = rows(rows=[{"name": "as it came", "train": False}, {"name": "trained"}], seeds=2)
    result = perform(spec, stages.append)
    assert (result["runs"], result["done_now"], result["left"], result["failed"]) == (3, 3, 0, [])
    assert [(line["row"], line["seeds"]) for line in result["rows"]] == [("as it came", 1), ("trained", 2)]
    for line in result["rows"]:
        assert line["arp_interval"] is None if line["seeds"] == 1 else line["arp_interval"] >= 0
    with read() as session:
        plain, first, second = db.evaluation.runs_of(session, "experiment", "try")
    assert plain.history == [] and {entry["kind"] for entry in first.history} >= {"step"}
    assert first.metrics != plain.metrics and (first.settings["seed"], second.settings["seed"]) == (0, 1)
    assert [a["key"] for a in first.articles] == ["test0", "test1", "test2", "test3"]
    values = [a["r_precision"] for a in first.articles]
    assert first.metrics["arp"] == np.mean(values) and first.metrics["arp_low"] <= first.metrics["arp"]
    assert first.metrics["mean_key_arp"] == np.mean([a["mean_key_r_precision"] for a in first.articles])
    assert plain.metrics["mean_key_arp"] == 1.0  # all key sentences are alike
    assert plain.metrics["terms_arp"] == first.metrics["terms_arp"] == 1.0  # a gene, an edit and a cell in each of them
    assert plain.metrics["hybrid_arp"] == np.mean([a["hybrid_r_precision"] for a in plain.articles])
    assert {"terms_arp", "hybrid_arp"} <= set(result["rows"][0])
    assert (first.metrics["articles"], first.metrics["sentences"], first.metrics["key_sentences"]) == (4, 12, 4)
    assert first.encoder == "tiny" and first.device == "cpu" and first.seconds > 0
    trained = [progress for progress in stages if "loss" in progress]
    assert trained[-1]["stage"] == "run 3 of 3: trained, seed 1" and trained[-1]["total"] == 3
    assert "seconds_left" in trained[-1]


def test_cosines_are_those_of_the_model_room(perform, files, tiny_home):
    """The baseline's numbers, computed once more from the pieces."""
    from annotate.experiments.corpora import file_corpus
    from model.encoder import load
    from model.evaluation.metrics import average_r_precision, pearson
    from model.training.validation import cosines_of

    perform(rows(rows=[{"name": "as it came", "train": False}]))
    with read() as session:
        (run,) = db.evaluation.runs_of(session, "experiment", "try")
    corpus = file_corpus(files, rules=RULES)
    cosines = cosines_of(load(encoder_source("tiny")[0], device="cpu"), corpus.test)
    arp = average_r_precision([(a.truth, own) for a, own in zip(corpus.test, cosines, strict=True)])
    assert run.metrics["arp"] == arp
    truth = np.concatenate([article.truth for article in corpus.test])
    assert run.metrics["pearson"] == pytest.approx(pearson(truth, np.concatenate(cosines)), abs=1e-4)


def test_finished_runs_are_not_run_again_and_changed_ones_are(perform, files, monkeypatch):
    spec = rows(grid={"margin": [0.3, 0.5]}, seeds=2)
    assert perform(spec, only=3)["left"] == 1
    result = perform(spec)
    assert (result["done_now"], result["done_before"], result["left"]) == (1, 3, 0)
    with monkeypatch.context() as patched:
        patched.setattr("annotate.experiments.experiment_run.execute", None)
        again = perform(spec)
        assert (again["done_now"], again["rows"]) == (0, result["rows"])
        # Another experiment with one and the same run has it already.
        other = perform({**spec, "name": "other", "grid": {"margin": [0.5]}})
        assert (other["done_now"], other["done_before"], other["rows"][0]["row"]) == (0, 2, "margin 0.5")
    assert perform({**spec, "settings": QUICK | {"batch_size": 4}})["done_now"] == 4
    assert perform(spec, limit=10)["done_now"] == 4
    assert query("SELECT experiment, count(*) FROM finished_run WHERE kind = 'experiment' GROUP BY 1 ORDER BY 1") == [
        ("other", 2),
        ("try", 12),
    ]
    with read() as session:
        corpora = by_corpus(db.evaluation.runs_of(session, "experiment", "try"))
    assert [len(runs) for runs in corpora.values()] == [4, 8]


def test_a_failing_run_is_named_and_the_others_go_on(perform):
    spec = rows(rows=[{"name": "none", "encoder": "nobody/none"}, {"name": "good"}])
    result = perform(spec)
    assert (result["done_now"], len(result["rows"])) == (1, 1)
    assert [failure["row"] for failure in result["failed"]] == ["none"]
    with pytest.raises(RuntimeError, match="every run failed; the first"):
        perform({**spec, "rows": spec["rows"][:1]})
    assert query("SELECT state FROM job ORDER BY id") == [("done",), ("failed",)]


def test_a_cancelled_experiment_keeps_what_was_finished(perform, monkeypatch):
    monkeypatch.setattr("annotate.jobs.monitor.REPORT_SECONDS", 0.0)

    def show(progress):
        if progress["stage"].startswith("run 2 of"):
            cancel(1)

    with pytest.raises(Cancelled):
        perform(rows(seeds=3), show)
    assert query("SELECT state FROM job") == [("cancelled",)]
    assert query("SELECT count(*) FROM finished_run WHERE kind = 'experiment'") == [(1,)]
    assert perform(rows(seeds=3))["done_now"] == 2


def test_processes_share_the_runs(perform, monkeypatch):
    monkeypatch.setattr(child_processes.multiprocessing, "get_context", lambda kind: CONTEXT)
    stages = []
    spec = rows(rows=[{"name": "good"}, {"name": "none", "encoder": "nobody/none"}], seeds=2)
    result = perform(spec, lambda progress: stages.append(progress["stage"]), processes=2, devices=["cpu"])
    assert (result["done_now"], len(result["failed"]), result["rows"][0]["seeds"]) == (2, 2, 2)
    assert "0 of 4 runs done, 2 at once" in stages
    serial = perform({**spec, "name": "one by one", "rows": spec["rows"][:1]})
    assert serial["done_before"] == 2


def test_a_device_that_is_not_there_is_refused(perform):
    for payload, message in [
        ({"devices": ["cuda:99"]}, "device 'cuda:99' is none of"),
        ({"processes": -1}, "processes"),
    ]:
        with pytest.raises(ValueError, match=message):
            perform(rows(), **payload)


def test_a_plan_says_what_is_done(perform, files):
    perform(rows(seeds=2), only=1)
    spec = rows(seeds=2, settings=QUICK | {"encoder": "tiny"})
    runs = listed(EXPERIMENT, {"spec": spec, "files": files})
    assert [(run["seed"], run["done"]) for run in runs] == [(0, True), (1, False)]


def test_the_embedded_encoder_is_known_by_its_files():
    source, identity = encoder_source("embedded")
    assert source == str(embedded_encoder()) and "model.safetensors" in identity
    assert encoder_source("org/name") == ("org/name", "org/name")


def test_a_setting_that_is_left_alone_leaves_the_key_of_a_run_as_it_was_before_there_was_one_and_after():
    plain, cut = parse_spec(rows(grid={"max_tokens": ["own", 64]})).runs
    assert [run.row for run in (plain, cut)] == ["max tokens own", "max tokens 64"]
    before = "4c39706252cd396773efb9b8a9710ebeca509b1c6dd6bbdc63441dcf3b7bb19d"
    assert plain.key("corpus", "encoder") == before != cut.key("corpus", "encoder")
    as_it_came = parse_spec(rows(settings=QUICK | {"train": False, "max_tokens": 64})).runs[0]
    assert as_it_came.settings.max_tokens == 64


def test_an_encoder_with_prompts_is_not_known_by_its_files_alone(tmp_path):
    """Its runs were stored under these by releases that left the prompts out."""
    (tmp_path / "model.safetensors").write_bytes(b"weights")
    configuration = tmp_path / "config_sentence_transformers.json"
    configuration.write_text('{"prompts": {"query": "", "document": ""}}')
    assert encoder_source(str(tmp_path))[1] == repr(sorted(manifest_of(tmp_path).items()))
    configuration.write_text('{"prompts": {"query": "search: "}}')
    files, identity = repr(sorted(manifest_of(tmp_path).items())), encoder_source(str(tmp_path))[1]
    assert identity.startswith(files) and "search: " in identity.removeprefix(files)


def stored(number, row, seed, order=0, articles=(), **metrics):
    """A finished run as the database gives it."""
    return SimpleNamespace(
        id=number,
        encoder="tiny",
        settings={"row": row, "order": order, "seed": seed, "margin": order},
        metrics=metrics,
        articles=[{"key": key, "r_precision": value} for key, value in articles],
        device="cpu",
        seconds=1.0,
    )


def test_a_row_is_the_mean_of_its_seeds_with_two_standard_deviations():
    runs = [
        stored(1, "b", 1, 1, arp=0.7, mse=None),
        stored(2, "a", 0, arp=0.5, mse=1.25),
        stored(3, "b", 0, 1, arp=0.8),
    ]
    found = rows_of(runs)
    assert [(row.name, [run.id for run in row.runs]) for row in found] == [("a", [2]), ("b", [3, 1])]
    table = table_of(found)
    assert (table[1]["arp"], table[1]["seeds"]) == (pytest.approx(0.75), 2)
    # The standard deviation (n - 1) of .7 and .8 is .0707107.
    assert table[1]["arp_interval"] == pytest.approx(0.1414214)
    assert table[0]["arp_interval"] is None and table[1]["mse"] is None
    assert aligned(cells_of(table, COLUMNS)).splitlines() == [
        "   seeds            ARP    MSE",
        "a      1          0.500  1.250",
        "b      2  0.750 ± 0.141      -",
    ]
    lines = as_csv(found).splitlines()
    assert lines[0] == "row,seed,encoder,margin,arp,mse,device,seconds"
    assert lines[1:] == ["a,0,tiny,0,0.5,1.25,cpu,1.0", "b,0,tiny,1,0.8,,cpu,1.0", "b,1,tiny,1,0.7,,cpu,1.0"]


def test_a_row_keeps_its_runs_when_it_gets_another_name():
    found = rows_of([stored(1, "old", 0, arp=0.5), stored(2, "new", 1, arp=0.5)])
    assert [(row.name, len(row.runs)) for row in found] == [("new", 2)]


def test_a_row_keeps_the_runs_from_before_a_setting_came_and_from_before_one_went():
    runs = [stored(1, "a", 0, arp=0.5), stored(2, "a", 1, arp=0.7), stored(3, "a", 2, arp=0.9)]
    runs[0].settings |= PlannedRun.GONE
    runs[1].settings |= PlannedRun.LATER
    runs[2].settings |= PlannedRun.LATER | {"accumulate": 2}
    assert [[run.id for run in row.runs] for row in rows_of(runs, PlannedRun)] == [[1, 2], [3]]


def test_a_seed_that_was_run_again_counts_once_with_its_last_run():
    (row,) = rows_of([stored(1, "a", 0, arp=0.5), stored(2, "a", 1, arp=0.7), stored(3, "a", 0, arp=0.9)])
    assert (row.values("arp"), [run.id for run in row.runs]) == ([0.9, 0.7], [3, 2])


def test_two_rows_are_compared_article_by_article():
    (before,) = rows_of([stored(1, "a", 0, articles=[("x", 0.0), ("y", 1.0), ("z", 0.5)])])
    (after,) = rows_of(
        [
            stored(2, "b", 0, 1, articles=[("x", 1.0), ("y", 0.5), ("z", 0.5)]),
            stored(3, "b", 1, 1, articles=[("x", 0.5), ("y", 0.5), ("z", 0.5), ("new", 1.0)]),
        ]
    )
    found, change = paired(before, after)
    assert change.value == pytest.approx((0.75 - 0.5 + 0.0) / 3) and change.low <= change.value <= change.high
    assert found["difference"].to_dict() == {"y": -0.5, "z": 0.0, "x": 0.75}
    assert list(found.index) == ["y", "z", "x"] and found.loc["x", ["before", "after"]].tolist() == [0, 0.75]
    (other,) = rows_of([stored(4, "c", 0, articles=[("q", 1.0)])])
    with pytest.raises(ValueError, match="no test article in common"):
        paired(before, other)
