"""Passes without padding give the vectors and the gradients of those with it, for each type of the table."""

from itertools import pairwise

import numpy as np
import pytest
import torch
from sentence_transformers.sentence_transformer.modules import Pooling

import model.training.packed.cut
import model.training.packed.packing
import model.training.quick
from model.encoder import encode, load, pad, tokenize
from model.row_batches import PassSize
from model.training.packed.cut import forward_in_chunks, passes_of
from model.training.packed.packing import ROWS_MULTIPLE, TOKENS_MULTIPLE, TYPES, packed, packs
from model.training.quick import dropout_of, quick_attention
from tests.model.test_encoder_sides import two_ways, with_prompts
from tests.model.test_families import FAMILIES, SIZES, Family, made

NAMED = {family.name: family for family in FAMILIES}
DISTIL = {"dim": 32, "n_layers": 2, "n_heads": 2, "hidden_dim": 64, "max_position_embeddings": 70}
PACKED = {
    "bert": NAMED["Bert"],
    "camembert": Family("Camembert", "CamembertModel"),
    "distilbert": Family("DistilBert", "DistilBertModel", DISTIL),
    "electra": Family("Electra", "ElectraModel", SIZES | {"embedding_size": 16, "max_position_embeddings": 70}),
    "modernbert": NAMED["ModernBert"],
    "roberta": NAMED["Roberta"],
    "xlm-roberta": Family("XLMRoberta", "XLMRobertaModel"),
}
TEXTS = [("cells were deleted " * (1 + n * 7 % 20)).strip() for n in range(20)] + [""]
# PyTorch's kernels that are told where rows begin know no sliding windows.
ON_GPU = [(kind, "cuda") for kind in sorted(TYPES - {"modernbert"})]
CHOSEN = model.training.quick._chosen


@pytest.fixture(autouse=True)
def small_groups(monkeypatch):
    """Several groups of attention, so that padding differs in each."""
    for device in ("cpu", "cuda"):
        monkeypatch.setitem(model.training.packed.cut.PASS_SIZES, device, PassSize(64, fill=0.75))


def found(encoder, rows, parts=1) -> tuple[torch.Tensor, dict[str, torch.Tensor], int]:
    """(unit vectors, gradients by name, passes), by the code that trains."""
    encoder.train().zero_grad()
    with dropout_of(encoder, np.random.default_rng(0), enabled=False):
        vectors = torch.nn.functional.normalize(forward_in_chunks(encoder, rows), dim=1)
        vectors.pow(3).sum(dim=1).mul(torch.arange(len(rows)) + 1).sum().backward()
    gradients = {name: own.grad.clone() for name, own in encoder.named_parameters() if own.grad is not None}
    return vectors.detach(), gradients, len(passes_of(encoder, rows).each)


def by_loop(query, key, value, ends, longest, dropout):
    """What the kernels of a GPU compute, row by row."""
    assert longest % 128 == 0 and int(ends.diff().min()) > 0 and int(ends.diff().max()) <= longest and dropout == 0
    assert ends[-1] == len(query)
    found = []
    for start, end in pairwise(ends.tolist()):
        row = [each[start:end].transpose(0, 1)[None] for each in (query, key, value)]
        found.append(torch.nn.functional.scaled_dot_product_attention(*row)[0].transpose(0, 1))
    return torch.cat(found)


@pytest.mark.parametrize(("kind", "way"), [*((kind, "cpu") for kind in sorted(TYPES)), *ON_GPU])
def test_vectors_and_gradients_are_those_with_padding(kind, way, tmp_path, monkeypatch):
    made(PACKED[kind], tmp_path)
    encoder = load(tmp_path / "made", device="cpu")
    assert encoder[0].auto_model.config.model_type == kind
    rows = tokenize(encoder, TEXTS)
    monkeypatch.setattr(model.training.quick, "_chosen", lambda transformer, _: CHOSEN(transformer, way))
    monkeypatch.setattr(model.training.packed.packing, "attention_of_rows", by_loop)
    with quick_attention(encoder):
        assert packs(encoder)
        vectors, gradients, passes = found(encoder, rows)
        assert passes == 1
        monkeypatch.setitem(model.training.packed.cut.PACKED_TOKENS, "cpu", 100)
        in_some, gradients_of_some, passes = found(encoder, rows)
        assert passes > 3
        monkeypatch.setattr(model.training.packed.cut, "packs", lambda encoder: False)
        wanted, wanted_gradients, passes = found(encoder, rows)
        assert passes > 2
    assert gradients.keys() == gradients_of_some.keys() == wanted_gradients.keys() and len(gradients) > 10
    for own, their in ((vectors, gradients), (in_some, gradients_of_some)):
        torch.testing.assert_close(own, wanted, rtol=0, atol=1e-6)
        for name, gradient in wanted_gradients.items():
            torch.testing.assert_close(their[name], gradient, rtol=1e-4, atol=1e-5)
    assert wanted.numpy() == pytest.approx(encode(encoder, TEXTS, mixed_precision=False), abs=1e-5)


