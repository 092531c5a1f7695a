"""The map that serves: what it may not be measured on, how it did beside the one before, the one that is shipped."""

import gzip
import json

import numpy as np
import pytest
from safetensors.numpy import save_file

from annotate.cli.main import main
from annotate.finding.encoding import Encoder
from annotate.finding.rankers.ranker_versions import use
from annotate.registry.versions import listed
from annotate.related import gate, maps
from annotate.related.gate import use_map, warning
from annotate.related.judged import Citing, marks_of
from annotate.related.maps import WEIGHTS_FILE, LearntMap, map_in_use, mapped
from db.values import Kind
from tests.annotate.related.making import write_collection
from tests.annotate.related.test_evaluate_related import options
from tests.support.making import query


@pytest.fixture
def shipped(tiny_home, tmp_path, monkeypatch):
    """A map that Keyline brings for the encoder of the tests, learnt from article D0."""
    encoder = Encoder()
    (tmp_path / "shipped").mkdir()
    dimension = encoder.version.dimension
    arrays = {
        "map": np.eye(dimension, dtype=np.float16)[::-1].copy(),
        "learnt_from": np.array(marks_of([Citing("D0", None, frozenset())]), dtype=np.int64),
    }
    told = {"encoder_weights_sha256": encoder.version.manifest[WEIGHTS_FILE]}
    save_file(arrays, str(tmp_path / "shipped" / "tiny.safetensors"), metadata=told)
    monkeypatch.setattr(maps, "files", lambda package: tmp_path)
    return encoder


def test_the_shipped_map_serves_its_own_encoder_until_somebody_chooses(shipped):
    use("none", by="Anna")  # of the stages of Find, which it is none of
    assert map_in_use(shipped).name == "shipped"
    use_map("none", by="Anna")
    assert map_in_use(shipped) is None
    assert query("SELECT kind, version_id, promoted_by, reason FROM promotion WHERE kind = 'related'") == [
        ("related", None, "Anna", "taken out of use")
    ]
    for _ in range(2):
        assert use_map("shipped", by="Anna")["warning"] == ""
    assert [each.version.created_by for each in listed(Kind.RELATED)] == ["Keyline"]  # nobody here has learnt it
    found = map_in_use(shipped)
    assert found.name == "shipped"
    assert np.array_equal(found.matrix, np.eye(len(found.matrix))[::-1])


def test_an_encoder_of_other_weights_has_no_shipped_map(shipped, monkeypatch):
    monkeypatch.setitem(shipped.version.manifest, WEIGHTS_FILE, "0" * 64)
    assert map_in_use(shipped) is None
    monkeypatch.setattr(gate, "Encoder", lambda: shipped)
    with pytest.raises(ValueError, match="brings no map"):
        use_map("shipped", by="Anna")


def test_a_map_learnt_of_another_encoder_does_not_serve(shipped, tmp_path, capsys, monkeypatch):
    files = options(write_collection(tmp_path), "citing", "docs", "works")
    assert main(["related", "train", *files, "--epochs", "1", "--use", "--json"]) == 0
    assert map_in_use(shipped).name == json.loads(capsys.readouterr().out)["version"]
    shipped.version.manifest["another.txt"] = "0" * 64
    assert map_in_use(shipped) is None
    monkeypatch.setattr(gate, "Encoder", lambda: shipped)
    assert use_map("related-1", by="Anna")["warning"] == gate.ANOTHER_ENCODER


def test_what_the_map_in_use_was_learnt_from_is_refused_and_without_it_measured(shipped, tmp_path, capsys):
    files = options(write_collection(tmp_path), "citing", "docs", "works")
    assert main(["related", "evaluate", *files, "--json"]) == 1
    assert "1 articles to measure on, such as D0, are among those that the map shipped" in capsys.readouterr().err
    assert main(["related", "evaluate", *files, "--plain", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["map"] is None


@pytest.mark.postgresql
def test_a_training_tells_the_difference_to_the_map_in_use_and_use_repeats_it(tiny_home, tmp_path, capsys):
    paths = write_collection(tmp_path)
    lines = [json.loads(line) for line in gzip.decompress(paths["citing"].read_bytes()).splitlines()]
    validation = tmp_path / "validation.jsonl"
    validation.write_text("".join(json.dumps(line) + "\n" for line in lines[2:]))
    citing = tmp_path / "citing.jsonl"
    citing.write_text("".join(json.dumps(line) + "\n" for line in lines[:2]))
    files = options(paths | {"citing": citing}, "citing", "docs", "works")
    assert main(["related", "train", *files, "--validation", str(validation), "--epochs", "1", "--json"]) == 0
    made = json.loads(capsys.readouterr().out)
    beside = made["metrics"]["beside"]
    assert (beside["map"], beside["n"]) == (None, 2)
    assert beside["recall_at_50"]["low"] <= beside["recall_at_50"]["value"] <= beside["recall_at_50"]["high"]
    told = use_map(made["version"], by="Anna")
    assert told["beside"] == beside
    assert "no more than chance" in told["warning"]


@pytest.mark.parametrize(
    ("beside", "expected"),
    [
        ({"map": None, "recall_at_50": {"low": 0.01, "value": 0.02, "high": 0.03}}, ""),
        ({"map": "shipped", "recall_at_50": {"low": -0.03, "value": -0.02, "high": -0.01}}, "finds less: −0.020"),
        ({"map": "shipped", "recall_at_50": {"low": -0.01, "value": 0.0, "high": 0.01}}, "no more than chance"),
        ({"map": "shipped", "refused": "it has learnt from them"}, "not compared: it has learnt"),
        ({}, "train with --validation"),
    ],
)
def test_what_speaks_against_a_map_is_said(beside, expected):
    found = warning({"beside": beside} if beside else {})
    assert expected in found
    assert bool(found) is bool(expected)


def test_a_map_of_another_length_leaves_vectors_as_they_are():
    vectors = np.eye(3, dtype=np.float32)
    assert mapped(vectors, LearntMap("x", np.eye(4, dtype=np.float32))) is vectors
    assert np.array_equal(mapped(vectors, LearntMap("x", 2 * np.eye(3, dtype=np.float32))), vectors)
