"""Model folders: every file by its SHA-256, pickles refused."""

import hashlib
from pathlib import Path

import pytest

from model.files import PICKLES, DamagedModel, embedded_encoder, manifest_of, sha256_of, verify


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A model folder of three files, one of them nested."""
    path = tmp_path / "v1"
    (path / "1_Pooling").mkdir(parents=True)
    (path / "model.safetensors").write_bytes(b"weights")
    (path / "config.json").write_text("{}")
    (path / "1_Pooling" / "config.json").write_text("{}")
    return path


def test_the_manifest_holds_every_file(folder):
    empty = hashlib.sha256(b"{}").hexdigest()
    expected = {
        "1_Pooling/config.json": empty,
        "config.json": empty,
        "model.safetensors": hashlib.sha256(b"weights").hexdigest(),
    }
    assert manifest_of(folder) == expected
    verify(folder, expected)


def test_a_hash_is_that_of_the_whole_file_however_large(tmp_path):
    content = bytes(range(256)) * 10_000  # more than one chunk
    (tmp_path / "x").write_bytes(content)
    assert sha256_of(tmp_path / "x") == hashlib.sha256(content).hexdigest()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda path: (path / "model.safetensors").write_bytes(b"weightz"), r"v1: model\.safetensors was changed"),
        (lambda path: (path / "config.json").unlink(), r"v1: config\.json is missing"),
        (lambda path: (path / "1_Pooling" / "extra.py").write_text(""), r"v1: 1_Pooling/extra\.py was added"),
        (lambda path: (path / "model.safetensors").unlink(), r"v1: holds no \.safetensors"),
        (lambda path: path.rename(path.with_name("v2")), "v1: the model folder is missing"),
    ],
)
def test_a_folder_that_differs_from_its_manifest_is_damaged(folder, change, message):
    manifest = manifest_of(folder)
    change(folder)
    with pytest.raises(DamagedModel, match=message):
        verify(folder, manifest)


@pytest.mark.parametrize("suffix", PICKLES)
def test_pickles_are_refused_wherever_they_lie(folder, suffix):
    (folder / "1_Pooling" / f"weights{suffix}").write_bytes(b"x")
    with pytest.raises(DamagedModel, match="is a pickle, which can run code"):
        manifest_of(folder)


def test_a_pickle_by_another_case_of_its_ending_is_refused_too(folder):
    (folder / "pytorch_model.BIN").write_bytes(b"x")
    with pytest.raises(DamagedModel, match="is a pickle"):
        manifest_of(folder)


def test_the_embedded_encoder_is_a_folder_with_weights():
    found = {path.name for path in embedded_encoder().iterdir()}
    assert {"model.safetensors", "config.json", "tokenizer.json"} <= found
