"""Losses between articles and what they cite: numbers by hand, and what each must do."""

import math

import pytest
import torch

from model.training.related.losses import PAIR_LOSSES, Batch, arcface, multiple_negatives, triplet, with_margin
from model.training.related.related_settings import PairLoss, RelatedSettings

EAST, NORTH = [1.0, 0.0], [0.0, 1.0]


def batch(**changes) -> Batch:
    """Two articles, each with one work that lies half a right angle from both."""
    half = [math.sqrt(0.5), math.sqrt(0.5)]
    made = {
        "articles": torch.tensor([EAST, NORTH]),
        "works": torch.tensor([half, NORTH]),
        "own": torch.tensor([0, 1]),
        "cited": torch.tensor([[True, False], [False, True]]),
        "hard": torch.tensor([NORTH, EAST]),
        "classes": torch.tensor([EAST, NORTH]),
        "labels": torch.tensor([0, 1]),
    }
    return Batch(**(made | changes))


def test_arcface_leaves_the_class_itself_out_of_the_sum():
    settings = RelatedSettings(loss=PairLoss.ARCFACE, scale=10.0, margin=0.5)
    one = batch(works=torch.tensor([[math.sqrt(0.5)] * 2]), labels=torch.tensor([0]))
    turned, other = math.exp(10 * math.cos(math.pi / 4 + 0.5)), math.exp(10 * math.cos(math.pi / 4))
    assert arcface(one, settings).item() == pytest.approx(-math.log(turned / (turned + other)), rel=1e-4)


def test_the_margin_lowers_the_cosine_at_every_angle_even_beyond_pi():
    angles = torch.linspace(0.01, math.pi - 0.01, 200)
    lowered = with_margin(torch.cos(angles), 0.5)
    assert (lowered < torch.cos(angles)).all()
    assert lowered[angles < math.pi - 0.5].tolist() == pytest.approx(
        torch.cos(angles[angles < math.pi - 0.5] + 0.5).tolist(), abs=1e-5
    )
    assert (lowered.diff()[(angles > math.pi - 0.5)[1:]][1:] < 0).all()  # it falls on, where cos(t + m) would rise


@pytest.mark.parametrize("cosine", [-1.0, 1.0])
def test_arcface_has_a_slope_at_both_ends(cosine):
    works = torch.tensor([[cosine, 0.0]], requires_grad=True)
    arcface(batch(works=works, labels=torch.tensor([0])), RelatedSettings(margin=0.5)).backward()
    assert torch.isfinite(works.grad).all()


def test_multiple_negatives_by_hand():
    settings = RelatedSettings(scale=2.0)
    half = math.exp(2 * math.sqrt(0.5))
    first = -math.log(half / (half + 1 + 1))  # against the other's work and the hard one, both at a right angle
    second = -math.log(math.exp(2) / (math.exp(2) + half + 1))
    assert multiple_negatives(batch(), settings).item() == pytest.approx((first + second) / 2, rel=1e-5)


def test_a_work_that_both_cite_is_no_negative():
    both = torch.tensor([[True, True], [True, True]])
    settings = RelatedSettings(scale=2.0)
    alone = multiple_negatives(batch(cited=both, hard=-batch().works), settings)  # as far as can be
    assert alone.item() < 0.1 < multiple_negatives(batch(hard=-batch().works), settings).item()


def test_triplets_by_hand():
    settings = RelatedSettings(loss=PairLoss.TRIPLET, margin=0.8)
    expected = (max(0.0, 0 - math.sqrt(0.5) + 0.8) + max(0.0, 0 - 1 + 0.8)) / 2
    assert triplet(batch(), settings).item() == pytest.approx(expected, rel=1e-5)


def test_every_loss_is_registered():
    assert set(PAIR_LOSSES) == set(PairLoss)


@pytest.mark.parametrize(("name", "value"), [("loss", "other"), ("epochs", 0), ("margin", 2.0), ("articles", 2.5)])
def test_settings_name_what_is_wrong(name, value):
    with pytest.raises(ValueError, match=name):
        RelatedSettings(**{name: value})
