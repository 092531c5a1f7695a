"""Processors and GPUs: what they compute in, and what happens where one is full."""

from pathlib import Path

import pytest
import torch

from model.devices import autocast, best_device, bfloat16_pays, cpu_flags


@pytest.fixture(autouse=True)
def _read_anew():
    cpu_flags.cache_clear()
    yield
    cpu_flags.cache_clear()


@pytest.mark.parametrize(("there", "device"), [(True, "cuda"), (False, "cpu")])
def test_a_gpu_is_taken_where_there_is_one(monkeypatch, there, device):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: there)
    assert best_device() == device


@pytest.mark.parametrize(
    ("flags", "pays"),
    [
        ("flags\t\t: fpu avx512_bf16 sse", True),
        ("flags\t\t: fpu amx_bf16", True),
        ("flags\t\t: fpu avx512f", False),
        ("model name\t: avx512_bf16", False),
        ("", False),
    ],
)
def test_bfloat16_pays_on_a_cpu_that_computes_with_it(monkeypatch, flags, pays):
    monkeypatch.setattr(Path, "read_text", lambda self: f"processor\t: 0\n{flags}\nbugs\t: none\n")
    assert bfloat16_pays("cpu") is pays
    assert torch.is_autocast_enabled("cpu") is False
    with autocast("cpu"):
        assert torch.is_autocast_enabled("cpu") is pays
        assert not pays or torch.get_autocast_dtype("cpu") is torch.bfloat16
    with autocast("cpu", enabled=False):
        assert torch.is_autocast_enabled("cpu") is False


def test_where_the_system_tells_no_flags_nothing_pays(monkeypatch):
    def absent(self):
        raise FileNotFoundError(self)

    monkeypatch.setattr(Path, "read_text", absent)
    assert bfloat16_pays("cpu") is False


@pytest.mark.parametrize("has", [True, False])
def test_a_gpu_that_only_emulates_bfloat16_computes_in_float32(monkeypatch, has):
    monkeypatch.setattr(torch.cuda, "is_bf16_supported", lambda including_emulation=True: has or including_emulation)
    assert bfloat16_pays("cuda") is has
