"""The job on a tiny encoder: results are kept, taken from there again, compared, and cancelled between chunks."""

import json
import shutil

import pytest
from safetensors.numpy import load_file, save_file

from annotate.embeddings.text_vectors import StoppedEncoding
from annotate.encoders import results
from annotate.encoders.evaluate_encoders import evaluate_encoders
from annotate.encoders.sources import find_source
from annotate.encoders.table import as_csv, cells_of, compared, stored_results
from annotate.encoders.task_vectors import Vectors
from annotate.encoders.tasks.registry import CHEAP, TaskFolder
from annotate.jobs.lifecycle import run_here
from annotate.jobs.monitor import Cancelled, Monitor
from annotate.project.home import folder
from annotate.project.stored_settings import change_settings
from annotate.proposing.encoders import add_encoder
from annotate.registry.versions import model_folder
from annotate.work import HANDLERS
from model.files import DamagedModel
from tests.model.test_families import SIZES, Family, made
from tests.support.encoder_tasks import task_folder
from tests.support.making import judge, paper, pmids, store, verdict

PROBED = ("stop_words", "abbreviations", "gene_synonyms")


@pytest.fixture
def tasks(tiny_home, tmp_path):
    return str(task_folder(tmp_path / "tasks"))


def evaluated(place, *encoders, **payload):
    return run_here("encoders", {"encoders": encoders, "folders": [place], **payload}, HANDLERS, lambda progress: None)


def test_encoders_words_and_both_are_scored_on_all_that_is_installed(tasks):
    found = evaluated(tasks, "tiny", "words", "tiny+words", probes=True)
    assert [row["encoder"] for row in found["rows"]] == ["tiny", "words", "tiny+words"]
    assert [list(row["tasks"]) for row in found["rows"]] == [list(CHEAP)] * 3
    tiny, words, both = found["rows"]
    assert (tiny["encoder_sha256"], words["encoder_sha256"]) == (both["encoder_sha256"], "words")
    assert tiny["cost"]["dimension"] == 32 and tiny["cost"]["parameters"] > 0 and "cost" not in words
    assert {name: probe["pairs"] for name, probe in tiny["probes"].items()} == dict.fromkeys(PROBED, 0)
    biosses = words["tasks"]["biosses"]
    assert biosses["tested"] == 3 and "difference" in biosses["measures"]["pearson"]
    assert "difference" not in tiny["tasks"]["biosses"]["measures"]["pearson"]
    assert found["left_out"]["mednli"].startswith("not installed") and not found["failed"]
    assert cells_of(found["rows"])[1][""] == "words"
    lines = as_csv(found["rows"]).splitlines()
    assert lines[0].startswith("encoder,task,measure,value,low,high,difference") and len(lines) == 1 + 3 * 8


def test_what_is_known_is_neither_encoded_nor_scored_again(tasks, monkeypatch):
    first = evaluated(tasks, "tiny")

    def never(*_, **__):
        raise AssertionError("encoded again")

    monkeypatch.setattr("annotate.encoders.task_vectors.encode", never)
    again = evaluated(tasks, "tiny")
    assert again["rows"] == first["rows"]
    # Another classifier learns on the vectors that are there.
    other = evaluated(tasks, "tiny", classifier="network", tasks=["roles_pubmed"])
    assert other["rows"][0]["tasks"]["roles_pubmed"]["classifier"] == "network"
    assert {one.task for one in stored_results("network")} == {"roles_pubmed"}


def test_a_folder_and_a_version_of_the_same_files_share_their_row(tasks, tiny_encoder):
    place = folder("models") / find_source("tiny").place.rpartition("/")[2]
    found = evaluated(tasks, "tiny", str(place), tasks=["biosses"])
    assert len(found["rows"]) == 1
    assert find_source(str(tiny_encoder)).sha256 != ""


def test_a_copy_that_is_cut_earlier_than_its_version_has_a_row_of_its_own(tasks, tmp_path):
    made(Family("Bert", "BertModel", SIZES | {"max_position_embeddings": 400}), tmp_path)
    version = add_encoder(str(tmp_path / "made"), "long", 400)
    copy = shutil.copytree(model_folder(version), tmp_path / "copy")
    rows = evaluated(tasks, "long", str(copy), tasks=["biosses"])["rows"]
    assert [row["encoder"] for row in rows] == ["long", str(copy)]


def test_the_folder_of_the_project_is_used_where_none_is_given(tasks):
    change_settings("Anna", TaskFolder(tasks))
    found = run_here("encoders", {"encoders": ["words"], "tasks": ["functions"]}, HANDLERS, lambda progress: None)
    assert list(found["rows"][0]["tasks"]) == ["functions"]


def test_key_sentences_need_no_folder(tiny_home):
    store(*(paper(pmid=pmid) for pmid in pmids("test", 2)))
    judge("Anna", 1, verdict(0), verdict(1, "reject"))
    judge("Anna", 2, verdict(2))
    found = run_here("encoders", {"encoders": ["tiny"], "tasks": ["key_sentences"]}, HANDLERS, lambda progress: None)
    told = found["rows"][0]["tasks"]["key_sentences"]
    assert told["tested"] == 2 and 0 <= told["measures"]["arp"]["value"] <= 1
    assert told["measures"]["arp"]["floor"] == pytest.approx(1 / 3, abs=1e-4)


