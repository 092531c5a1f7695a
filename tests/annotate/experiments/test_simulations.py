"""Simulations: what a spec means, which replays are done and stored, their rows on disk, and the job."""

import json
from pathlib import Path

import numpy as np
import pytest

import db.evaluation
from annotate.active_learning.article_features import store_features
from annotate.active_learning.taught_examples import teach_examples
from annotate.engines import child_processes
from annotate.experiments import simulation_rows
from annotate.experiments.replay import Material
from annotate.experiments.simulation_spec import Evaluate, parse_spec
from annotate.experiments.simulations import SIMULATION
from annotate.experiments.studies import listed
from annotate.experiments.study_tables import by_corpus
from annotate.jobs.lifecycle import cancel, run_here
from annotate.jobs.monitor import Cancelled
from annotate.project.home import folder, read
from annotate.proposing.encoder_versions import proposing_version
from annotate.topics.project_topic import use_topic
from annotate.work import HANDLERS
from model.active_learning.acquisition import STRATEGIES
from model.active_learning.features import FEATURES, features_of
from model.active_learning.head import COLUMNS
from model.proposing.ranking import Pool
from tests.support.copies import CONTEXT, ran
from tests.support.making import judge, paper, pmids, propose_with, query, reading, store, verdict
from tests.support.making import version_without_weights as bare
from tests.support.roles import store_roles
from tests.support.topics import BY_EXAMPLES, RULES

KEY = "here we generated tp53 knockout hela cells using crispr cas9 ."
OTHERS = ("cells incubated in buffer .", "protein expression was measured .", "patients reported increased growth .")
QUICK = {"name": "try", "strategies": ["random", "committee"], "seed_articles": 2, "seeds": 2}


@pytest.fixture
def files(tmp_path):
    """Two files of eight articles each, with one key sentence of three."""
    paths = []
    for part in ("one", "two"):
        lines = [
            {"id": f"{part}{i}", "sentences": [OTHERS[i % 3], KEY, OTHERS[(i + 1) % 3]], "labels": [0, 1, 0]}
            for i in range(8)
        ]
        paths.append(tmp_path / f"{part}.jsonl")
        paths[-1].write_text("".join(json.dumps(entry) + "\n" for entry in lines))
    return [str(path) for path in paths]


@pytest.fixture
def perform(files, tiny_home):
    """Runs a simulation of the files as a job with the tiny encoder; returns its result."""

    def run(show=lambda progress: None, spec=(), **payload):
        content = QUICK | {"encoder": "tiny", "corpus": "files"} | dict(spec)
        return run_here("simulate", {"spec": content, "files": files, "processes": 1, **payload}, HANDLERS, show)

    return run


def stored(name="try"):
    with read() as session:
        return db.evaluation.runs_of(session, "simulation", name)


def test_every_shipped_spec_is_sound():
    assert set(SIMULATION.shipped) == {"crispr", "evidence-inference", "strategies", "triage"}
    for path in SIMULATION.shipped.values():
        simulation = parse_spec(SIMULATION.read_spec(path))
        assert simulation.name == path.stem and len({run.row for run in simulation.runs}) > 1
    simulation = parse_spec(SIMULATION.read_spec(Path("evidence-inference")))
    assert len(simulation.runs) == len(STRATEGIES) * 3 * 5 and simulation.corpus == {"files": []}
    assert parse_spec(SIMULATION.read_spec(Path("crispr"))).runs[0].evaluate is Evaluate.REST


