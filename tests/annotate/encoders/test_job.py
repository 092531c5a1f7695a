"""The job that adds an encoder: a copy in 8 bits, once, also when it is begun again."""

from types import SimpleNamespace

import pytest

import annotate.proposing.int8
from annotate.encoders.job import add_encoder_version
from annotate.jobs.job_files import noted
from annotate.jobs.lifecycle import run_here
from annotate.proposing.encoders import add_encoder
from annotate.proposing.versions import find_version
from annotate.work import HANDLERS
from model.encoder import load
from model.files import INT8_FILE
from model.int8 import Int8Encoder


def _written(files):
    (files / INT8_FILE).parent.mkdir()
    (files / INT8_FILE).write_bytes(b"numbers")


def both_whole(files):
    """The encoder itself in place of one in 8 bits."""
    whole = load(files, "cpu", most_tokens=None)
    return Int8Encoder(whole, whole)


@pytest.fixture
def tiny(home, tiny_encoder, monkeypatch):
    """A version, and a copy that needs no ONNX Runtime."""
    monkeypatch.setattr(annotate.proposing.int8, "write_int8", _written)
    monkeypatch.setattr(annotate.proposing.int8, "load_int8", both_whole)
    return add_encoder(str(tiny_encoder), "tiny")


def test_a_copy_in_8_bits_is_made_by_a_job_and_not_twice_by_one(tiny):
    result = run_here("encoder", {"int8_of": "tiny"}, HANDLERS, lambda progress: None)
    assert result["version"] == "tiny in 8 bits" and INT8_FILE in find_version("tiny in 8 bits").manifest
    noted(7, "versions", {"names": ["tiny"]})  # by an attempt that was killed once it had made it
    again = SimpleNamespace(job_id=7, report=lambda *_: None, stop_if_cancelled=lambda: None)
    assert add_encoder_version({"int8_of": "tiny"}, again) == {"version": "tiny in 8 bits"}
    other = SimpleNamespace(job_id=8, report=lambda *_: None, stop_if_cancelled=lambda: None)
    with pytest.raises(ValueError, match="there is a version tiny in 8 bits already"):
        add_encoder_version({"int8_of": "tiny"}, other)
