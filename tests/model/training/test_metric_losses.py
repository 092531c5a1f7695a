"""The losses of function vectors, by hand and by what they do, and the batches of P classes and K sentences."""

import math

import numpy as np
import pytest
import torch

from model.training.losses import metric_loss
from model.training.roles.encoder_fitting import BATCH, class_batches
from model.training.settings import MetricLoss

CLASSES = torch.tensor([0, 0, 1, 1])


def test_the_softmax_of_equal_scores_is_the_logarithm_of_the_number_of_classes():
    loss = metric_loss(MetricLoss.SOFTMAX, 4, 2)
    torch.nn.init.zeros_(loss.output.weight)
    torch.nn.init.zeros_(loss.output.bias)
    assert loss(torch.ones(4, 2), CLASSES).item() == pytest.approx(math.log(4))


def test_the_triplet_loss_is_the_excess_of_the_distances_of_unit_vectors():
    vectors = torch.tensor([[1.0, 0], [1.0, 0], [0, 2.0], [0, 2.0]])
    assert metric_loss(MetricLoss.TRIPLET, 2, 2)(vectors, CLASSES).item() == pytest.approx(0)  # 0 against the root of 2
    same = torch.ones(4, 2)
    assert metric_loss(MetricLoss.TRIPLET, 2, 2)(same, CLASSES).item() == pytest.approx(0.05)  # the margin


def test_the_loss_of_pairs_is_the_share_of_the_positive():
    # every cosine 1: one positive beside two negatives
    assert metric_loss(MetricLoss.NT_XENT, 2, 2)(torch.ones(4, 2), CLASSES).item() == pytest.approx(
        math.log(3), rel=1e-4
    )


def test_a_batch_holds_classes_of_equal_size_even_where_one_is_small():
    functions = np.array([0] * 100 + [1] * 100 + [2] * 2 + [3])
    for batch in class_batches(functions, 8, np.random.default_rng(0)):
        counts = np.bincount(functions[batch], minlength=4)
        assert set(counts[:3]) == {8} and counts[3] == 0  # a single sentence has no other to lie beside


def test_one_a_class_takes_every_sentence_once():
    batches = class_batches(np.zeros(150, dtype=int), 1, np.random.default_rng(0))
    assert sorted(np.concatenate(batches).tolist()) == list(range(150)) and max(map(len, batches)) == BATCH