def test_strategies_are_crossed_with_readings_and_seeds():
    spec = QUICK | {"readings": ["full", "proposals 3"], "articles": 9, "batch": 2, "random_share": 0.5}
    runs = parse_spec(spec | {"learn_at_once": False}).runs
    assert [run.row for run in runs[::2]] == [
        "Random, read in full",
        "Random, 3 proposals",
        "Query by committee, read in full",
        "Query by committee, 3 proposals",
    ]
    assert [(run.order, run.seed) for run in runs[:4]] == [(0, 0), (0, 1), (1, 0), (1, 1)]
    assert {(run.articles, run.batch, run.random_share, run.evaluate) for run in runs} == {(9, 2, 0.5, "held-out")}
    # In an article read in full there is nothing to learn at once from, so that is no other replay.
    assert [run.learn_at_once for run in runs[::2]] == [True, False] * 2
    assert runs[0].key("x") == parse_spec(spec).runs[0].key("x") != runs[0].key("y")
    assert runs[2].key("x") != parse_spec(spec).runs[2].key("x")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ({"speed": 1}, "the spec: speed is none of name, title, corpus"),
        ({"name": " "}, "there is no name"),
        ({"strategies": ["best"]}, "strategies: best is none of random, score"),
        ({"strategies": "random"}, "strategies is 'random'; it must be all, or a list of random, score"),
        ({"readings": ["proposals 0"]}, "the reading 'proposals 0' is neither full nor proposals with a number"),
        ({"readings": ["half"]}, "the reading 'half' is neither full"),
        ({"readings": "full"}, "readings is 'full'; it must be a list"),
        ({"seeds": []}, "seeds is []"),
        ({"seeds": 10**12}, "seeds is 1000000000000; it must be a number from 1 to 1,000, or a list of up to 1,000"),
        ({"seeds": [*range(1_001)]}, "seeds is [0, 1, 2, 3, 4, 5, ...]; it must be"),
        ({"seeds": [-1]}, "seeds is [-1]; it must be"),
        ({"readings": ["full"] * 5_001, "triage": [True, False]}, "runs; it may describe up to 10,000"),
        ({"articles": 0}, "articles is 0; it must be a whole number from 1 to"),
        ({"batch": 1.5}, "batch is 1.5; it must be a whole number"),
        ({"random_share": 2}, "random_share is 2; it must be a number from 0 to 1"),
        ({"learn_at_once": 1}, "learn_at_once is 1; it must be true or false"),
        ({"evaluate": "train"}, "evaluate 'train' is none of held-out, rest"),
        ({"corpus": "web"}, "corpus is 'web'; it must be database, files, or name files and a limit"),
        ({"corpus": {"file": "x"}}, "corpus: file is none of files, limit"),
        ({"corpus": {"files": "x"}}, "corpus: files is 'x'; it must be a list of names"),
        ({"corpus": {"limit": 0}}, "limit is 0; it must be a whole number from 1"),
        ({"title": ["a"]}, "title is ['a']; it must be a text"),
    ],
)
def test_what_is_wrong_in_a_spec_is_named_with_what_is_allowed(content, message):
    with pytest.raises(ValueError) as error:
        parse_spec(QUICK | content)
    assert message in str(error.value)


def test_a_spec_file_names_its_files_beside_itself(tmp_path):
    (tmp_path / "my.yaml").write_text("corpus: {files: [data/a.jsonl, /b.jsonl], limit: 5}")
    simulation = parse_spec(SIMULATION.read_spec(tmp_path / "my.yaml"))
    assert simulation.corpus == {"files": [str(tmp_path / "data/a.jsonl"), "/b.jsonl"], "limit": 5}
    with pytest.raises(ValueError, match=r"no spec file .*; shipped are crispr, evidence-inference, strategies"):
        SIMULATION.read_spec(tmp_path / "none.yaml")
    (tmp_path / "wrong.yaml").write_text("corpus: {files: [a], speed: 1}")
    with pytest.raises(ValueError, match=r"wrong\.yaml: corpus: speed is none of files, limit"):
        SIMULATION.read_spec(tmp_path / "wrong.yaml")


def test_a_simulation_replays_stores_and_tells(perform):
    stages = []
    result = perform(stages.append, {"readings": ["full", "proposals 1"]})
    assert (result["runs"], result["done_now"], result["left"], result["failed"]) == (8, 8, 0, [])
    assert [(line["row"], line["seeds"]) for line in result["rows"]] == [
        ("Random, read in full", 2),
        ("Random, 1 proposals", 2),
        ("Query by committee, read in full", 2),
        ("Query by committee, 1 proposals", 2),
    ]
    assert result["corpus"]["articles"] == 16 and result["corpus"]["key"] == 16
    assert [source["name"] for source in result["corpus"]["sources"]] == ["one.jsonl", "two.jsonl"]
    first = stored()[0]
    # Seed 0 holds out the first of five folds of 16: four articles.
    assert (first.metrics["pool_articles"], first.metrics["pool_keys"], first.metrics["pool_sentences"]) == (12, 12, 36)
    assert first.history[-1] | {"arp": 0, "cold_arp": 0} == {
        "articles": 12,
        "labels": 36,
        "found": 12,
        "arp": 0,
        "cold_arp": 0,
    }
    assert (first.encoder, first.settings["strategy"], first.settings["proposals"]) == ("tiny", "random", None)
    assert {progress["stage"] for progress in stages} >= {"embedding sentences", "run 8 of 8: " + _last()}


def _last():
    return "Query by committee, 1 proposals, seed 1"


