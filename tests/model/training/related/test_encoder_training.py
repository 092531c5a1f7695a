"""The encoder itself trained on reference lists: a tiny one, on works that share no word with what cites them."""

import numpy as np
import pytest

from model.encoder import encode, load
from model.training.related.drawing import ReferenceLists
from model.training.related.encoder_training import fit_encoder
from model.training.related.related_settings import PairLoss, RelatedSettings

ARTICLES = ("knockout of tp53", "wash and incubated cells", "patients in the study", "growth was measured by assay")
WORKS = ("hela", "buffer", "cancer", "increased")
LISTS = ReferenceLists.of(
    [np.array([n]) for n in range(4)], [np.array([k for k in range(4) if k != n]) for n in range(4)]
)


def own_first(encoder) -> float:
    """How much nearer the own work is than the others, on average."""
    cosines = encode(encoder, ARTICLES) @ encode(encoder, WORKS).T
    return float(np.mean(np.diag(cosines)) - np.mean(cosines))


@pytest.mark.parametrize("loss", list(PairLoss))
def test_each_loss_brings_articles_near_to_what_they_cite(tiny_encoder, loss):
    encoder = load(tiny_encoder, device="cpu")
    before = own_first(encoder)
    settings = RelatedSettings(loss=loss, epochs=40, articles=4, cited=1, learning_rate=5e-3, weight_decay=0.0)
    losses = fit_encoder(encoder, ARTICLES, WORKS, LISTS, settings)
    assert len(losses) == 40
    assert losses[-1] < losses[0]
    assert own_first(encoder) > before + 0.02


def test_the_same_seed_gives_the_same_weights(tiny_encoder):
    settings = RelatedSettings(epochs=1, articles=2, cited=1, learning_rate=1e-3)
    steps: list[tuple[int, int]] = []
    made = []
    for _ in range(2):
        encoder = load(tiny_encoder, device="cpu")
        fit_encoder(encoder, ARTICLES, WORKS, LISTS, settings, lambda done, total: steps.append((done, total)))
        made.append(encode(encoder, ARTICLES))
    assert np.array_equal(*made)
    assert steps == [(0, 2), (1, 2)] * 2
