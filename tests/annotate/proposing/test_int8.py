"""A copy in 8 bits is a version of its own, made where it ranks as the other, and encodes as well as it can."""

import sys

import numpy as np
import pytest

import annotate.proposing.embed
import annotate.proposing.int8
import db.proposing.proposals
import db.proposing.versions
import model.int8
from annotate.embeddings.stored import embeddings_of
from annotate.project.home import folder, read
from annotate.proposing.embed import embed, load_version
from annotate.proposing.encoders import add_encoder
from annotate.proposing.int8 import NotAlike, add_int8
from annotate.proposing.versions import find_version, model_folder
from model.encoder import load
from model.files import INT8_FILE
from model.int8 import Int8Encoder
from model.int8_files import Int8Transformer, NoInt8
from tests.support.int8 import LONG, rough
from tests.support.making import paper, store


@pytest.fixture
def version(home, tiny_encoder):
    store(*(paper(pmid=number) for number in ("1", "2", "3")))
    return add_encoder(str(tiny_encoder), "tiny")


@pytest.fixture
def as_made(monkeypatch):
    """Without ONNX Runtime: the copy has a file where it would be, and is the encoder itself."""
    monkeypatch.setattr(annotate.proposing.int8, "write_int8", _written)
    monkeypatch.setattr(annotate.proposing.int8, "load_int8", both_whole)


def _written(files):
    (files / INT8_FILE).parent.mkdir()
    (files / INT8_FILE).write_bytes(b"numbers")


def both_whole(files):
    """The encoder itself in place of one in 8 bits."""
    whole = load(files, "cpu", most_tokens=None)
    return Int8Encoder(whole, whole)


def names() -> list[str]:
    with read() as session:
        return [found.name for found in db.proposing.versions.versions(session)]


def test_a_copy_is_a_version_beside_the_other(version, as_made):
    stages = []
    found = add_int8("tiny", lambda stage, done, total: stages.append((stage, done, total)))
    assert found["version"] == "tiny in 8 bits" and found["same_first_five"] == pytest.approx(1)
    assert found["articles"] == 3 and stages[-1] == ("comparing both", 3, 3)
    copy = find_version("tiny in 8 bits")
    assert (copy.parent_id, copy.encoder, copy.dimension) == (version.parent_id, version.encoder, version.dimension)
    assert INT8_FILE in copy.manifest and (model_folder(copy) / INT8_FILE).is_file()
    assert set(version.manifest) == set(copy.manifest) - {INT8_FILE}
    for wanted, name in (("there is a version", "tiny"), ("computes in 8 bits already", copy.name)):
        with pytest.raises(ValueError, match=wanted):
            add_int8(name)


def test_a_copy_that_ranks_otherwise_is_not_kept(version, as_made, monkeypatch):
    monkeypatch.setattr(annotate.proposing.int8, "same_first", lambda *_: 0.979)
    with pytest.raises(NotAlike, match=r"the same in 97.9% of 3 articles; 98% are needed, so tiny goes on as it is"):
        add_int8("tiny")
    assert "tiny in 8 bits" not in names()
    assert [path.name for path in folder("models").iterdir()] == [version.folder]


def test_without_the_package_the_copy_encodes_with_its_whole_weights_and_says_so(version, as_made, monkeypatch, logged):
    copy = find_version(add_int8("tiny")["version"])
    monkeypatch.setattr(annotate.proposing.embed, "int8_is_there", lambda: False)
    assert not isinstance(load_version(copy), Int8Encoder)
    assert "requirements-int8.txt" in logged.text
    assert embed(copy) == 9
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    monkeypatch.setattr(annotate.proposing.embed, "int8_is_there", lambda: True)
    with pytest.raises(NoInt8):
        load_version(copy)


def test_embeddings_of_a_copy_in_8_bits_are_its_own(version):
    pytest.importorskip("onnxruntime", reason="ONNX Runtime is not installed: requirements-int8.txt")
    store(paper(LONG, pmid="4"))
    copy = find_version(add_int8("tiny")["version"])
    assert any(isinstance(module, Int8Transformer) for module in load_version(copy).small.modules())
    assert embed(version) == embed(copy) == 9 + len(LONG)
    with read() as session:
        whole, small = (embeddings_of(session, found.id, [4])[4] for found in (version, copy))
    assert (whole * small).sum(axis=1).min() > 0.98 and not np.array_equal(whole, small)


def test_the_copy_is_measured_with_the_first_sentences_encoded_again(version, as_made, monkeypatch):
    """By itself this one puts others first; with the first 15 again it ranks as float32 does."""
    store(paper(LONG, pmid="4"))
    monkeypatch.setattr(annotate.proposing.int8, "load_int8", rough)
    assert add_int8("tiny")["same_first_five"] == pytest.approx(1)
    monkeypatch.setattr(model.int8, "first_of", lambda vectors, query: [])
    with pytest.raises(NotAlike, match=r"the same in 75.0% of 4 articles"):
        add_int8(add_encoder(str(model_folder(version)), "again").name)