def test_finished_replays_are_not_done_again_and_changed_ones_are(perform, files, monkeypatch):
    assert perform(only=3)["left"] == 1
    result = perform()
    assert (result["done_now"], result["done_before"], result["left"]) == (1, 3, 0)
    with monkeypatch.context() as patched:
        patched.setattr("annotate.experiments.simulations.replay", None)
        again = perform()
        assert (again["done_now"], again["rows"]) == (0, result["rows"])
        other = perform(spec={"name": "other", "strategies": ["committee"]})
        assert (other["done_now"], other["done_before"], other["rows"][0]["row"]) == (
            0,
            2,
            "Query by committee, read in full",
        )
    assert perform(spec={"batch": 3})["done_now"] == 4
    assert perform(limit=12)["done_now"] == 4
    assert query("SELECT experiment, count(*) FROM finished_run WHERE kind = 'simulation' GROUP BY 1 ORDER BY 1") == [
        ("other", 2),
        ("try", 12),
    ]
    assert [len(runs) for runs in by_corpus(stored()).values()] == [4, 8]
    # Another label makes another corpus.
    text = Path(files[1]).read_text()
    Path(files[1]).write_text(text.replace('"labels": [0, 1, 0]', '"labels": [1, 1, 0]', 1))
    assert perform()["done_now"] == 4


def test_the_rows_are_made_once_for_a_corpus_and_an_encoder(perform, files, monkeypatch):
    perform(only=1)
    (path,) = folder("simulations").iterdir()
    monkeypatch.setattr(simulation_rows, "_encoded_rows", None)
    assert perform()["done_now"] == 3
    material = Material.load(path)
    corpus = simulation_rows.labelled({"files": files}, "tiny")
    assert path.name == f"{corpus.sha256[:32]}.npz"
    assert material.keys == [article.key for article in corpus.articles]
    assert [own.tolist() for own in material.truth] == [[0, 1, 0]] * 16
    assert material.rows[0].shape == (3, len(COLUMNS))


def test_rows_of_files_are_features_and_projected_embeddings_of_text_and_cosines(files, tiny_home):
    from model.encoder import encode, load

    corpus = simulation_rows.labelled({"files": files}, "tiny")
    material = Material.load(simulation_rows.rows_file(corpus))
    encoder, article = load(corpus.source), corpus.articles[3]
    vectors = encode(encoder, [article.query, *article.sentences])
    expected = features_of(Pool(article.sentences, vectors[1:] @ vectors[0], rules=RULES))
    assert np.allclose(material.rows[3][:, : len(FEATURES)], expected, atol=0.02)


def test_a_cancelled_simulation_keeps_what_was_finished(perform, monkeypatch):
    monkeypatch.setattr("annotate.jobs.monitor.REPORT_SECONDS", 0.0)

    def show(progress):
        if progress["stage"].startswith("run 2 of"):
            cancel(1)

    with pytest.raises(Cancelled):
        perform(show)
    assert query("SELECT state FROM job") == [("cancelled",)]
    assert query("SELECT count(*) FROM finished_run WHERE kind = 'simulation'") == [(1,)]
    assert perform()["done_now"] == 3


def test_cancelled_while_it_embeds_it_leaves_no_file(perform, monkeypatch):
    monkeypatch.setattr("annotate.jobs.monitor.REPORT_SECONDS", 0.0)
    with pytest.raises(Cancelled):
        perform(lambda progress: cancel(1) if progress["stage"] == "embedding sentences" else None)
    assert list(folder("simulations").iterdir()) == []


def test_processes_share_the_replays_and_give_the_same_numbers(perform, monkeypatch):
    monkeypatch.setattr(child_processes.multiprocessing, "get_context", lambda kind: CONTEXT)
    stages = []
    result = perform(lambda progress: stages.append(progress["stage"]), processes=2)
    assert (result["done_now"], result["failed"]) == (4, [])
    several = {(run.settings["row"], run.settings["seed"]): run.history for run in stored()}
    assert any(stage.endswith("of 4 runs done, 2 at once") for stage in stages)
    with pytest.raises(ValueError, match="processes is 0"):
        perform(spec={"name": "more", "batch": 2}, processes=0)
    alone = perform(spec={"name": "alone", "articles": 13})
    assert alone["done_now"] == 4
    assert {(run.settings["row"], run.settings["seed"]): run.history for run in stored("alone")} == several


def test_what_cannot_be_replayed_fails_by_name(perform, files, tiny_home):
    with pytest.raises(RuntimeError, match=r"every run failed; the first: 20 seed articles of 1[23]"):
        perform(spec={"seed_articles": 20})
    with pytest.raises(ValueError, match="name them with --files"):
        perform(files=[])
    with pytest.raises(ValueError, match=r"one\.jsonl: the article one0 is in one\.jsonl already"):
        perform(files=[files[0], files[0]])
    with pytest.raises(ValueError, match="the limit 0 is no number of articles"):
        perform(limit=0)


@pytest.mark.postgresql
def test_a_plan_says_what_is_done(perform, files):
    perform(only=1)
    plan = listed(SIMULATION, {"spec": QUICK | {"encoder": "tiny"}, "files": files})
    assert [(run["seed"], run["done"]) for run in plan] == [(0, True), (1, False), (0, False), (1, False)]


