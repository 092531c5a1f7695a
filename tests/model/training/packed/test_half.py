"""The twin in bfloat16: it has the encoder's weights, and its gradients come back in float32."""

import torch

from model.encoder import forward, load, pad, tokenize
from model.training.packed.half import HalfTwin

TEXTS = ["here we deleted tp53 in hela cells", "of the mouse"]


def gradients(encoder, computing) -> dict[str, torch.Tensor]:
    encoder.zero_grad(set_to_none=True)
    if isinstance(computing, HalfTwin):
        computing.renew()
    of = computing.encoder if isinstance(computing, HalfTwin) else computing
    of.eval()
    forward(of, pad(of, tokenize(of, TEXTS))).float().pow(3).sum().backward()
    if isinstance(computing, HalfTwin):
        computing.hand_back()
    return {name: own.grad.clone() for name, own in encoder.named_parameters() if own.grad is not None}


def test_gradients_come_back_in_float32_close_to_the_encoders_own(tiny_encoder):
    encoder = load(tiny_encoder, device="cpu")
    wanted = gradients(encoder, encoder)
    twin = HalfTwin(encoder)
    assert {own.dtype for own in twin.encoder.parameters()} == {torch.bfloat16}
    found = gradients(encoder, twin)
    assert found.keys() == wanted.keys() and {own.dtype for own in found.values()} == {torch.float32}
    whole, own = (torch.cat([each[name].flatten() for name in wanted]) for each in (wanted, found))
    assert 0 < (own - whole).norm() / whole.norm() < 0.05
    again = gradients(encoder, twin)
    assert all(torch.equal(again[name], found[name]) for name in found)  # none of the step before


def test_the_twin_takes_over_the_weights_of_now_and_leaves_those_in_float32(tiny_encoder):
    encoder = load(tiny_encoder, device="cpu")
    twin = HalfTwin(encoder)
    name, moved = next((name, own) for name, own in encoder.named_parameters() if own.dim() == 2)
    with torch.no_grad():
        moved += 1.001
    kept = moved.detach().clone()
    twin.renew()
    half = dict(twin.encoder.named_parameters())[name]
    assert torch.equal(half, kept.bfloat16()) and torch.equal(moved, kept) and moved.dtype == torch.float32
