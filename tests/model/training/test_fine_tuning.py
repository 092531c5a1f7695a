"""Fine-tuning: the learning rate, that it learns with every loss, the same way each time, and never makes it worse."""

import math
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from sentence_transformers import SentenceTransformer

import model.training.clock
import model.training.fine_tuning
import model.training.packed.stepping
from model.encoder import encode, load, save
from model.evaluation.metrics import average_precision
from model.labelled import LabelledArticle
from model.proposing.query import QUERY_TOKEN
from model.training.clock import Diverged
from model.training.curve import Checkpoint, Step
from model.training.fine_tuning import fine_tune
from model.training.losses import LOSSES
from model.training.pairs import table_of
from model.training.settings import Loss, SelectBy, TokenStart, TrainingSettings
from model.training.steps import learning_rate_factor
from model.training.validation import cosines_of, validation_score

QUERY = "gene knockout from cell"
KEY = [f"here we {verb} {gene} in {cell} cells." for verb in ("deleted", "edited") for gene in ("tp53", "kras", "myc")
       for cell in ("hela", "a549")]  # fmt: skip
OTHER = [f"the {what} was {verb} in {where}." for what in ("assay", "buffer", "wash") for verb in ("measured", "known")
         for where in ("patients", "mouse")]  # fmt: skip
ARTICLES = [
    LabelledArticle(f"article {n}", QUERY, [*KEY[n::4], *OTHER[n::4]], [1] * len(KEY[n::4]) + [0] * len(OTHER[n::4]))
    for n in range(4)
]
SETTINGS = TrainingSettings(
    query=QUERY, epochs=4, batch_size=8, learning_rate=2e-3, warmup_steps=0, evaluate_every=0, negatives_per_key=20
)


def trained(folder, settings=SETTINGS, articles=ARTICLES, **more):
    encoder = load(folder, device="cpu")
    history = fine_tune(encoder, articles, settings, **more)
    return encoder, history


def ap(encoder) -> float:
    vectors = encode(encoder, [QUERY, *KEY, *OTHER], mixed_precision=False)
    return average_precision([1] * len(KEY) + [0] * len(OTHER), vectors[1:] @ vectors[0])


def whole_loss(encoder, loss: Loss) -> float:
    """The loss over all articles at once."""
    cosines = torch.tensor(np.concatenate(cosines_of(encoder, ARTICLES)))
    table = table_of(ARTICLES)
    labels, groups = torch.tensor(table.labels, dtype=torch.float32), torch.tensor(table.article)
    return LOSSES[loss](cosines, labels, groups, 0.5).item()


def weights(encoder) -> dict[str, torch.Tensor]:
    return {name: value.clone() for name, value in encoder.state_dict().items()}


def with_scores(monkeypatch, *scores: float) -> None:
    given = iter(scores)
    monkeypatch.setattr(model.training.fine_tuning, "validation_score", lambda *_, **__: next(given))


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


@pytest.mark.parametrize("loss", Loss)
def test_training_lowers_the_loss_and_raises_the_validation_score(tiny_encoder, loss):
    settings = replace(SETTINGS, loss=loss, seed=1)
    untrained = load(tiny_encoder, device="cpu")
    before, loss_before = ap(untrained), whole_loss(untrained, loss)
    steps: list[Step] = []
    encoder, history = trained(tiny_encoder, settings, on_step=steps.append, validation=ARTICLES)
    checkpoints = [entry for entry in history if isinstance(entry, Checkpoint)]
    assert [entry.epoch for entry in checkpoints] == [0, 1, 2, 3, 4]
    best = max(entry.score for entry in checkpoints)
    assert validation_score(encoder, ARTICLES, settings.select_by) == pytest.approx(best)
    assert ap(encoder) > before + 0.1
    per_epoch = len(steps) // 4
    assert [entry.step for entry in steps] == list(range(1, 4 * per_epoch + 1)) and steps[0].steps == len(steps)
    assert steps == [entry for entry in history if isinstance(entry, Step)]
    assert whole_loss(encoder, loss) < 0.8 * loss_before
    assert steps[-1].seconds_left == 0 and all(entry.pairs_per_second > 0 for entry in steps)
    assert not encoder.training


def test_the_same_seed_gives_the_same_weights_and_another_seed_others(tiny_encoder):
    short = replace(SETTINGS, epochs=1, seed=3)
    one, again = (weights(trained(tiny_encoder, short)[0]) for _ in range(2))
    other = weights(trained(tiny_encoder, replace(short, seed=4))[0])
    assert all(torch.equal(one[name], again[name]) for name in one)
    assert any(not torch.equal(one[name], other[name]) for name in one)


