"""Encoders in 8 bits: nearly the same vectors, any length, and words where they cannot be."""

import shutil
import sys

import numpy as np
import pytest

from model.encoder import encode, load
from model.files import INT8_FILE
from model.int8 import load_int8, write_int8
from model.int8_files import NoInt8
from model.proposing.first_again import FIRST_AGAIN, WHOLE_BELOW
from tests.support.int8 import LONG, rough

TEXTS = [("cells " * (1 + i * 7 % 40)).strip() + " were edited." for i in range(23)]


@pytest.fixture(scope="module")
def folder(tiny_encoder, tmp_path_factory):
    """The tiny encoder in 8 bits beside its weights."""
    pytest.importorskip("onnxruntime", reason="ONNX Runtime is not installed: requirements-int8.txt")
    pytest.importorskip("onnx", reason="onnx is not installed: requirements-int8.txt")
    target = tmp_path_factory.mktemp("int8") / "copy"
    shutil.copytree(tiny_encoder, target)
    assert write_int8(target) == target / INT8_FILE
    assert [path.name for path in target.parent.iterdir()] == ["copy"]
    return target


def test_vectors_in_8_bits_are_nearly_the_same(folder):
    whole = encode(load(folder, "cpu"), TEXTS, queries=["gene"], mixed_precision=False)
    small = encode(load_int8(folder).small, TEXTS, queries=["gene"])
    assert small.shape == whole.shape and small.dtype == np.float32
    assert np.linalg.norm(small, axis=1) == pytest.approx(np.ones(24), abs=1e-5)
    assert (small * whole).sum(axis=1).min() > 0.99
    assert not np.array_equal(small, whole)


@pytest.mark.parametrize("missing", ["onnxruntime", "onnxruntime.quantization"])
def test_without_the_package_it_says_how_to_get_it(tiny_encoder, monkeypatch, missing):
    monkeypatch.setitem(sys.modules, missing, None)
    make = load_int8 if missing == "onnxruntime" else write_int8
    with pytest.raises(NoInt8, match=r"pip install -r requirements-int8.txt"):
        make(tiny_encoder)


def test_queries_are_of_the_whole_weights_and_sentences_in_8_bits(tiny_encoder):
    both = rough(tiny_encoder)
    found = both.encode(TEXTS, queries=["gene"])
    assert found[:1] == pytest.approx(encode(both.whole, [], queries=["gene"], mixed_precision=False), abs=1e-6)
    assert found[1:] == pytest.approx(encode(both.small, TEXTS), abs=1e-6)


def test_the_first_sentences_and_short_articles_are_of_the_whole_weights(tiny_encoder):
    both = rough(tiny_encoder)
    short, long = LONG[: WHOLE_BELOW - 1], LONG[:WHOLE_BELOW]
    texts, owners = [*short, *LONG, *long], np.repeat([7, 3, 5], [len(short), len(LONG), len(long)])
    told = []
    found = both.encode_articles(texts, owners, {7: "gene", 3: "mouse", 5: "gene"}, progress=told.append)
    whole, small = encode(both.whole, texts, mixed_precision=False), encode(both.small, texts)
    query = {text: both.encode([], queries=[text])[0] for text in ("gene", "mouse")}
    by_whole = np.isclose(found, whole, atol=1e-6).all(axis=1)
    assert (by_whole | np.isclose(found, small, atol=1e-6).all(axis=1)).all()
    assert by_whole[owners == 7].all()
    for number, asked in ((3, "mouse"), (5, "gene")):
        first = np.argsort(-(small[owners == number] @ query[asked]), kind="stable")[:FIRST_AGAIN]
        assert sorted(first) == np.flatnonzero(by_whole[owners == number]).tolist()
    assert told[-1] == len(texts) and max(told) == len(texts)
    assert both.encode_articles([], np.array([]), {}).shape == (0, found.shape[1])