def test_what_cannot_be_scored_is_named_and_the_others_are(tasks, tmp_path):
    (tmp_path / "tasks" / "biosses.jsonl.gz").write_bytes(b"no archive")
    found = evaluated(tasks, "words", "no-such/encoder", tasks=["biosses", "functions"])
    assert list(found["rows"][0]["tasks"]) == ["functions"]
    assert [(each["encoder"], each["task"]) for each in found["failed"]] == [
        ("words", "biosses"),
        ("no-such/encoder", ""),
    ]
    assert "biosses.jsonl.gz cannot be read to its end, it is damaged or cut" in found["failed"][0]["error"]
    with pytest.raises(ValueError, match="nothing was scored: mednli: not installed: mli_train_v1"):
        evaluated(tasks, "words", tasks=["mednli"])


def copy_of(encoder, place):
    """A copy of an encoder's folder that may be spoilt, with its weights."""
    shutil.copytree(encoder, place)
    (weights,) = place.rglob("*.safetensors")
    return str(place), weights


def test_an_encoder_that_cannot_be_loaded_is_named_and_the_others_are_scored(tasks, tiny_encoder, tmp_path):
    odd, weights = copy_of(tiny_encoder, tmp_path / "odd")
    config = weights.with_name("config.json")
    config.write_text(json.dumps(json.loads(config.read_text()) | {"hidden_size": 48}))
    found = evaluated(tasks, odd, "words", tasks=["biosses"])
    assert [row["encoder"] for row in found["rows"]] == ["words"]
    assert [each["encoder"] for each in found["failed"]] == [odd]


@pytest.mark.parametrize(
    ("spoilt", "reason"),
    [
        (lambda found: {name: rows * float("nan") for name, rows in found.items()}, "weights are not finite numbers"),
        (lambda found: {name: rows for name, rows in found.items() if "layer." not in name}, "weights are missing"),
    ],
)
def test_an_encoder_of_unsound_weights_gets_no_score(tasks, tiny_encoder, tmp_path, spoilt, reason):
    odd, weights = copy_of(tiny_encoder, tmp_path / "odd")
    save_file(spoilt(load_file(weights)), weights, metadata={"format": "pt"})
    found = evaluated(tasks, odd, "words", tasks=["biosses", "functions"])
    assert [row["encoder"] for row in found["rows"]] == ["words"]
    ((encoder, error),) = [(each["encoder"], each["error"]) for each in found["failed"]]
    assert encoder == odd and reason in error


def test_a_cancelled_job_keeps_what_was_encoded(tasks, monkeypatch):
    monkeypatch.setattr("annotate.embeddings.text_vectors.CHUNK", 2)
    monitor = Monitor(0)
    asked = iter([False] * 2 + [True] * 99)
    monkeypatch.setattr(monitor, "cancelled", lambda: next(asked))
    monkeypatch.setattr(monitor, "flush", lambda: None)
    with pytest.raises(Cancelled):
        evaluate_encoders({"encoders": ["tiny"], "tasks": ["functions"], "folders": [tasks]}, monitor)
    kept = list(Vectors(find_source("tiny")).place.glob("document-*.npz"))
    assert kept and not results.all_results()
    assert len(evaluated(tasks, "tiny", tasks=["functions"])["rows"]) == 1


def test_a_job_that_is_cancelled_at_its_probes_is_cancelled(tasks, monkeypatch):
    def stopped(*_):
        raise StoppedEncoding

    monkeypatch.setattr("annotate.encoders.evaluate_encoders.probe", stopped)
    monitor = Monitor(0)
    monkeypatch.setattr(monitor, "flush", lambda: None)
    with pytest.raises(Cancelled):
        evaluate_encoders({"encoders": ["tiny"], "tasks": ["biosses"], "folders": [tasks], "probes": True}, monitor)
    assert [one.task for one in results.all_results()] == ["biosses"]


def test_a_version_whose_files_were_changed_is_not_loaded(tasks):
    place = folder("models") / find_source("tiny").place.rpartition("/")[2]
    (place / "config.json").write_text("{}")
    with pytest.raises((ValueError, DamagedModel), match=r"config\.json was changed"):
        evaluated(tasks, "tiny", tasks=["functions"])


def test_a_damaged_result_counts_as_none_and_the_base_is_chosen(tasks):
    evaluated(tasks, "words", "tiny", tasks=["biosses", "functions"])
    found = stored_results("logistic")
    assert [(one.source, one.task) for one in found] == [
        (source, task) for source in ("words", "tiny") for task in ("biosses", "functions")
    ]
    base = found[-1].row
    rows = compared(found, base)
    assert [row["encoder"] for row in rows] == ["tiny", "words"] and rows[0]["cost"]["dimension"] == 32
    path = folder("encoders") / "results" / f"{found[0].key}.json"
    path.write_text(json.dumps({"key": "x"}))
    assert len(stored_results("logistic")) == 3


def test_the_embedded_encoder_is_known_in_a_new_project(home):
    assert find_source("all-MiniLM-L6-v2+words").manifest
