"""The quick parts compute what the stock parts compute."""

import numpy as np
import pytest
import torch

from model.encoder import encode, forward, load, pad, tokenize
from model.training.quick import QuickDropout, SmallVocabulary, dropout_of, quick_attention, word_embedding

TEXTS = ["we deleted tp53 in hela cells using crispr.", "mouse", "the assay was measured in patients with cancer."]


def gradients(encoder) -> tuple[torch.Tensor, dict[str, torch.Tensor]]:
    embeddings = forward(encoder, pad(encoder, tokenize(encoder, TEXTS)))
    embeddings.square().sum().backward()
    return embeddings.detach(), {n: p.grad for n, p in encoder.named_parameters() if p.grad is not None}


def test_plain_attention_equals_the_stock_one_forward_and_backward(tiny_encoder):
    stock, plain = (load(tiny_encoder, device="cpu").eval() for _ in range(2))
    wanted, wanted_gradients = gradients(stock)
    with quick_attention(plain):
        assert plain[0].auto_model.config._attn_implementation == "keyline"
        found, found_gradients = gradients(plain)
    assert plain[0].auto_model.config._attn_implementation == "sdpa"
    torch.testing.assert_close(found, wanted, rtol=1e-5, atol=1e-6)
    assert found_gradients.keys() == wanted_gradients.keys()
    for name, gradient in wanted_gradients.items():
        torch.testing.assert_close(found_gradients[name], gradient, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("p", [0.1, 0.5])
def test_quick_dropout_drops_its_share_keeps_the_mean_and_masks_the_gradient_alike(p):
    x = torch.ones(401, 1001, requires_grad=True)
    layer = QuickDropout(p, np.random.default_rng(0))
    y = layer(x)
    dropped = y == 0
    assert dropped.float().mean().item() == pytest.approx(p, abs=0.004)
    torch.testing.assert_close(y[~dropped], torch.full_like(y[~dropped], 1 / (1 - p)))
    y.sum().backward()
    torch.testing.assert_close(x.grad, y.detach())
    assert (layer(x) == 0).ne(dropped).any()  # drawn anew each time
    # Neighbours share a draw: their fates are independent all the same.
    pairs = dropped.flatten()[: 401 * 1001 // 2 * 2].view(-1, 2)
    assert pairs.all(dim=1).float().mean().item() == pytest.approx(p * p, abs=0.004)


def test_quick_dropout_does_nothing_outside_training_or_at_zero():
    x = torch.ones(10)
    assert QuickDropout(0.5, np.random.default_rng(0)).eval()(x) is x
    assert QuickDropout(0.0, np.random.default_rng(0))(x) is x


def test_dropout_is_swapped_for_the_context_alone(tiny_encoder):
    encoder = load(tiny_encoder, device="cpu")
    stock = [name for name, m in encoder.named_modules() if type(m) is torch.nn.Dropout]
    with dropout_of(encoder, np.random.default_rng(0), enabled=True):
        quick = {name: m.p for name, m in encoder.named_modules() if type(m) is QuickDropout}
        assert list(quick) == stock and set(quick.values()) == {0.1}
    with dropout_of(encoder, np.random.default_rng(0), enabled=False):
        assert {m.p for m in encoder.modules() if isinstance(m, QuickDropout)} == {0.0}
    assert [name for name, m in encoder.named_modules() if type(m) is torch.nn.Dropout] == stock


def test_a_small_vocabulary_trains_as_adamw_trains_the_full_one():
    torch.manual_seed(0)
    full = torch.nn.Embedding(20, 4, padding_idx=0)
    dense = torch.nn.Embedding(20, 4, padding_idx=0)
    dense.load_state_dict(full.state_dict())
    small = SmallVocabulary(full, [3, 5, 19])
    rate, decay, shrunk = 0.1, 0.5, 1.0
    ids = torch.tensor([[3, 5, 0], [19, 3, 0]])
    optimisers = [torch.optim.AdamW(m.parameters(), lr=rate, weight_decay=decay) for m in (dense, small)]
    for _ in range(5):
        for module, optimiser in zip((dense, small), optimisers, strict=True):
            module(ids).pow(3).sum().backward()
            optimiser.step()
            optimiser.zero_grad()
        shrunk *= 1 - rate * decay
    assert small.weight.shape == (4, 4)
    torch.testing.assert_close(small.restore(shrunk).weight, dense.weight)


@pytest.mark.parametrize("values", [{"num_key_value_heads": 1}, {"attn_logit_softcapping": 30.0}])
def test_attention_of_another_kind_is_left_alone(tiny_encoder, values):
    encoder = load(tiny_encoder, device="cpu")
    for name, value in values.items():
        setattr(encoder[0].auto_model.config, name, value)
    with quick_attention(encoder):
        assert encoder[0].auto_model.config._attn_implementation == "sdpa"


def test_probabilities_that_are_numbers_are_switched_off_for_the_context(tiny_encoder):
    encoder = load(tiny_encoder, device="cpu")
    encoder[0].attention_dropout = 0.5
    with dropout_of(encoder, np.random.default_rng(0), enabled=False):
        assert encoder[0].attention_dropout == 0.0
    assert encoder[0].attention_dropout == 0.5


def test_a_word_embedding_that_is_shared_is_left_alone(tiny_encoder):
    encoder = load(tiny_encoder, device="cpu")
    other = torch.nn.Embedding(1, 1)
    other.weight = encoder[0].auto_model.get_input_embeddings().weight
    encoder[0].shared = other
    assert word_embedding(encoder) is None


def test_a_word_that_was_not_named_is_refused():
    small = SmallVocabulary(torch.nn.Embedding(20, 4), [3])
    with pytest.raises(IndexError):
        small(torch.tensor([4]))


def test_the_word_embedding_is_found_and_put_back(tiny_encoder):
    encoder = load(tiny_encoder, device="cpu")
    before = encode(encoder, TEXTS)
    parent, name = word_embedding(encoder)
    assert getattr(parent, name).num_embeddings == len(encoder.tokenizer)
    words = {word for row in tokenize(encoder, TEXTS) for word in row}
    small = SmallVocabulary(getattr(parent, name), words)
    setattr(parent, name, small)
    np.testing.assert_array_equal(encode(encoder, TEXTS), before)
    setattr(parent, name, small.restore(1.0))
    np.testing.assert_array_equal(encode(encoder, TEXTS), before)
