"""Losses by hand-computed numbers, and against the library whose losses the reference method used."""

import math

import pytest
import torch

from model.training.losses import LOSSES, SCALE, contrastive, cosine_similarity, listwise, logistic
from model.training.settings import Loss

ONE_GROUP = torch.zeros(4, dtype=torch.long)


def test_every_loss_that_can_be_chosen_is_there():
    assert list(LOSSES) == list(Loss)


def test_the_contrastive_loss_is_the_one_computed_by_hand():
    cosines, labels = torch.tensor([0.75, 0.75, 0.25]), torch.tensor([1.0, 0.0, 0.0])
    # distances 1/4, 1/4, 3/4; margin 1/2: (1/16 + 1/16 + 0) / 2 / 3
    assert contrastive(cosines, labels, ONE_GROUP[:3], 0.5).item() == pytest.approx(1 / 48)
    assert contrastive(cosines, labels, ONE_GROUP[:3], 0.0).item() == pytest.approx(1 / 96)


def test_the_cosine_similarity_loss_is_the_mean_squared_error():
    cosines, labels = torch.tensor([0.5, 0.5]), torch.tensor([1.0, 0.0])
    assert cosine_similarity(cosines, labels, ONE_GROUP[:2], 0.5).item() == pytest.approx(0.25)


def test_the_logistic_loss_has_the_distance_from_the_margin_as_log_odds():
    step = math.log(3) / SCALE
    cosines, labels = torch.tensor([0.5 + step, 0.5, 0.5 - step]), torch.tensor([1.0, 0.0, 1.0])
    # probabilities 3/4, 1/2 and 1/4
    expected = -(math.log(3 / 4) + math.log(1 / 2) + math.log(1 / 4)) / 3
    assert logistic(cosines, labels, ONE_GROUP[:3], 0.5).item() == pytest.approx(expected, rel=1e-5)


def test_the_listwise_loss_is_the_cross_entropy_to_the_labels_of_each_article():
    step = math.log(2) / SCALE
    cosines, labels = torch.tensor([step, 0.0, 0.0, 0.0]), torch.tensor([1.0, 1.0, 0.0, 0.0])
    # shares 2/5, 1/5, 1/5, 1/5; labels 1/2, 1/2
    expected = -(math.log(2 / 5) + math.log(1 / 5)) / 2
    assert listwise(cosines, labels, ONE_GROUP, 0.0).item() == pytest.approx(expected, rel=1e-5)
    # groups {0, 2}: 2/3; {1, 3}: 1/2
    expected = -(math.log(2 / 3) + math.log(1 / 2)) / 2
    assert listwise(cosines, labels, torch.tensor([7, 9, 7, 9]), 0.0).item() == pytest.approx(expected, rel=1e-5)
    # an article without key sentence does not count
    expected = -math.log(2 / 3)
    labels = torch.tensor([1.0, 0.0, 0.0, 0.0])
    assert listwise(cosines, labels, torch.tensor([0, 1, 0, 1]), 0.0).item() == pytest.approx(expected, rel=1e-5)


@pytest.mark.parametrize("loss", Loss)
def test_every_loss_pulls_key_sentences_up_and_others_down(loss):
    cosines = torch.tensor([0.4, 0.7], requires_grad=True)
    value = LOSSES[loss](cosines, torch.tensor([1.0, 0.0]), ONE_GROUP[:2], 0.5)
    value.backward()
    assert value.shape == () and value.item() > 0
    assert cosines.grad[0] < 0 < cosines.grad[1]


@pytest.mark.parametrize("loss", Loss)
@pytest.mark.parametrize("label", [0.0, 1.0])
def test_a_batch_of_one_class_has_a_finite_loss_and_gradient(loss, label):
    cosines = torch.tensor([0.4, 0.7], requires_grad=True)
    value = LOSSES[loss](cosines, torch.full((2,), label), ONE_GROUP[:2], 0.5)
    value.backward()
    assert value.isfinite() and cosines.grad.isfinite().all()


SENTENCES = [
    "we deleted tp53 in hela cells.",
    "the assay was measured.",
    "mouse",
    "here we edited kras using crispr",
]
QUERY = "gene knockout from cell"
LABELS = [1, 0, 0, 1]


@pytest.mark.parametrize("margin", [0.1, 0.5, 0.9])
def test_loss_and_gradient_of_a_step_equal_those_of_sentence_transformers(tiny_encoder, margin, monkeypatch):
    """One batch with dropout off in float32: our step against the stock ContrastiveLoss, every weight's gradient."""
    from sentence_transformers.sentence_transformer.losses import ContrastiveLoss

    from model.encoder import load, pad, tokenize
    from tests.support.making import loss_of_batch

    ours, theirs = (load(tiny_encoder, device="cpu") for _ in range(2))
    loss = loss_of_batch(ours, QUERY, SENTENCES, LABELS, Loss.CONTRASTIVE, margin)
    loss.backward()
    theirs.eval()  # no dropout
    rows = tokenize(theirs, [QUERY, *SENTENCES])
    features = [pad(theirs, [rows[0]] * len(SENTENCES)), pad(theirs, rows[1:])]
    stock = ContrastiveLoss(theirs, margin=margin)(features, torch.tensor(LABELS))
    stock.backward()
    assert stock.item() > 0 and loss.item() == pytest.approx(stock.item(), rel=1e-5)
    wanted = {name: p.grad for name, p in theirs.named_parameters() if p.grad is not None}
    found = {name: p.grad for name, p in ours.named_parameters() if p.grad is not None}
    assert set(found) == set(wanted) and len(wanted) > 30
    whole, difference = (torch.cat([g.flatten() for g in gradients]) for gradients in
                         (wanted.values(), [found[name] - wanted[name] for name in wanted]))  # fmt: skip
    assert difference.norm() / whole.norm() < 1e-5