@pytest.mark.parametrize("stored_as", [torch.float16, torch.bfloat16])
def test_an_encoder_stored_in_half_precision_learns_as_any_other(tiny_encoder, tmp_path, stored_as):
    """In bfloat16 few weights would move at this rate, in float16 the moments of AdamW would overflow."""
    settings = replace(SETTINGS, learning_rate=2e-5, dropout=False, mixed_precision=False)
    SentenceTransformer(str(tiny_encoder)).to(stored_as).save_pretrained(str(tmp_path), create_model_card=False)
    before = weights(load(tmp_path, device="cpu"))
    encoder, history = trained(tmp_path, settings)
    _, of_whole = trained(tiny_encoder, settings)
    moved = {name: (value != before[name]).float().mean().item() for name, value in encoder.state_dict().items()}
    assert min(share for name, share in moved.items() if "attention.output.dense.weight" in name) > 0.99
    assert [step.loss for step in history] == pytest.approx([step.loss for step in of_whole], rel=0.02)


def test_dropout_can_be_left_out(tiny_encoder):
    short = replace(SETTINGS, epochs=1)
    with_noise, without = (weights(trained(tiny_encoder, replace(short, dropout=on))[0]) for on in (True, False))
    assert any(not torch.equal(with_noise[name], without[name]) for name in without)


def test_evaluation_every_so_many_steps_and_at_the_end(tiny_encoder):
    _, history = trained(tiny_encoder, replace(SETTINGS, evaluate_every=5), validation=ARTICLES)
    checkpoints = [entry for entry in history if isinstance(entry, Checkpoint)]
    assert [entry.step for entry in checkpoints] == [0, 5, 10, 12]


def test_validation_articles_without_key_sentence_are_no_validation(tiny_encoder):
    empty = LabelledArticle("none", QUERY, OTHER, [0] * len(OTHER))
    _, history = trained(tiny_encoder, replace(SETTINGS, epochs=1), validation=[empty])
    assert not [entry for entry in history if isinstance(entry, Checkpoint)]


def test_training_that_makes_it_worse_leaves_the_weights_as_they_were(tiny_encoder, monkeypatch):
    with_scores(monkeypatch, 0.9, 0.5, 0.5, 0.5, 0.5)
    before = weights(load(tiny_encoder, device="cpu"))
    after = weights(trained(tiny_encoder, validation=ARTICLES)[0])
    assert all(torch.equal(before[name], value) for name, value in after.items())


def test_of_equal_scores_the_later_weights_are_kept(tiny_encoder, monkeypatch):
    with_scores(monkeypatch, *[0.5] * 5)
    before = weights(load(tiny_encoder, device="cpu"))
    after = weights(trained(tiny_encoder, validation=ARTICLES)[0])
    assert any(not torch.equal(before[name], value) for name, value in after.items())


def test_a_score_that_is_not_a_number_never_wins(tiny_encoder, monkeypatch):
    with_scores(monkeypatch, 0.5, *[math.nan] * 4)
    before = weights(load(tiny_encoder, device="cpu"))
    after = weights(trained(tiny_encoder, validation=ARTICLES)[0])
    assert all(torch.equal(before[name], value) for name, value in after.items())


def test_the_speed_leaves_out_what_validation_takes(tiny_encoder, monkeypatch):
    """By a clock that moves two seconds with each step of eight sentences, and a hundred with each validation."""
    now = [0.0]

    def after(seconds, function):
        def call(*arguments, **named):
            now[0] += seconds
            return function(*arguments, **named)

        return call

    monkeypatch.setattr(model.training.clock, "time", SimpleNamespace(monotonic=lambda: now[0]))
    monkeypatch.setattr(model.training.packed.stepping, "step_loss", after(2.0, model.training.steps.step_loss))
    monkeypatch.setattr(model.training.fine_tuning, "validation_score", after(100.0, lambda *_, **__: 0.5))
    _, history = trained(tiny_encoder, replace(SETTINGS, epochs=2, evaluate_every=2), validation=ARTICLES)
    steps = [entry for entry in history if isinstance(entry, Step)]
    assert now[0] == 6 * 2 + 4 * 100  # before the first step, after the second and the fourth, and at the end
    assert [(step.step, step.steps) for step in steps] == [(number, 6) for number in range(1, 7)]
    assert [step.pairs_per_second for step in steps] == pytest.approx([4.0] * 6)
    assert [step.seconds_left for step in steps] == pytest.approx([10.0, 8.0, 6.0, 4.0, 2.0, 0.0])


