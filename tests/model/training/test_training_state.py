"""The state of a training between two steps: it survives JSON, and from it the next step is the same bit for bit."""

import json

import numpy as np
import torch

from model.training.checkpoints import State
from model.training.training_state import Motion, prefixed, under


def motion(seed: int) -> Motion:
    """A small layer with an optimiser of two groups."""
    torch.manual_seed(seed)
    layer = torch.nn.Linear(3, 2)
    groups = [{"params": [layer.weight], "weight_decay": 0.1}, {"params": [layer.bias], "weight_decay": 0.0}]
    optimiser = torch.optim.AdamW(groups, lr=0.5)
    return Motion(layer, optimiser, [np.random.default_rng(seed), np.random.Generator(np.random.SFC64(seed))])


def step(of: Motion) -> list[float]:
    """Takes a step on inputs by chance from all the generators; returns what was drawn, and the weights."""
    drawn = [*torch.rand(3).tolist(), *(float(value) for each in of.generators for value in each.random(2))]
    of.encoder(torch.tensor(drawn[:3])).sum().backward()
    of.optimiser.step()
    of.optimiser.zero_grad()
    return drawn + [float(value) for p in of.encoder.parameters() for value in p.detach().flatten()]


def test_a_restored_training_goes_on_as_the_first_one_did():
    first = motion(1)
    step(first)
    state = first.state()
    kept = State({name: value.clone() for name, value in state.tensors.items()}, json.loads(json.dumps(state.values)))
    went_on = [step(first), step(first)]
    other = motion(2)
    other.restore(kept)
    assert [step(other), step(other)] == went_on


def test_the_generators_of_gpus_are_kept_and_set_again(monkeypatch):
    own = [torch.tensor([7], dtype=torch.uint8), torch.tensor([8], dtype=torch.uint8)]
    given = []
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "get_rng_state_all", lambda: own)
    monkeypatch.setattr(torch.cuda, "set_rng_state_all", given.append)
    first = motion(1)
    first.restore(first.state())
    assert [[int(state) for state in states] for states in given] == [[7, 8]]
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    first.restore(first.state())
    assert len(given) == 1  # without a GPU there is nothing to set


def test_names_get_their_prefix_and_lose_it_again():
    tensors = {"a": torch.tensor(1), "b.a": torch.tensor(2)}
    marked = prefixed("x.", tensors)
    assert set(marked) == {"x.a", "x.b.a"}
    assert under("x.", marked | {"y.x.a": torch.tensor(3)}) == tensors