def test_the_database_is_replayed_with_the_rows_that_the_app_ranks_with(tiny_home):
    numbers = [*pmids("train", 5), *pmids("test", 3)]
    store(*(paper(pmid=number) for number in numbers))
    ids = [article_id for (article_id,) in query("SELECT id FROM article ORDER BY id")]
    with pytest.raises(ValueError, match="no labelled article has a key sentence"):
        simulate_here()
    for article_id in ids[:-1]:
        judge("Anna", article_id, verdict(1), verdict(0, "reject"))
    judge("Anna", ids[0], reading())
    result = simulate_here()
    # An article without a label is none of the corpus; what nobody accepted is not key.
    assert (result["corpus"]["articles"], result["corpus"]["sentences"], result["corpus"]["key"]) == (7, 21, 7)
    assert result["done_now"] == 2 and result["corpus"]["sources"][0]["name"] == "database"
    (path,) = folder("simulations").iterdir()
    material = Material.load(path)
    assert sorted(material.keys) == sorted(f"pmid:{number}" for number in numbers[:-1])
    assert all(own.tolist() == [0, 1, 0] for own in material.truth)
    store_features(proposing_version(), article_ids=ids[:1])
    ((rows,),) = query("SELECT rows FROM article_features WHERE article_id = :id", id=ids[0])
    place = material.keys.index(f"pmid:{numbers[0]}")
    assert material.rows[place].astype(np.float16).tobytes() == rows
    judge("Anna", ids[-1], verdict(1))
    assert simulate_here()["done_now"] == 2
    # What the head sees of an article whose roles were read is another thing.
    store_roles(ids[0], 0, 3, 0)
    assert [simulate_here()["done_now"] for _ in range(2)] == [2, 0]


def test_the_verdicts_that_are_replayed_teach_no_row(tiny_home):
    use_topic(BY_EXAMPLES, by="Anna")
    for number, pmid in enumerate(pmids("train", 12), 1):
        store(paper((f"Zebras won {number} prizes.", f"The barn of {number} was warm."), pmid=pmid))
        judge("Anna", number, verdict(0), verdict(1, "reject"))
    corpus = simulation_rows.labelled({})
    path = simulation_rows.rows_file(corpus)
    before = Material.load(path)
    path.unlink()
    assert teach_examples()
    assert simulation_rows.labelled({}).sha256 == corpus.sha256
    after = Material.load(simulation_rows.rows_file(corpus))
    assert all(np.array_equal(old, new) for old, new in zip(before.rows, after.rows, strict=True))


def simulate_here():
    spec = {"name": "db", "strategies": ["random"], "seed_articles": 2, "seeds": 2, "evaluate": "rest"}
    return run_here("simulate", {"spec": spec, "processes": 1}, HANDLERS, lambda progress: None)


def test_processes_of_replays_need_no_torch():
    code = "import sys, annotate.work, annotate.experiments.simulations; assert 'torch' not in sys.modules"
    assert ran(code).returncode == 0


def test_the_command_prints_the_table_and_the_plan(files, tiny_home, tmp_path, capsys):
    from annotate.cli.main import main

    spec = tmp_path / "small.yaml"
    spec.write_text("{title: Small, corpus: files, encoder: tiny, strategies: [random], seed_articles: 2, seeds: 1}")
    words = ["simulate", str(spec), "--files", *files, "--processes", "1"]
    assert main([*words, "--list", "--strategies", "random, score"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "Random, read in full | seed 0 | to do",
        "Model score, read in full | seed 0 | to do",
    ]
    assert main(words) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[:2] == ["Small", "one.jsonl + two.jsonl: 16 articles, 48 sentences, 16 key"]
    assert lines[4].startswith("Random, read in full") and "1 run done now, 0 before, 0 left, 0 failed" in lines[6]
    assert main([*words, "--strategies", "none"]) == 1
    assert "strategies: none is none of random" in capsys.readouterr().err


def test_a_work_is_replayed_once_however_often_it_is_stored(home):
    for number in range(4):
        beginning = f"This is the unmistakable beginning number {number} of a text that goes on for quite some letters."
        for pmid in (1000 + number, 2000 + number):
            title = f"Knockout of the gene number {number} in human cells"
            store(paper((beginning, "Key.", "Other."), pmid=str(pmid), title=title))
    propose_with(bare("tiny"))
    for article_id in range(1, 9):
        judge("Anna", article_id, verdict(1), verdict(0, "reject"), verdict(2, "reject"))
    corpus = simulation_rows.labelled({})
    assert len(corpus.articles) == len(corpus.ids) == len({tuple(one.sentences) for one in corpus.articles}) == 4
