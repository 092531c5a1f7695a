"""An encoder that is fine-tuned brings sentences of a function together, by each loss, and can be cut."""

from pathlib import Path

import numpy as np
import pytest

from model.encoder import encode, load
from model.training.roles import encoder_fitting
from model.training.roles.encoder_fitting import first_layers, fit_function_encoder
from model.training.settings import MetricLoss
from model.vectors import unit

CELL, MOUSE = [f"the cell {word}" for word in ("edited", "gene", "were", "in")], ["mouse edited", "the mouse gene"] * 2
SENTENCES = [*CELL, *MOUSE] * 4
CLASSES = np.array(([0] * len(CELL) + [1] * len(MOUSE)) * 4)


def apart(vectors: np.ndarray) -> float:
    """How much nearer, by the mean cosine, the first four are to each other than to the next four."""
    rows = unit(vectors)
    cosines = rows @ rows.T
    return float(cosines[:4, :4].mean() - cosines[:4, 4:8].mean())


@pytest.mark.parametrize("loss", list(MetricLoss))
def test_sentences_of_a_function_come_together(
    tiny_encoder: Path, loss: MetricLoss, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(encoder_fitting, "RATE", 3e-3)  # few steps
    encoder = load(tiny_encoder, "cpu")
    before = encode(encoder, SENTENCES, unit=False)
    fit_function_encoder(encoder, SENTENCES, CLASSES, loss, epochs=30)
    assert apart(encode(encoder, SENTENCES, unit=False)) > apart(before)


def test_the_same_seed_gives_the_same_weights(tiny_encoder: Path) -> None:
    found = []
    for seed in (3, 3, 4):
        encoder = load(tiny_encoder, "cpu")
        fit_function_encoder(encoder, SENTENCES, CLASSES, MetricLoss.SOFTMAX, epochs=1, seed=seed)
        found.append(encode(encoder, SENTENCES))
    assert np.array_equal(found[0], found[1])
    assert not np.array_equal(found[0], found[2])


def test_the_first_layers_alone_are_kept(tiny_encoder: Path) -> None:
    whole, cut = load(tiny_encoder, "cpu"), load(tiny_encoder, "cpu")
    first_layers(whole, 0)
    first_layers(cut, 1)
    assert whole[0].auto_model.config.num_hidden_layers == 2
    assert len(cut[0].auto_model.encoder.layer) == cut[0].auto_model.config.num_hidden_layers == 1
    assert not np.allclose(encode(whole, ["the cell"]), encode(cut, ["the cell"]))
    with pytest.raises(ValueError, match="layers is 3; the encoder has 2, and 0 keeps all"):
        first_layers(whole, 3)
