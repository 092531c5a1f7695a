"""Processors and GPUs: what they compute in, and what happens where one is full."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
import torch

from model.devices import (
    ahead,
    autocast,
    best_device,
    bfloat16_pays,
    by_cores,
    cpu_says,
    halving,
    joined,
    limit_for,
    on,
    parted,
)


@pytest.fixture(autouse=True)
def _read_anew():
    cpu_says.cache_clear()
    yield
    cpu_says.cache_clear()


@pytest.mark.parametrize(("there", "device"), [(True, "cuda"), (False, "cpu")])
def test_a_gpu_is_taken_where_there_is_one(monkeypatch, there, device):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: there)
    assert best_device() == device


def test_each_core_takes_items_with_one_thread_and_threads_that_begin_later_have_all():
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    try:
        assert list(by_cores(lambda item: (item, torch.get_num_threads()), [3, 1, 2])) == [(3, 1), (1, 1), (2, 1)]
        assert list(by_cores(lambda item: (item, torch.get_num_threads()), [3])) == [(3, 2)]
        assert list(by_cores(str, [])) == []
        assert torch.get_num_threads() == 2
        with ThreadPoolExecutor(1) as later:
            assert later.submit(torch.get_num_threads).result() == 2
    finally:
        torch.set_num_threads(before)


@pytest.mark.parametrize(
    ("flags", "pays"),
    [
        ("vendor_id\t: AuthenticAMD\nflags\t\t: fpu avx512_bf16 sse", True),
        ("vendor_id\t: GenuineIntel\nflags\t\t: fpu avx512_bf16 sse", False),
        ("vendor_id\t: GenuineIntel\nflags\t\t: fpu avx512_bf16 amx_bf16", True),
        ("flags\t\t: fpu amx_bf16", True),
        ("vendor_id\t: AuthenticAMD\nflags\t\t: fpu sse", False),
        ("flags\t\t: fpu avx512f", False),
        ("model name\t: avx512_bf16", False),
        ("", False),
    ],
)
def test_bfloat16_pays_on_a_cpu_that_computes_quicker_with_it(monkeypatch, flags, pays):
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


def test_each_of_several_gpus_is_asked_for_itself(monkeypatch):
    asked = []

    class Chosen:
        def __init__(self, device):
            self.device = device

        def __enter__(self):
            asked.append(str(self.device))

        def __exit__(self, *_):
            pass

    monkeypatch.setattr(torch.cuda, "device", Chosen)
    monkeypatch.setattr(torch.cuda, "is_bf16_supported", lambda including_emulation: asked[-1:] == ["cuda:1"])
    assert bfloat16_pays("cuda:1") and bfloat16_pays(torch.device("cuda", 1))
    assert asked == ["cuda:1", "cuda:1"]
    with on(torch.device("cpu")):
        assert len(asked) == 2


def test_arrays_go_in_one_block_and_come_out_as_they_were():
    arrays = [np.arange(6).reshape(2, 3), np.array([True, False]), np.zeros((2, 0), dtype=np.int32)]
    block = joined(arrays, torch.device("cpu"))
    assert (block.dtype, block.shape) == (torch.int64, (8,))
    parts = parted(block, [array.shape for array in arrays], torch.device("cpu"))
    assert [part.tolist() for part in parts] == [[[0, 1, 2], [3, 4, 5]], [1, 0], [[], []]]


@pytest.mark.parametrize(("depth", "threads"), [(0, 1), (1, 1), (3, 1), (3, 2)])
def test_what_is_made_ahead_comes_in_order_and_its_errors_with_it(depth, threads):
    made = []

    def square(number):
        made.append(number)
        return number**2

    assert list(ahead(square, range(5), depth, threads=threads)) == [0, 1, 4, 9, 16]
    some = ahead(square, iter(range(100)), depth, threads=threads)
    assert next(some) == 0
    some.close()
    assert len(made) <= 5 + 2 + depth
    with pytest.raises(ZeroDivisionError):
        list(ahead(lambda number: 1 // number, [1, 0], depth, threads=threads))


def test_a_batch_that_is_too_large_is_halved_until_it_fits_and_keeps_its_order():
    tried = []

    def run(rows):
        tried.append(len(rows))
        if len(rows) > 3:
            raise torch.OutOfMemoryError("full")
        return [row * 10 for row in rows]

    parts = list(halving(run, list(range(10))))
    assert [row for rows, _ in parts for row in rows] == list(range(10))
    assert [value for _, made in parts for value in made] == [row * 10 for row in range(10)]
    assert max(len(rows) for rows, _ in parts) == 3 and tried[0] == 10


def test_a_row_that_does_not_fit_alone_is_an_error():
    def full(rows):
        raise torch.OutOfMemoryError("full")

    with pytest.raises(torch.OutOfMemoryError):
        list(halving(full, [0, 1, 2]))


def test_the_limits_of_a_gpu_hold_for_all_that_is_no_cpu():
    limits = {"cpu": 1, "cuda": 2}
    assert [limit_for(limits, torch.device(name)) for name in ("cpu", "cuda:3", "meta")] == [1, 2, 2]
