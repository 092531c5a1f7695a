"""Retraining from labels to a child version with its numbers, while the parent goes on proposing."""

import shutil
from dataclasses import replace

import pytest

import annotate.retraining.retrain
import db.evaluation
import db.registry
import db.rows
from annotate.evaluation.evaluate_version import NotEnoughGold
from annotate.gold.label_sets import current_label_set
from annotate.jobs.lifecycle import cancel, run_here
from annotate.jobs.monitor import Cancelled
from annotate.project.home import folder, read, write
from annotate.project.rights import Right
from annotate.proposing.encoder_versions import find_version, promote_encoder, proposing_version
from annotate.proposing.encoders import add_encoder, load_source
from annotate.proposing.propose import propose
from annotate.registry.versions import verified_folder
from annotate.retraining.retrain import NotEnoughSpace
from annotate.retraining.setting_values import payload_of
from annotate.topics.project_topic import current_topic, use_topic
from annotate.work import HANDLERS
from model.files import DamagedModel, manifest_of, sha256_of
from model.proposing.ranking import Ranking
from model.training.settings import TrainingSettings
from tests.model.test_families import SIZES, Family, made
from tests.support.making import judge, paper, pmids, query, reading, store, verdict
from tests.support.topics import SMALL

QUERY = "gene knockout from cell"
SETTINGS = TrainingSettings(
    query=QUERY, epochs=3, batch_size=8, learning_rate=2e-3, warmup_steps=0, evaluate_every=0, negatives_per_key=20
)
KEY = "Here we deleted the {gene} gene in {cell} cells."
OTHER = ("The assay was measured in buffer.", "Growth of patients was known.", "Results increased in mouse.")


@pytest.fixture
def labelled(tiny_home):
    """Six train, two validation and three test articles, each with a key sentence and read in full."""
    chosen = [*pmids("train", 6), *pmids("validation", 2), *pmids("test", 3)]
    for number, pmid in enumerate(chosen):
        key = KEY.format(gene=("TP53", "KRAS", "MYC")[number % 3], cell=("HeLa", "A549")[number % 2])
        store(paper([*OTHER[:2], key, OTHER[2]], pmid=pmid))
        judge("Anna", number + 1, verdict(2), verdict(0, "reject"), reading())


def quiet(progress) -> None:
    """Shows nothing."""


def train(settings: TrainingSettings = SETTINGS, show=quiet):
    return run_here("train", payload_of(settings), HANDLERS, show)


def test_a_child_reads_as_far_as_its_settings_say_and_its_children_as_far(labelled, tmp_path):
    """Further than the 256 tokens at which an encoder from outside is cut."""
    made(Family("Bert", "BertModel", SIZES | {"max_position_embeddings": 400}), tmp_path)
    add_encoder(str(tmp_path / "made"), "long")
    settings = replace(SETTINGS, epochs=1)
    for parent, asked in (("long", 300), ("v1", None), ("v2", 32)):
        run_here("train", payload_of(replace(settings, max_tokens=asked), parent), HANDLERS, quiet)
    read_by = [load_source(str(verified_folder(find_version(name)))) for name in ("long", "v1", "v2", "v3")]
    assert [encoder.max_seq_length for encoder in read_by] == [256, 300, 300, 32]


def test_a_topic_that_changes_during_a_training_is_not_that_of_its_child(labelled):
    before = current_topic()
    name = next(iter(before.rules.queries))

    def change(progress) -> None:
        if progress["stage"] == "training":
            use_topic(SMALL, by="Anna")

    train(replace(SETTINGS, epochs=1, query=name), change)
    child = find_version("v1")
    assert current_topic().name == "Sleep"
    assert (child.topic_sha256, child.query) == (before.sha256, before.rules.queries[name])


