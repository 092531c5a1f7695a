"""Checkpoints: a training that goes on from one ends with the weights of a training that nothing interrupted."""

import logging
import shutil
from collections import namedtuple
from dataclasses import asdict, replace

import pytest
import torch

import model.training.checkpoints
from model.encoder import load
from model.proposing.query import QUERY_TOKEN
from model.training.checkpoints import Checkpoints, State
from model.training.curve import Checkpoint
from model.training.fine_tuning import fine_tune
from model.training.settings import Loss
from tests.model.training.test_fine_tuning import ARTICLES, SETTINGS, weights
from tests.support.logged import logging_kept

UNLABELLED = [replace(article, labels=[label or -1 for label in article.labels]) for article in ARTICLES]
VARIANTS = {
    "validation after each epoch": SETTINGS,
    "validation every so many steps": replace(SETTINGS, evaluate_every=5),
    "a loss within articles": replace(SETTINGS, loss=Loss.LISTWISE),
    "a fresh query token": replace(SETTINGS, query=QUERY_TOKEN),
    "without dropout": replace(SETTINGS, dropout=False),
    "the mean of three runs": replace(SETTINGS, epochs=1, averaged_runs=3),
}


class Killed(BaseException):
    """Stands in for the end of the process."""


def run(folder, settings, checkpoints=None, *, die_after=None, validation=ARTICLES):
    """Trains; where told to, dies right after a step."""
    encoder = load(folder, device="cpu")

    def on_step(step) -> None:
        if step.step == die_after:
            raise Killed

    articles = [replace(article, query=settings.query) for article in UNLABELLED]
    history = fine_tune(encoder, articles, settings, validation=validation, on_step=on_step, checkpoints=checkpoints)
    return weights(encoder), history


def always(folder, settings=SETTINGS, **more) -> Checkpoints:
    """Checkpoints after every step."""
    kept = Checkpoints(folder, asdict(settings), every_seconds=0.0, **more)
    kept.due = lambda: True
    return kept


def small(number: float) -> State:
    return State({"a": torch.full((1000,), number)}, {"number": number})


def same(one, other) -> bool:
    return one.keys() == other.keys() and all(torch.equal(one[name], other[name]) for name in one)


def curve(history):
    """The curve without what a clock measured."""
    return [
        (entry.epoch, entry.step, entry.score) if isinstance(entry, Checkpoint) else (entry.step, entry.loss)
        for entry in history
    ]


@pytest.mark.parametrize("settings", VARIANTS.values(), ids=VARIANTS)
def test_a_training_killed_at_several_steps_ends_with_the_weights_of_an_uninterrupted_one(
    tiny_encoder, tmp_path, settings
):
    whole, history = run(tiny_encoder, settings)
    resumed_at = []
    for die_after in (2, 3, 4, 7):  # the last step of an epoch of three or twelve steps is among them, and the next
        kept = always(tmp_path, settings)
        with pytest.raises(Killed):
            run(tiny_encoder, settings, kept, die_after=die_after)
        resumed_at.append(kept.resumed_step)
    kept = always(tmp_path, settings)
    again, curve_again = run(tiny_encoder, settings, kept)
    assert resumed_at == [0, 1, 2, 3] and kept.resumed_step == 6  # a checkpoint is taken after its step is reported
    assert same(again, whole)
    assert curve(curve_again) == curve(history)


def test_a_run_without_validation_resumes_too(tiny_encoder, tmp_path):
    whole, _ = run(tiny_encoder, SETTINGS, validation=())
    with pytest.raises(Killed):
        run(tiny_encoder, SETTINGS, always(tmp_path), die_after=5, validation=())
    assert same(run(tiny_encoder, SETTINGS, always(tmp_path), validation=())[0], whole)


def test_a_run_that_died_after_its_last_step_trains_no_more(tiny_encoder, tmp_path):
    kept = always(tmp_path)
    whole, _ = run(tiny_encoder, SETTINGS, kept)
    again = always(tmp_path)
    assert same(run(tiny_encoder, SETTINGS, again, die_after=1)[0], whole)
    assert again.resumed_step == kept.written and again.written == 0


def test_a_checkpoint_of_another_training_is_left_aside(tmp_path):
    always(tmp_path, SETTINGS).save(3, small(1.0))
    assert always(tmp_path, replace(SETTINGS, seed=9)).latest() is None
    assert always(tmp_path, SETTINGS).latest().values == {"number": 1.0}


