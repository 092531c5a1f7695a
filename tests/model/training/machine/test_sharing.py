"""Steps shared by several processes have the gradients of the whole; a training with helpers is that without."""

import multiprocessing
import os
import pickle
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import psutil
import pytest
import torch
from torch import distributed

import model.training.machine.helpers
from model.encoder import load
from model.training.machine.helpers import HelperEnded, Helpers, devices_beside, helpers_of
from model.training.machine.helping import COPY, Told, help_along
from model.training.machine.sharing import dealt
from model.training.machine.stepping import Stepper
from model.training.quick import dropout_of, quick_attention
from model.training.settings import Loss
from tests.model.training.machine.test_stepping import difference, gradients, stepper_of
from tests.model.training.test_checkpoints import Killed, always, curve, run, same
from tests.model.training.test_fine_tuning import SETTINGS

LARGEST = 64  # tokens of a pass, for the test of memory
PARTS = ("encoder", "settings", "noise")
PLAIN = replace(SETTINGS, dropout=False, mixed_precision=False, epochs=2)


@pytest.fixture(autouse=True)
def processors_for_gpus(monkeypatch):
    """Helpers compute on this machine's processors."""
    monkeypatch.setattr(model.training.machine.helpers, "devices_beside", lambda first, count: ["cpu"] * (count - 1))


def too_large(module, given) -> None:
    """A hook of an encoder without memory for more tokens that need gradients, in whatever process it is."""
    if torch.is_grad_enabled() and given[0]["input_ids"].numel() > LARGEST:
        raise torch.OutOfMemoryError("CUDA out of memory")


@contextmanager
def helped(stepper: Stepper) -> Iterator[Helpers]:
    """The helpers of a stepper, begun as a training begins them."""
    encoder, settings, noise = stepper.encoder, stepper.settings, stepper.noise
    with (
        quick_attention(encoder),
        dropout_of(encoder, noise, enabled=settings.dropout),
        helpers_of(encoder, settings, noise) as stepper.helpers,
    ):
        yield stepper.helpers


def test_a_shared_step_has_the_loss_and_the_gradients_of_the_whole(tiny_encoder):
    """With any loss, all activations kept or not; and after a weight was changed."""
    encoder = load(tiny_encoder, device="cpu")
    with helped(stepper_of(encoder, gpus=3)) as helpers:
        for loss in Loss:
            for parts in (1, 3):
                whole, wanted = gradients(stepper_of(encoder, loss=loss))
                stepper = stepper_of(encoder, parts, loss=loss, gpus=3)
                stepper.helpers, helpers.settings = helpers, stepper.settings
                found, got = gradients(stepper)
                assert found == pytest.approx(whole, rel=1e-6)
                assert difference(got, wanted) < 1e-5
            with torch.no_grad():
                next(encoder.parameters()).mul_(1.1)


def test_a_step_too_large_for_any_device_goes_on_in_parts_and_a_process_that_is_killed_ends_the_training(tiny_encoder):
    encoder = load(tiny_encoder, device="cpu")
    _, wanted = gradients(stepper_of(encoder))
    encoder.register_forward_pre_hook(too_large)
    stepper = stepper_of(encoder, gpus=2)
    with (
        pytest.raises(HelperEnded, match=r"shared the training's steps ended: helper 1 with exit code -9"),
        helped(stepper),
    ):
        _, found = gradients(stepper)
        assert difference(found, wanted) < 1e-5
        assert stepper.parts > 1
        (started,) = [each for each in psutil.Process().children() if "spawn_main" in " ".join(each.cmdline())]
        started.kill()
        gradients(stepper)
    assert not started.is_running()


def test_a_training_with_a_helper_is_that_without(tiny_encoder):
    alone, history = run(tiny_encoder, PLAIN)
    helped, with_helper = run(tiny_encoder, replace(PLAIN, gpus=2))
    assert all(torch.allclose(helped[name], alone[name], atol=1e-4) for name in alone)
    for (*place, value), (*same_place, same_value) in zip(curve(history), curve(with_helper), strict=True):
        assert place == same_place and value == pytest.approx(same_value, abs=1e-4)


def test_a_training_with_a_helper_that_is_killed_goes_on_to_the_same_weights(tiny_encoder, tmp_path):
    settings = replace(SETTINGS, epochs=2, gpus=2)
    whole, history = run(tiny_encoder, settings)
    with pytest.raises(Killed):
        run(tiny_encoder, settings, always(tmp_path, settings), die_after=4)
    checkpoints = always(tmp_path, settings)
    found, again = run(tiny_encoder, settings, checkpoints)
    assert checkpoints.resumed_step == 3
    assert same(found, whole) and curve(again) == curve(history)


def test_a_process_that_cannot_begin_says_why(tiny_encoder, monkeypatch):
    monkeypatch.setattr(model.training.machine.helpers, "devices_beside", lambda first, count: ["nowhere"])
    stepper = stepper_of(load(tiny_encoder, device="cpu"), gpus=2)
    with pytest.raises(HelperEnded, match=r"steps ended: helper 1: .*nowhere"), helped(stepper):
        pass


def test_a_process_whose_training_is_gone_waits_for_nobody(tiny_encoder, tmp_path, monkeypatch):
    """Taking leave in order waits for the others, on GPUs for minutes."""
    ended: list[int] = []
    monkeypatch.setattr(os, "_exit", ended.append)
    stepper = stepper_of(load(tiny_encoder, device="cpu"))
    (tmp_path / COPY).write_bytes(pickle.dumps((stepper.encoder, stepper.settings, stepper.noise)))
    ours, theirs = multiprocessing.Pipe()
    helper = threading.Thread(target=help_along, args=(theirs, 0, 1, str(tmp_path), "cpu", 1))
    helper.start()
    assert ours.recv() == (Told.DONE, None)
    ours.close()
    helper.join()
    assert ended == [1]
    distributed.destroy_process_group()


def test_memory_that_is_too_small_where_others_wait_ends_the_training(tiny_encoder):
    """Where nobody waits, a smaller step is tried."""
    helpers = Helpers(*(getattr(stepper_of(load(tiny_encoder, device="cpu")), name) for name in PARTS))
    for what, tried_again in (("compute", True), ("take_weights", False)):
        with pytest.raises(RuntimeError) as raised, helpers.asked(what):
            raise torch.OutOfMemoryError("CUDA out of memory")
        assert isinstance(raised.value, torch.OutOfMemoryError) is tried_again


@pytest.mark.parametrize(
    ("sizes", "shares", "found"),
    [
        ([5, 9, 4, 3], 2, [[1, 3], [0, 2]]),
        ([7], 3, [[0], [], []]),
        ([], 2, [[], []]),
    ],
)
def test_passes_are_dealt_in_shares_of_about_the_same_size(sizes, shares, found):
    assert dealt(sizes, shares) == found


def test_of_the_gpus_each_is_taken_once_and_too_few_are_an_error(monkeypatch):
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 3)
    monkeypatch.setattr(torch.cuda, "current_device", lambda: 0)
    assert devices_beside(torch.device("cuda"), 3) == ["cuda:1", "cuda:2"]
    assert devices_beside(torch.device("cuda:1"), 2) == ["cuda:0"]
    with pytest.raises(ValueError, match="gpus is 4; it must be from 1 to 3: this machine has 3"):
        devices_beside(torch.device("cuda"), 4)
    with pytest.raises(ValueError, match="gpus is 2; it must be from 1 to 1: this machine has 0"):
        devices_beside(torch.device("cpu"), 2)
