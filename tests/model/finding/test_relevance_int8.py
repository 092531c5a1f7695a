"""REL in 8 bits: nearly the same odds, the first scored again by the whole weights, and words where it cannot be."""

import sys
from pathlib import Path

import numpy as np
import pytest
import torch

from model.files import INT8_FILE, manifest_of
from model.finding.faceted_text import Laid, laid_out, words_of
from model.finding.ranker_files import load_relevance, load_relevance_int8, save_ranker, write_relevance_int8
from model.finding.reader import reader_of_encoder
from model.finding.relevance import FIRST, Int8Relevance, RelevanceModel, relevance_of
from model.int8_files import NoInt8
from tests.support.int8 import LONG, roughened

ASKED = "Was tp53 deleted in hela cells?"


@pytest.fixture
def folder(tiny_encoder: Path, tmp_path: Path) -> Path:
    """A REL model that was not trained."""
    torch.manual_seed(0)
    target = tmp_path / "rel"
    target.mkdir()
    save_ranker(RelevanceModel(reader_of_encoder(tiny_encoder, "cpu")), target, {})
    return target


def rows_of(model: RelevanceModel | Int8Relevance, texts: tuple[str, ...]) -> list[Laid]:
    asked, *tokens = words_of(model.reader.tokenizer, [ASKED, *texts])
    return [laid_out([each, each[:3]], asked, model.reader.borders, 48) for each in tokens]


def test_odds_in_8_bits_are_nearly_the_same(folder) -> None:
    pytest.importorskip("onnxruntime", reason="ONNX Runtime is not installed: requirements-int8.txt")
    pytest.importorskip("onnx", reason="onnx is not installed: requirements-int8.txt")
    assert write_relevance_int8(folder) == folder / INT8_FILE and INT8_FILE in manifest_of(folder)
    both = load_relevance_int8(folder)
    assert both.reader.inputs == ("input_ids", "attention_mask", "token_type_ids")
    rows = rows_of(both, LONG)
    whole, small = (
        relevance_of(load_relevance(folder, "cpu"), rows, mixed_precision=False),
        relevance_of(both.small, rows),
    )
    assert small == pytest.approx(whole, abs=0.3) and not np.array_equal(small, whole)
    assert np.corrcoef(small, whole)[0, 1] > 0.98
    assert (both.odds(rows) == whole).sum() >= FIRST


def test_those_that_may_be_among_the_first_are_scored_by_the_whole_weights(folder) -> None:
    whole, small = load_relevance(folder, "cpu"), load_relevance(folder, "cpu")
    roughened(small.reader.network)
    both = Int8Relevance(small, whole)
    rows = rows_of(both, LONG)
    found, in_8_bits = both.odds(rows), relevance_of(small, rows)
    by_whole = relevance_of(whole, rows, mixed_precision=False)
    assert np.abs(by_whole - in_8_bits).min() > 1e-4
    before = np.concatenate([by_whole[:FIRST], in_8_bits[FIRST:]])
    first = np.union1d(np.arange(FIRST), np.argsort(-before, kind="stable")[:FIRST])
    others = np.setdiff1d(np.arange(len(rows)), first)
    assert len(first) > FIRST and len(others)
    assert found[first] == pytest.approx(by_whole[first], abs=1e-5)
    assert found[others] == pytest.approx(in_8_bits[others], abs=1e-5)
    assert both.odds([]).shape == (0,)
    assert both.odds(rows[:3]) == pytest.approx(by_whole[:3], abs=1e-5)


def test_each_core_takes_rows_of_its_own_and_all_are_scored_alike(folder, monkeypatch) -> None:
    model = load_relevance(folder, "cpu")
    rows = rows_of(model, LONG)
    alone = relevance_of(model, rows)
    monkeypatch.setattr(torch, "get_num_threads", lambda: 3)
    assert relevance_of(model, rows) == pytest.approx(alone, abs=1e-5)
    assert relevance_of(model, rows[:1]) == pytest.approx(alone[:1], abs=1e-5)


@pytest.mark.parametrize("missing", ["onnxruntime", "onnxruntime.quantization"])
def test_without_the_package_it_says_how_to_get_it(folder, monkeypatch, missing) -> None:
    monkeypatch.setitem(sys.modules, missing, None)
    make = load_relevance_int8 if missing == "onnxruntime" else write_relevance_int8
    with pytest.raises(NoInt8, match=r"pip install -r requirements-int8.txt"):
        make(folder)
