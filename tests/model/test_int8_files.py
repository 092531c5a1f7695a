"""A transformer as an ONNX file computes what it computes itself; in 8 bits nearly so; and what cannot be is said."""

import numpy as np
import pytest
import torch
from torch import Tensor, nn
from transformers import BertConfig, BertModel

from model.int8_files import Int8Transformer, NoInt8, export, write_transformer

INPUTS = ("input_ids", "attention_mask", "token_type_ids")


@pytest.fixture
def bert() -> BertModel:
    torch.manual_seed(0)
    shape = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 64}
    return BertModel(BertConfig(vocab_size=50, max_position_embeddings=64, **shape)).eval()


def needs_packages() -> None:
    pytest.importorskip("onnxruntime", reason="ONNX Runtime is not installed: requirements-int8.txt")
    pytest.importorskip("onnx", reason="onnx is not installed: requirements-int8.txt")


def given(rows: int, tokens: int) -> dict[str, Tensor]:
    """Rows of which the last is half padding; the second half of each is of the other part."""
    ids = torch.arange(rows * tokens).view(rows, tokens) % 50
    mask, parts = torch.ones_like(ids), torch.zeros_like(ids)
    mask[-1, tokens // 2 :] = 0
    parts[:, tokens // 2 :] = 1
    return dict(zip(INPUTS, (ids, mask, parts), strict=True))


def vectors(transformer: nn.Module, taken: dict[str, Tensor]) -> np.ndarray:
    """Of the tokens that are no padding."""
    with torch.inference_mode():
        found = transformer(**taken).last_hidden_state
    return found[taken["attention_mask"] == 1].numpy()


@pytest.mark.parametrize(("rows", "tokens"), [(2, 8), (1, 31), (5, 64)])
def test_the_file_in_float32_computes_the_same_for_any_shape_and_part(bert, tmp_path, rows, tokens):
    needs_packages()
    export(bert, INPUTS, tmp_path / "whole.onnx")
    again, taken = Int8Transformer(tmp_path / "whole.onnx", bert.config), given(rows, tokens)
    found = vectors(again, taken)
    assert found == pytest.approx(vectors(bert, taken), abs=1e-4)
    other = taken | {"token_type_ids": 1 - taken["token_type_ids"]}
    assert np.abs(vectors(again, other) - found).max() > 1e-3


def test_in_8_bits_it_computes_nearly_the_same(bert, tmp_path):
    needs_packages()
    write_transformer(bert, INPUTS, tmp_path / "onnx" / "small.onnx")
    assert [path.name for path in (tmp_path / "onnx").iterdir()] == ["small.onnx"]
    taken = given(4, 20)
    whole, small = vectors(bert, taken), vectors(Int8Transformer(tmp_path / "onnx" / "small.onnx", bert.config), taken)
    cosines = (whole * small).sum(axis=1) / np.linalg.norm(whole, axis=1) / np.linalg.norm(small, axis=1)
    assert cosines.min() > 0.99 and not np.array_equal(whole, small)


def test_a_file_that_cannot_be_read_is_named(bert, tmp_path):
    needs_packages()
    (tmp_path / "broken.onnx").write_bytes(b"no model at all")
    for name in ("broken.onnx", "missing.onnx"):
        with pytest.raises(OSError, match=f"{name} cannot be read"):
            Int8Transformer(tmp_path / name, bert.config)


def test_what_onnx_cannot_express_is_said(bert, tmp_path, monkeypatch):
    needs_packages()

    def exported(*given: object, **named: object) -> None:
        raise RuntimeError("no such operator")

    monkeypatch.setattr(torch.onnx, "export", exported)
    with pytest.raises(NoInt8, match="cannot be written as ONNX: no such operator"):
        write_transformer(bert, INPUTS, tmp_path / "small.onnx")
    assert not list(tmp_path.iterdir())