def test_a_training_that_goes_on_after_the_topic_changed_keeps_the_one_that_it_began_with(labelled, monkeypatch):
    before = current_topic()

    def changed_before_the_next_attempt(job_id, name, facts):
        return facts | {"topic": before.text}  # what the first attempt noted

    use_topic(SMALL, by="Anna")
    monkeypatch.setattr(annotate.retraining.retrain, "noted", changed_before_the_next_attempt)
    name = next(iter(before.rules.queries))
    train(replace(SETTINGS, epochs=1, query=name))
    child = find_version("v1")
    assert (child.topic_sha256, child.query) == (before.sha256, before.rules.queries[name])


def test_training_makes_a_child_with_its_run_its_numbers_and_a_parent_that_proposes_on(labelled):
    stages: list[str] = []
    result = train(show=lambda progress: stages.append(progress["stage"]))
    assert (result["parent"], result["child"]) == ("tiny", "v1")
    assert result["label_counts"] == {"key": 6, "not_key": 18, "unlabelled": 0}
    parent, child = find_version("tiny"), find_version("v1")
    assert (child.parent_id, child.query, child.encoder, child.dimension) == (parent.id, QUERY, parent.encoder, 32)
    assert set(child.manifest) == set(parent.manifest)
    assert child.manifest["model.safetensors"] != parent.manifest["model.safetensors"]
    verified_folder(child)
    assert proposing_version().id == parent.id
    with read() as session:
        sha256 = current_label_set(session).sha256
        assert (child.parent_id, child.job_id) == (parent.id, 1)
        assert TrainingSettings(**child.settings) == SETTINGS
        assert child.trained_on == {"label_counts": result["label_counts"], "label_set_sha256": sha256}
        kinds = [entry["kind"] for entry in db.registry.curve(session, child.id)]
        assert kinds.count("checkpoint") == 4 and kinds.count("step") == 9
        for version, moment in ((parent, "before"), (child, "after")):
            for ranking in ("cosine", "hybrid"):
                stored = db.evaluation.latest_evaluation(session, version.id, ranking, "test")
                values = stored.metrics["by_article"]  # they stay with the evaluation
                assert stored.metrics == result["test"][ranking][moment] | {"by_article": values}
                assert stored.metrics["articles"] == 3
    assert result["test"]["cosine"]["after"]["arp"] == 1.0  # twelve sentences that differ in every word
    assert stages[0] == "starting" and "training" in stages and stages[-1] == "evaluating"
    assert sorted(path.name for path in folder("models").iterdir() if "partial" in path.name) == []
    assert query("SELECT state, error FROM job") == [("done", None)]
    run_here("propose", {"ranking": "cosine", "k": 1}, HANDLERS, quiet)
    assert query("SELECT DISTINCT version_id FROM proposal_set") == [(parent.id,)]


def test_a_child_that_is_promoted_proposes_with_its_own_query(labelled):
    train()
    child = find_version("v1")
    with read() as session:
        labels = current_label_set(session).split_sha256["test"]
    promote_encoder(child.id, by="Anna", label_set_sha256=labels, even_if_worse=True)
    run_here("propose", {"ranking": "cosine", "k": 1}, HANDLERS, quiet)
    assert query("SELECT DISTINCT version_id, query FROM proposal_set") == [(child.id, QUERY)]
    assert propose(ranking=Ranking.COSINE, k=1) == 0
    positions = query("SELECT position FROM proposal JOIN sentence ON sentence.id = sentence_id WHERE set_id > 0")
    assert positions == [(2,)] * 11
    second = train()
    assert (second["parent"], second["child"]) == ("v1", "v2")


def test_training_that_is_cancelled_leaves_no_version(labelled, monkeypatch):
    monkeypatch.setattr("annotate.jobs.monitor.REPORT_SECONDS", 0.0)

    def show(progress) -> None:
        if progress["stage"] == "training" and progress["done"] == 2:
            cancel(1)

    with pytest.raises(Cancelled):
        train(show=show)
    assert query("SELECT state FROM job") == [("cancelled",)]
    assert query("SELECT name FROM model_version WHERE kind = 'encoder'") == [("tiny",)]
    assert query("SELECT count(*) FROM model_version WHERE job_id IS NOT NULL") == [(0,)]


