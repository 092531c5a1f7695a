"""The optimiser: what weight decay draws to 0, and what it leaves alone."""

import pytest
import torch
from sentence_transformers import SentenceTransformer
from torch import nn

from model.encoder import load
from model.training.settings import TrainingSettings
from model.training.steps import decayed, optimiser_of


class OddRMSNorm(nn.Module):
    """A norm as architectures write their own: its weight is called like any other."""

    def __init__(self) -> None:
        super().__init__()
        self.scale = nn.Parameter(torch.ones(4))


class Layer(nn.Module):
    """Parameters whose names say nothing of what they are."""

    def __init__(self) -> None:
        super().__init__()
        self.ln_1 = nn.LayerNorm(4)
        self.input = OddRMSNorm()
        self.batch = nn.BatchNorm1d(4)
        self.norm_of_words = nn.Embedding(3, 4)
        self.relative_attention_bias = nn.Embedding(3, 4)
        self.q_bias = nn.Parameter(torch.zeros(4))
        self.dense = nn.Linear(4, 4)
        self.frozen = nn.Linear(4, 4).requires_grad_(False)


def test_weight_decay_leaves_norms_by_their_class_and_biases_alone():
    layer = Layer()
    names = {id(own): name for name, own in layer.named_parameters()}
    with_decay, without = ([names[id(own)] for own in owned] for owned in decayed(SentenceTransformer(modules=[layer])))
    assert with_decay == ["norm_of_words.weight", "relative_attention_bias.weight", "dense.weight"]
    assert set(without) == {
        *("q_bias", "ln_1.weight", "ln_1.bias", "input.scale", "batch.weight", "batch.bias", "dense.bias"),
    }


def test_a_bert_decays_as_it_always_did(tiny_encoder):
    """By the names that tell a BERT's norms: the order is that of the checkpoints, too."""
    encoder = load(tiny_encoder, device="cpu")
    optimiser = optimiser_of(encoder, TrainingSettings(weight_decay=0.25))
    plain = ("bias", "LayerNorm.weight")
    for group, wanted, decay in zip(optimiser.param_groups, (False, True), (0.25, 0.0), strict=True):
        named = [own for name, own in encoder.named_parameters() if name.endswith(plain) is wanted]
        assert [id(own) for own in group["params"]] == [id(own) for own in named] and named
        assert group["weight_decay"] == pytest.approx(decay)
