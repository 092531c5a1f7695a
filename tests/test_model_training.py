"""Fine-tuning: batches, the learning rate, and that it learns, the same way each time, and never makes things worse."""

import math

import numpy as np
import pytest
import torch

from model.encoder import encode, load
from model.losses import LOSSES
from model.metrics import average_precision
from model.settings import LOSS_NAMES, TrainingSettings
from model.training import SORTED_BATCHES, Checkpoint, Diverged, Step, batches_of, fine_tune, learning_rate_factor

QUERY = "gene knockout from cell"
KEY = [f"here we {verb} {gene} in {cell} cells." for verb in ("deleted", "edited") for gene in ("tp53", "kras", "myc")
       for cell in ("hela", "a549")]  # fmt: skip
OTHER = [f"the {what} was {verb} in {where}." for what in ("assay", "buffer", "wash") for verb in ("measured", "known")
         for where in ("patients", "mouse")]  # fmt: skip
SENTENCES = KEY + OTHER
LABELS = [1] * len(KEY) + [0] * len(OTHER)
SETTINGS = TrainingSettings(query=QUERY, epochs=4, batch_size=8, learning_rate=2e-3, warmup_steps=0)


def trained(folder, settings=SETTINGS, **more):
    encoder = load(folder, device="cpu")
    history = fine_tune(encoder, [QUERY] * len(SENTENCES), SENTENCES, LABELS, settings, **more)
    return encoder, history


def ap(encoder) -> float:
    vectors = encode(encoder, [QUERY, *SENTENCES], mixed_precision=False)
    return average_precision(LABELS, vectors[1:] @ vectors[0])


def whole_loss(encoder, name: str) -> float:
    vectors = torch.tensor(encode(encoder, [QUERY, *SENTENCES], mixed_precision=False))
    return LOSSES[name](vectors[1:] @ vectors[0], torch.tensor(LABELS, dtype=torch.float32), 0.5).item()


def weights(encoder) -> dict[str, torch.Tensor]:
    return {name: value.clone() for name, value in encoder.state_dict().items()}


def test_batches_hold_every_sentence_once_with_like_lengths():
    lengths = np.random.default_rng(0).integers(3, 90, 1003).tolist()
    batches = list(batches_of(lengths, 8, np.random.default_rng(1)))
    assert sorted(np.concatenate(batches).tolist()) == list(range(1003))
    assert [len(batch) for batch in batches].count(8) >= 1003 // 8 - 1003 // (8 * SORTED_BATCHES) - 1
    spread = np.mean([np.ptp([lengths[i] for i in batch]) for batch in batches])
    assert spread < 10 < np.ptp(lengths)
    again, other = (list(batches_of(lengths, 8, np.random.default_rng(seed))) for seed in (1, 2))
    assert all((a == b).all() for a, b in zip(batches, again, strict=True))
    assert any(a.tolist() != b.tolist() for a, b in zip(batches, other, strict=True))


@pytest.mark.parametrize(
    ("step", "steps", "warmup", "factor"),
    [
        (0, 1000, 100, 0.01),
        (99, 1000, 100, 1.0),
        (100, 1000, 100, 1.0),
        (550, 1000, 100, 0.5),
        (999, 1000, 100, 1 / 900),
        (1000, 1000, 100, 0.0),
        (0, 100, 100, 0.1),  # a short run warms up for a tenth of its steps
        (10, 100, 100, 1.0),
        (0, 5, 100, 1.0),
        (0, 1, 0, 1.0),
        (1, 1, 0, 0.0),
    ],
)
def test_the_learning_rate_rises_and_falls_linearly(step, steps, warmup, factor):
    assert learning_rate_factor(step, steps, warmup) == pytest.approx(factor)