@pytest.mark.parametrize("written", [False, True])
def test_training_that_is_cancelled_while_it_saves_leaves_no_version(labelled, monkeypatch, written):
    def hash_and_cancel(path):
        cancel(1)
        return manifest_of(path)

    def show(progress) -> None:
        if progress["stage"] == "saving the new version":
            cancel(1)

    if written:
        monkeypatch.setattr(annotate.retraining.retrain, "manifest_of", hash_and_cancel)
    with pytest.raises(Cancelled):
        train(replace(SETTINGS, epochs=1), quiet if written else show)
    assert query("SELECT state FROM job") == [("cancelled",)]
    assert query("SELECT name FROM model_version WHERE kind = 'encoder'") == [("tiny",)]
    assert (folder("models") / "v1").exists() == written  # such a folder goes when the next version is saved


def test_a_name_that_an_encoder_takes_while_a_training_saves_leaves_it_the_next_one(
    labelled, tiny_encoder, monkeypatch
):
    def hash_while_one_is_added(path):
        add_encoder(str(tiny_encoder), "v1")
        return manifest_of(path)

    monkeypatch.setattr(annotate.retraining.retrain, "manifest_of", hash_while_one_is_added)
    assert train(replace(SETTINGS, epochs=1))["child"] == "v2"
    for name in ("v1", "v2"):
        verified_folder(find_version(name))


def test_training_that_breaks_off_while_it_saves_leaves_no_version_and_the_next_one_succeeds(labelled, monkeypatch):
    def fail(encoder, target):
        (target / "model.safetensors").write_bytes(b"half")
        raise OSError("disk full")

    with monkeypatch.context() as patched:
        patched.setattr("annotate.proposing.encoders.save", fail)
        with pytest.raises(OSError, match="disk full"):
            train()
    assert query("SELECT error FROM job") == [("disk full",)]
    assert query("SELECT name FROM model_version WHERE kind = 'encoder'") == [("tiny",)]
    assert train()["child"] == "v1"
    verified_folder(find_version("v1"))


def test_others_may_save_while_the_files_of_a_new_version_are_hashed(labelled, tiny_encoder, monkeypatch):
    hashed = []

    def hash_while_another_saves(path):
        with write(Right.SYSTEM):  # waits in vain for a transaction that is open
            hashed.append(path.name)
        return sha256_of(path)

    monkeypatch.setattr("model.files.sha256_of", hash_while_another_saves)
    train(replace(SETTINGS, epochs=1))
    add_encoder(str(tiny_encoder), "other")
    assert hashed.count("model.safetensors") >= 3  # of the parent and of both new versions


def test_training_is_refused_without_room_on_the_disk(labelled, monkeypatch):
    usage = shutil.disk_usage(folder("models"))
    monkeypatch.setattr(annotate.retraining.retrain.shutil, "disk_usage", lambda path: usage._replace(free=1000))
    with pytest.raises(NotEnoughSpace, match="0 MB are free"):
        train()


def test_training_from_a_damaged_parent_is_refused(labelled):
    weights = folder("models") / find_version("tiny").folder / "model.safetensors"
    content = bytearray(weights.read_bytes())
    content[-1] ^= 1
    weights.write_bytes(bytes(content))
    with pytest.raises(DamagedModel, match=r"model\.safetensors was changed"):
        train()


@pytest.mark.postgresql
def test_training_without_labels_is_refused_with_the_reason(tiny_home):
    with pytest.raises(NotEnoughGold, match="no article of the test split has a key sentence yet"):
        train()
    (test,), (article,) = pmids("test", 1), pmids("train", 1)
    store(paper(pmid=test), paper(pmid=article))
    judge("Anna", 1, verdict(0))
    with pytest.raises(NotEnoughGold, match="the train split has no key sentence yet"):
        train()
    judge("Anna", 2, verdict(0), verdict(1), verdict(2))
    with pytest.raises(NotEnoughGold, match="the train split has no sentence that is not key"):
        train()
    assert query("SELECT DISTINCT state FROM job") == [("failed",)]
    assert query("SELECT name FROM model_version WHERE kind = 'encoder'") == [("tiny",)]
