"""The passes of a training: every row comes back as its own vector."""

import numpy as np
import pytest
import torch

import model.training.packed.cut
from model.encoder import encode, load, tokenize
from model.row_batches import PassSize
from model.training.packed.cut import forward_in_chunks, passes_of
from model.training.quick import quick_attention
from tests.model.test_encoder_sides import two_ways


def test_chunks_of_like_length_give_every_row_its_own_vector(tiny_encoder, monkeypatch):
    encoder = load(tiny_encoder, device="cpu").eval()
    texts = [("cells " * (1 + i * 7 % 40)).strip() for i in range(41)]
    passes: list[int] = []
    stock = model.training.packed.cut.forward

    def counted(encoder, features, *side):
        passes.append(features["input_ids"].numel())
        return stock(encoder, features, *side)

    monkeypatch.setattr(model.training.packed.cut, "forward", counted)
    monkeypatch.setitem(model.training.packed.cut.PASS_SIZES, "cpu", PassSize(64, fill=0.75))
    with torch.no_grad():
        vectors = torch.nn.functional.normalize(forward_in_chunks(encoder, tokenize(encoder, texts)), dim=1).numpy()
    assert len(passes) > 2 and sum(passes) < 41 * 48
    monkeypatch.undo()
    assert vectors == pytest.approx(encode(encoder, texts, mixed_precision=False), abs=1e-5)


@pytest.mark.parametrize("kind", ["packed", "padded", "two ways"])
@pytest.mark.parametrize("parts", [1, 3])
def test_of_all_passes_every_row_has_one_place_and_tensors_go_to_their_passes(kind, parts, tiny_encoder, tmp_path):
    encoder = load(two_ways(tiny_encoder, tmp_path / "made") if kind == "two ways" else tiny_encoder, device="cpu")
    rows = tokenize(encoder, ["mouse cells " * (1 + n % 5) for n in range(12)])
    if kind == "packed":
        with quick_attention(encoder):
            passes = passes_of(encoder, rows, 2, parts)
    else:
        passes = passes_of(encoder, rows, 2, parts)
    assert len(passes.each) >= parts
    order = [place for one in passes.each for place in one.rows]
    assert [order[place] for place in passes.back] == list(range(12))
    features = list(passes.features([torch.from_numpy(np.asarray(array)) for array in passes.arrays]))
    assert len(features) == len(passes.each)
    for one, (side, given) in zip(passes.each, features, strict=True):
        assert side == one.side and ("groups" in given) == (kind == "packed")
        assert given["input_ids"].numpy().tolist() == one.arrays["input_ids"].tolist()