@pytest.mark.parametrize("loss", LOSS_NAMES)
def test_training_lowers_the_loss_and_raises_the_validation_score(tiny_encoder, loss):
    settings = TrainingSettings(
        query=QUERY, loss=loss, epochs=4, batch_size=8, learning_rate=2e-3, warmup_steps=0, seed=1
    )
    untrained = load(tiny_encoder, device="cpu")
    before, loss_before = ap(untrained), whole_loss(untrained, loss)
    steps: list[Step] = []
    encoder, history = trained(tiny_encoder, settings, on_step=steps.append, validate=ap)
    checkpoints = [entry for entry in history if isinstance(entry, Checkpoint)]
    assert [entry.epoch for entry in checkpoints] == [0, 1, 2, 3, 4]
    assert checkpoints[0].score == pytest.approx(before)
    assert ap(encoder) == pytest.approx(max(entry.score for entry in checkpoints))
    assert ap(encoder) > before + 0.1
    assert [entry.step for entry in steps] == list(range(1, 13)) and steps[0].steps == 12
    assert steps == [entry for entry in history if isinstance(entry, Step)]
    assert whole_loss(encoder, loss) < 0.7 * loss_before
    assert steps[-1].seconds_left == 0 and all(entry.pairs_per_second > 0 for entry in steps)
    assert not encoder.training


def test_the_same_seed_gives_the_same_weights_and_another_seed_others(tiny_encoder):
    short = TrainingSettings(query=QUERY, epochs=1, batch_size=8, learning_rate=2e-3, seed=3)
    one, again = (weights(trained(tiny_encoder, short)[0]) for _ in range(2))
    other = weights(
        trained(tiny_encoder, TrainingSettings(query=QUERY, epochs=1, batch_size=8, learning_rate=2e-3, seed=4))[0]
    )
    assert all(torch.equal(one[name], again[name]) for name in one)
    assert any(not torch.equal(one[name], other[name]) for name in one)


def test_training_that_makes_it_worse_leaves_the_weights_as_they_were(tiny_encoder):
    scores = iter([0.9, 0.5, 0.5, 0.5, 0.5])
    before = weights(load(tiny_encoder, device="cpu"))
    encoder, _ = trained(tiny_encoder, validate=lambda model: next(scores))
    assert all(torch.equal(before[name], value) for name, value in weights(encoder).items())


def test_of_equal_scores_the_later_weights_are_kept(tiny_encoder):
    before = weights(load(tiny_encoder, device="cpu"))
    encoder, _ = trained(tiny_encoder, validate=lambda model: 0.5)
    assert any(not torch.equal(before[name], value) for name, value in weights(encoder).items())


def test_a_score_that_is_not_a_number_never_wins(tiny_encoder):
    scores = iter([0.5, math.nan, math.nan, math.nan, math.nan])
    before = weights(load(tiny_encoder, device="cpu"))
    encoder, _ = trained(tiny_encoder, validate=lambda model: next(scores))
    assert all(torch.equal(before[name], value) for name, value in weights(encoder).items())


def test_a_loss_that_is_not_a_number_ends_the_training(tiny_encoder, monkeypatch):
    monkeypatch.setitem(LOSSES, "contrastive", lambda cosines, labels, margin: cosines.sum() * math.nan)
    with pytest.raises(Diverged, match="the loss of step 1 is nan"):
        trained(tiny_encoder)


@pytest.mark.parametrize("labels", [[1, 1], [0, 0], []])
def test_one_class_alone_cannot_be_trained_on(tiny_encoder, labels):
    with pytest.raises(ValueError, match="needs key sentences and others"):
        fine_tune(load(tiny_encoder, device="cpu"), [QUERY] * len(labels), KEY[: len(labels)], labels, SETTINGS)


def test_each_sentence_learns_from_its_own_query(tiny_encoder):
    """One sentence under two queries, wanted by one and not by the other, is told apart only where queries are kept."""
    queries, sentences = ["gene knockout", "growth assay"] * 12, ["we edited the cells."] * 24
    encoder = load(tiny_encoder, device="cpu")
    settings = TrainingSettings(epochs=4, batch_size=6, learning_rate=2e-3, warmup_steps=0)
    fine_tune(encoder, queries, sentences, [1, 0] * 12, settings)
    wanted, unwanted, sentence = encode(encoder, [*queries[:2], sentences[0]])
    assert wanted @ sentence > unwanted @ sentence + 0.3