def test_a_loss_that_is_not_a_number_ends_the_training(tiny_encoder, monkeypatch):
    monkeypatch.setitem(LOSSES, Loss.CONTRASTIVE, lambda cosines, labels, groups, margin: cosines.sum() * math.nan)
    with pytest.raises(Diverged, match="the loss of step 1 is nan"):
        trained(tiny_encoder)


def test_training_that_is_broken_off_leaves_a_whole_encoder(tiny_encoder):
    encoder = load(tiny_encoder, device="cpu")
    names = set(encoder.state_dict())

    def stop(step: Step) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fine_tune(encoder, ARTICLES, SETTINGS, on_step=stop)
    assert set(encoder.state_dict()) == names
    assert encode(encoder, ["a mouse"]).shape == (1, 32)


@pytest.mark.parametrize("labels", [[1, 1], [0, 0], []])
def test_one_class_alone_cannot_be_trained_on(tiny_encoder, labels):
    article = LabelledArticle("one", QUERY, KEY[: len(labels)], labels)
    with pytest.raises(ValueError, match="needs key sentences and others"):
        fine_tune(load(tiny_encoder, device="cpu"), [article], SETTINGS)


@pytest.mark.parametrize("loss", Loss)
def test_each_sentence_learns_from_its_own_query(tiny_encoder, loss):
    """Sentences wanted by one query and not by the other are told apart only where queries are kept."""
    two = ["we edited the cells.", "the buffer was measured."]
    articles = [
        LabelledArticle(f"{n}", query, two, labels)
        for n in range(12)
        for query, labels in (("gene knockout", [1, 0]), ("growth assay", [0, 1]))
    ]
    settings = replace(SETTINGS, query=None, epochs=6, batch_size=6)
    encoder, _ = trained(tiny_encoder, settings, articles)
    for (wanted, unwanted), labels in zip(cosines_of(encoder, articles[:2]), ((1, 0), (0, 1)), strict=True):
        assert (wanted > unwanted) == (labels == (1, 0))


def test_an_encoder_learns_behind_its_prompts_as_if_the_texts_began_with_them(tiny_encoder, tmp_path):
    settings = replace(SETTINGS, query=None, epochs=2)
    asked = {"query": "the cell ", "passage": "we in "}
    plain = [replace(a, labels=[y or -1 for y in a.labels]) for a in ARTICLES]
    SentenceTransformer(str(tiny_encoder), prompts=asked).save_pretrained(str(tmp_path), create_model_card=False)
    written = [
        replace(a, query=asked["query"] + a.query, sentences=[asked["passage"] + text for text in a.sentences])
        for a in plain
    ]
    (behind, curve), (in_texts, same), (without, other) = (
        trained(folder, settings, articles, validation=articles)
        for folder, articles in ((tmp_path, plain), (tiny_encoder, written), (tiny_encoder, plain))
    )
    scores, of_texts, of_none = ([e.score for e in c if isinstance(e, Checkpoint)] for c in (curve, same, other))
    assert scores == of_texts != of_none
    assert all(torch.equal(value, in_texts.state_dict()[name]) for name, value in behind.state_dict().items())
    assert any(not torch.equal(value, without.state_dict()[name]) for name, value in behind.state_dict().items())


@pytest.mark.parametrize("start", TokenStart)
def test_a_fresh_query_token_is_learnt_saved_and_loaded_again(tiny_encoder, tmp_path, start):
    settings = replace(SETTINGS, query=QUERY_TOKEN, token_start=start)
    articles = [replace(article, query=QUERY_TOKEN) for article in ARTICLES]
    encoder, _ = trained(tiny_encoder, settings, articles)
    assert len(encoder.tokenizer.tokenize(QUERY_TOKEN)) == 1
    save(encoder, tmp_path / "saved")
    again = load(tmp_path / "saved", device="cpu")
    assert again.tokenizer.tokenize(QUERY_TOKEN) == [QUERY_TOKEN]
    ours, theirs = (cosines_of(e, articles) for e in (encoder, again))
    assert all((a == b).all() for a, b in zip(ours, theirs, strict=True))
    assert validation_score(again, articles, SelectBy.AVERAGE_PRECISION) > 0.9
    fine_tune(again, articles, replace(settings, epochs=1))  # a second training keeps the token it has
    assert len(again.tokenizer) == len(encoder.tokenizer)
