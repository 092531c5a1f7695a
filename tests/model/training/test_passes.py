"""The passes of a training: every row comes back as its own vector."""

import pytest
import torch

import model.training.passes
from model.encoder import encode, load, tokenize
from model.passes import PassSize
from model.training.passes import forward_in_chunks


def test_chunks_of_like_length_give_every_row_its_own_vector(tiny_encoder, monkeypatch):
    encoder = load(tiny_encoder, device="cpu").eval()
    texts = [("cells " * (1 + i * 7 % 40)).strip() for i in range(41)]
    passes: list[int] = []
    stock = model.training.passes.forward

    def counted(encoder, features, *side):
        passes.append(features["input_ids"].numel())
        return stock(encoder, features, *side)

    monkeypatch.setattr(model.training.passes, "forward", counted)
    monkeypatch.setitem(model.training.passes.PASS_SIZES, "cpu", PassSize(64, fill=0.75))
    with torch.no_grad():
        vectors = torch.nn.functional.normalize(forward_in_chunks(encoder, tokenize(encoder, texts)), dim=1).numpy()
    assert len(passes) > 2 and sum(passes) < 41 * 48
    monkeypatch.undo()
    assert vectors == pytest.approx(encode(encoder, texts, mixed_precision=False), abs=1e-5)
