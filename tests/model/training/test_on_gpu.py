"""What only a GPU computes: its kernels of attention, recorded steps, weights in bfloat16. Skipped where there is none.

`python -m pytest tests/model/training/test_on_gpu.py` on a machine with one.
"""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
import torch

import model.training.fine_tuning
from model.encoder import encode, load, tokenize
from model.labelled import LabelledArticle
from model.training.checkpoints import Checkpoints
from model.training.fine_tuning import fine_tune
from model.training.library_internals import attention_of_rows
from model.training.losses import LOSSES
from model.training.packed.recorded import Recorded
from model.training.settings import Loss, TrainingSettings
from tests.model.test_families import FAMILIES, made
from tests.model.training.test_fine_tuning import KEY, OTHER, QUERY

pytestmark = pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
TEXTS = [f"{text} {'of the cells ' * (n % 4)}" for n, text in enumerate([*KEY, *OTHER] * 12)]
ARTICLES = [LabelledArticle("one", QUERY, TEXTS, [int(text.startswith(tuple(KEY))) for text in TEXTS])]
SETTINGS = TrainingSettings(
    query=QUERY, epochs=12, batch_size=8, learning_rate=1e-3, dropout=False, mixed_precision=False, seed=3
)


@pytest.fixture(scope="module")
def bert(tmp_path_factory):
    """The folder of a small BERT of random weights."""
    folder = tmp_path_factory.mktemp("bert")
    made(next(family for family in FAMILIES if family.name == "Bert"), folder)
    return folder / "made"


def weights(encoder) -> torch.Tensor:
    return torch.cat([own.detach().flatten().cpu() for own in encoder.parameters()])


def trained(folder, settings, **more) -> torch.Tensor:
    encoder = load(folder, "cuda")
    fine_tune(encoder, ARTICLES, settings, **more)
    return weights(encoder)


def apart(found: torch.Tensor, wanted: torch.Tensor, folder) -> float:
    """How far the weights are apart, as a share of the way that they moved."""
    way = (wanted - weights(load(folder, "cpu"))).norm()
    assert way > 0.1
    return float((found - wanted).norm() / way)


@pytest.fixture
def replayed(monkeypatch) -> list[int]:
    """One entry for each step that is replayed."""
    counted: list[int] = []
    stock = Recorded.replay

    def replay(self, step):
        counted.append(len(step.rows))
        return stock(self, step)

    monkeypatch.setattr(Recorded, "replay", replay)
    return counted


@pytest.mark.parametrize(("precision", "close"), [(torch.float32, 1e-4), (torch.bfloat16, 2e-2)])
def test_attention_within_rows_and_its_gradients(precision, close):
    ends = torch.tensor([0, 1, 40, 200, 203], device="cuda")
    torch.manual_seed(0)
    rows = [torch.randn(203, 4, 32, device="cuda").requires_grad_() for _ in range(3)]
    attention_of_rows(*(row.to(precision) for row in rows), ends, 256, 0.0).float().pow(2).sum().backward()
    found = [row.grad.clone() for row in rows]
    for row in rows:
        row.grad = None
    parts = []
    for start, end in pairwise(ends.tolist()):
        own = [row[start:end].transpose(0, 1)[None] for row in rows]
        parts.append(torch.nn.functional.scaled_dot_product_attention(*own)[0].transpose(0, 1))
    torch.cat(parts).pow(2).sum().backward()
    for gradient, row in zip(found, rows, strict=True):
        assert float((gradient - row.grad).norm() / row.grad.norm()) < close


def test_recorded_steps_move_the_weights_as_others_do(bert, replayed, monkeypatch):
    recorded = trained(bert, SETTINGS)
    assert len(replayed) > 30
    replayed.clear()
    monkeypatch.setattr(model.training.steps.Prepared, "form", None)
    assert apart(recorded, trained(bert, SETTINGS), bert) < 1e-3
    assert not replayed


def test_weights_in_bfloat16_lead_near_where_float32_does(bert, replayed):
    half = trained(bert, replace(SETTINGS, mixed_precision=True))
    assert len(replayed) > 30
    assert apart(half, trained(bert, SETTINGS), bert) < 0.2


def test_each_replay_draws_other_noise(bert, replayed):
    noisy = replace(SETTINGS, dropout=True)
    first, again, other = (trained(bert, replace(noisy, seed=seed)) for seed in (3, 3, 4))
    assert len(replayed) > 90
    assert apart(first, trained(bert, SETTINGS), bert) > 0.05
    assert apart(again, first, bert) < 0.01 < apart(other, first, bert)


def test_what_cannot_be_recorded_is_taken_as_it_is(bert, replayed, monkeypatch):
    contrastive = LOSSES[Loss.CONTRASTIVE]

    def waiting(cosines, *others):
        float(cosines.detach().max())  # a recording cannot wait for a number
        return contrastive(cosines, *others)

    monkeypatch.setitem(LOSSES, Loss.CONTRASTIVE, waiting)
    history = fine_tune(load(bert, "cuda"), ARTICLES, replace(SETTINGS, dropout=True), validation=ARTICLES)
    scores = [entry.score for entry in history if hasattr(entry, "score")]
    assert max(scores[1:]) > scores[0]
    assert not replayed


@pytest.mark.parametrize("loss", Loss)
def test_every_loss_trains(bert, loss):
    settings = replace(SETTINGS, loss=loss, mixed_precision=True)
    encoder = load(bert, "cuda")
    history = fine_tune(encoder, ARTICLES, settings, validation=ARTICLES)
    scores = [entry.score for entry in history if hasattr(entry, "score")]
    assert max(scores) > scores[0] and max(scores) > 0.9


def test_a_training_goes_on_from_its_checkpoint(bert, tmp_path):
    whole = trained(bert, SETTINGS)
    kept = Checkpoints(tmp_path / "kept", {"a": 1}, every_seconds=0.0)

    class Enough(Exception):
        pass

    def stop(step):
        if step.step >= step.steps // 2:
            raise Enough

    with pytest.raises(Enough):
        trained(bert, SETTINGS, checkpoints=kept, on_step=stop)
    again = Checkpoints(tmp_path / "kept", {"a": 1}, every_seconds=1e9)
    assert apart(trained(bert, SETTINGS, checkpoints=again), whole, bert) < 1e-3
    assert again.resumed_step


def test_a_gpu_embeds_as_a_cpu_does(bert):
    there, here = (encode(load(bert, device), TEXTS, mixed_precision=False) for device in ("cuda", "cpu"))
    assert there == pytest.approx(here, abs=1e-5)
    encoder = load(bert, "cuda")
    assert np.array_equal(there, encode(encoder, tokenize(encoder, TEXTS), mixed_precision=False))
