"""Losses by hand-computed numbers, and against the library whose loss the reference method used."""

import pytest
import torch

from model.losses import LOSSES, contrastive, cosine_similarity
from model.settings import LOSS_NAMES


def test_every_loss_that_can_be_chosen_is_there():
    assert tuple(LOSSES) == LOSS_NAMES


def test_the_contrastive_loss_is_the_one_computed_by_hand():
    cosines, labels = torch.tensor([0.75, 0.75, 0.25]), torch.tensor([1.0, 0.0, 0.0])
    # distances 1/4, 1/4, 3/4; margin 1/2: (1/16 + 1/16 + 0) / 2 / 3
    assert contrastive(cosines, labels, 0.5).item() == pytest.approx(1 / 48)
    assert contrastive(cosines, labels, 0.0).item() == pytest.approx(1 / 96)


def test_the_cosine_similarity_loss_is_the_mean_squared_error():
    cosines, labels = torch.tensor([0.5, 0.5]), torch.tensor([1.0, 0.0])
    assert cosine_similarity(cosines, labels, 0.5).item() == pytest.approx(0.25)


@pytest.mark.parametrize("name", LOSSES)
def test_every_loss_is_least_where_cosines_equal_labels_and_pulls_towards_them(name):
    labels = torch.tensor([1.0, 0.0])
    assert LOSSES[name](labels, labels, 0.5).item() == 0.0
    cosines = torch.tensor([0.4, 0.7], requires_grad=True)
    loss = LOSSES[name](cosines, labels, 0.5)
    loss.backward()
    assert loss.shape == () and loss.item() > 0
    assert cosines.grad[0] < 0 < cosines.grad[1]


@pytest.mark.parametrize("margin", [0.5, 0.9])
def test_the_contrastive_loss_equals_that_of_sentence_transformers(tiny_encoder, margin):
    from sentence_transformers.sentence_transformer.losses import ContrastiveLoss

    from model.encoder import forward, load, pad, tokenize

    encoder = load(tiny_encoder, device="cpu")
    encoder.eval()  # no dropout
    query, labels = "gene knockout from cell", torch.tensor([1, 0, 0, 1])
    sentences = [
        "we deleted tp53 in hela cells.",
        "the assay was measured.",
        "mouse",
        "here we edited kras using crispr",
    ]
    rows = tokenize(encoder, [query, *sentences])
    with torch.no_grad():
        unit = torch.nn.functional.normalize(forward(encoder, pad(encoder, rows)), dim=1)
        ours = contrastive(unit[1:] @ unit[0], labels.float(), margin)
        features = [pad(encoder, [rows[0]] * 4), pad(encoder, rows[1:])]
        theirs = ContrastiveLoss(encoder, margin=margin)(features, labels)
    assert theirs.item() > 0
    assert ours.item() == pytest.approx(theirs.item(), rel=1e-5)