@pytest.mark.parametrize("damage", ["cut", "emptied", "a flipped bit"])
def test_a_damaged_checkpoint_is_left_aside_and_said(tmp_path, logged, damage):
    kept = always(tmp_path)
    kept.save(3, small(1.0))
    (path,) = tmp_path.glob("*.safetensors")
    content = bytearray(path.read_bytes())
    if damage == "cut":
        content = content[:-1]
    elif damage == "emptied":
        content = bytearray()
    else:
        content[-1] ^= 1
    path.write_bytes(bytes(content))
    assert always(tmp_path).latest() is None
    assert "is damaged and is left aside" in logged.text
    kept.save(4, small(2.0))
    assert always(tmp_path).latest().values == {"number": 2.0}


def test_the_newer_of_two_is_taken_and_the_older_one_removed(tmp_path):
    kept = always(tmp_path)
    kept.save(3, small(1.0))
    (older,) = tmp_path.glob("*.safetensors")
    shutil.copy(older, tmp_path / "aside")
    kept.save(4, small(2.0))
    assert len(list(tmp_path.glob("*.safetensors"))) == 1
    (tmp_path / "aside").rename(older)  # as if the process had been killed before it removed it
    again = always(tmp_path)
    assert again.latest().values == {"number": 2.0} and again.resumed_step == 4


@pytest.mark.parametrize("step", ["save_file", "sync", "sha256_of"])
def test_dying_while_a_checkpoint_is_written_leaves_the_one_before(tmp_path, monkeypatch, step):
    kept = always(tmp_path)
    kept.save(3, small(1.0))
    real = getattr(model.training.checkpoints, step)

    def die(*arguments, **named):
        real(*arguments, **named)
        raise Killed

    with monkeypatch.context() as patched:
        patched.setattr(model.training.checkpoints, step, die)
        with pytest.raises(Killed):
            kept.save(4, small(2.0))
    assert (tmp_path / "partial").exists()
    assert always(tmp_path).latest().values == {"number": 1.0}
    kept.save(5, small(3.0))
    assert always(tmp_path).latest().values == {"number": 3.0} and not (tmp_path / "partial").exists()


def test_a_full_disk_stops_no_training_and_keeps_the_checkpoint_before(tmp_path, monkeypatch, logged):
    kept = always(tmp_path, reserve_bytes=5_000)
    kept.save(3, small(1.0))
    usage = namedtuple("usage", "total used free")
    monkeypatch.setattr(model.training.checkpoints.shutil, "disk_usage", lambda path: usage(0, 0, 8_999))
    kept.save(4, small(2.0))  # 4,000 bytes, and 5,000 are to be left
    assert "step 4: no checkpoint was written" in logged.text and kept.written == 1
    assert always(tmp_path).latest().values == {"number": 1.0}
    monkeypatch.setattr(model.training.checkpoints.shutil, "disk_usage", lambda path: usage(0, 0, 9_000))
    kept.save(5, small(3.0))
    assert always(tmp_path).latest().values == {"number": 3.0}


def test_checkpoints_are_due_every_so_often_and_rarer_on_a_slow_disk(tmp_path, monkeypatch):
    now = [1000.0]
    monkeypatch.setattr(model.training.checkpoints.time, "monotonic", lambda: now[0])
    kept = Checkpoints(tmp_path, {}, every_seconds=60)
    assert not kept.due()
    now[0] += 60
    assert kept.due()
    kept.save(1, small(1.0))
    now[0] += 59
    assert not kept.due()

    def slow(*arguments, **named) -> None:
        now[0] += 10

    monkeypatch.setattr(kept, "_write", slow)
    kept.save(2, small(1.0))
    now[0] += 199
    assert not kept.due()
    now[0] += 1
    assert kept.due() and kept.seconds == 10


def test_tensors_that_share_memory_are_kept_apart(tmp_path):
    tied = torch.arange(4.0)
    always(tmp_path).save(1, State({"a": tied, "b": tied, "c": tied.view(2, 2).T}, {}))
    found = always(tmp_path).latest().tensors
    assert found["a"].tolist() == found["b"].tolist() == [0, 1, 2, 3] and found["c"].tolist() == [[0, 2], [1, 3]]


def test_nothing_is_logged_where_nothing_is_wrong(tmp_path):
    with logging_kept(logging.DEBUG) as logged:
        always(tmp_path).save(1, small(1.0))
        always(tmp_path).latest()
    assert not logged.lines