@pytest.mark.parametrize("modes", ["cls", "lasttoken", "mean", "mean_sqrt_len_tokens", ("cls", "mean")])
def test_whatever_is_pooled_without_padding_is_what_is_pooled_with_it(tiny_encoder, modes):
    encoder = load(tiny_encoder, device="cpu").eval()
    encoder[1] = Pooling(32, pooling_mode=modes)
    rows = tokenize(encoder, TEXTS)
    with quick_attention(encoder), torch.no_grad():
        assert packs(encoder)
        vectors = forward_in_chunks(encoder, rows)
    torch.testing.assert_close(vectors, encoder(pad(encoder, rows))["sentence_embedding"], rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("family", [own for own in FAMILIES if own not in PACKED.values()], ids=lambda own: own.name)
def test_other_types_keep_padding(family, tmp_path):
    made(family, tmp_path)
    encoder = load(tmp_path / "made", device="cpu")
    with quick_attention(encoder):
        assert not packs(encoder)
        assert "attention_mask" in passes_of(encoder, tokenize(encoder, TEXTS)).each[0].arrays


def test_what_the_long_row_is_not_pooled_right_for_keeps_padding(tiny_encoder, tmp_path):
    prompted = load(with_prompts(tiny_encoder, tmp_path / "prompt", include_prompt=False), device="cpu")
    apart = load(two_ways(tiny_encoder, tmp_path / "apart"), device="cpu")
    weighted, decoder = (load(tiny_encoder, device="cpu") for _ in range(2))
    weighted[1] = Pooling(32, pooling_mode=("mean", "weightedmean"))
    decoder[0].auto_model.config.is_decoder = True
    for encoder in (prompted, apart, weighted, decoder):
        with quick_attention(encoder):
            assert not packs(encoder)


def test_without_the_attention_that_knows_rows_there_is_padding(tiny_encoder):
    encoder = load(tiny_encoder, device="cpu")
    assert not packs(encoder)
    with quick_attention(encoder):
        assert packs(encoder)


def test_no_token_of_a_pass_is_padding(tiny_encoder):
    encoder = load(tiny_encoder, device="cpu")
    rows = tokenize(encoder, TEXTS)
    with quick_attention(encoder):
        (one,) = passes_of(encoder, rows).each
        of_three = passes_of(encoder, rows, parts=3).each
    assert one.arrays["input_ids"].shape == (1, sum(map(len, rows)))
    assert sorted(one.rows) == list(range(len(rows))) and len(of_three) == 3
    assert len(set(one.arrays["slots"].tolist())) == one.arrays["slots"].size
    assert one.arrays["slots"].max() < sum(count * length for count, length in one.packed.groups)
    assert all(length % 8 == 0 for _, length in one.packed.groups) and len(one.packed.groups) > 2


def test_padding_for_a_gpu_is_made_of_rows_no_longer_than_the_others(tiny_encoder, monkeypatch):
    encoder, draw = load(tiny_encoder, device="cpu"), np.random.default_rng(0)
    monkeypatch.setattr(model.training.quick, "_chosen", lambda transformer, _: CHOSEN(transformer, "cuda"))
    drawn = [draw.integers(1, draw.integers(2, 60), size=draw.integers(1, 120)).tolist() for _ in range(300)]
    with quick_attention(encoder):
        for lengths in ([4] * 10 + [2] * 10, [1], *drawn):
            rows = [[1] * length for length in sorted(lengths, reverse=True)]
            found = packed(encoder, rows, PassSize(64, fill=0.75))
            padding = np.diff(found.arrays["cu_seq_lens_q"])[len(rows) :]
            assert padding.size and padding.min() >= 1 and padding.max() <= max(lengths) <= found.longest
            assert (len(rows) + len(padding)) % ROWS_MULTIPLE == 0
            assert (sum(lengths) + padding.sum()) % TOKENS_MULTIPLE == 0


@pytest.mark.parametrize("kind", sorted(TYPES))
def test_no_pass_asks_for_a_value_that_a_gpu_has(kind, tmp_path):
    """On the meta device, which has none, every type: by the attention of GPUs, forth and back."""
    made(PACKED[kind], tmp_path)
    encoder = load(tmp_path / "made", device="cpu")
    rows = tokenize(encoder, TEXTS)
    encoder.to("meta").train()
    with quick_attention(encoder):
        assert packs(encoder) is ((kind, "cuda") in ON_GPU)
        vectors = forward_in_chunks(encoder, rows)
        vectors.sum().backward()
    assert vectors.device.type == "meta" and vectors.shape == (len(rows), 32)
