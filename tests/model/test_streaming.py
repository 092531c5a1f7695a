"""Batches to a device and vectors back: in order, halved where memory is small, and the same as those of a CPU."""

import numpy as np
import pytest
import torch

import model.encoder
from model.encoder import encode, load
from model.streaming import Batch, streamed

CPU = torch.device("cpu")


def test_results_come_in_order_with_their_places():
    batches = [Batch.of([n, n + 10], [np.full((2, 3), n), np.zeros((2, 1))], CPU, n) for n in range(5)]
    found = list(streamed(batches, lambda a, b, told: (a.sum(dim=1) + told).float()[:, None], CPU))
    assert [places for places, _ in found] == [[n, n + 10] for n in range(5)]
    assert [made.tolist() for _, made in found] == [[[4.0 * n], [4.0 * n]] for n in range(5)]


@pytest.fixture(scope="module")
def encoder(tiny_encoder):
    return load(tiny_encoder, device="cpu")


TEXTS = [("cells " * (1 + i * 7 % 40)).strip() for i in range(41)]
QUERIES = ["gene knockout", "mouse"]


def as_on_a_gpu(monkeypatch) -> None:
    monkeypatch.setattr(model.encoder, "_encode_on_cpu", model.encoder._encode_on_gpu)
    monkeypatch.setattr(model.encoder, "SLAB_TEXTS", 16)


def test_the_way_of_a_gpu_gives_the_same_vectors(encoder, monkeypatch):
    wanted = encode(encoder, TEXTS, queries=QUERIES, mixed_precision=False)
    as_on_a_gpu(monkeypatch)
    done: list[int] = []
    found = encode(encoder, TEXTS, queries=QUERIES, mixed_precision=False, progress=done.append)
    assert found == pytest.approx(wanted, abs=1e-6)
    assert done == sorted(done) and done[-1] == len(TEXTS) + len(QUERIES)
    assert encode(encoder, []).shape == (0, 32)


def test_what_does_not_fit_into_the_memory_is_halved_to_the_same_vectors(encoder, monkeypatch):
    wanted = encode(encoder, TEXTS, mixed_precision=False)
    as_on_a_gpu(monkeypatch)
    stock, passes = model.encoder.forward, []

    def small(encoder, features, *side):
        passes.append(features["input_ids"].numel())
        if passes[-1] > 128:
            raise torch.OutOfMemoryError("CUDA out of memory")
        return stock(encoder, features, *side)

    monkeypatch.setattr(model.encoder, "forward", small)
    assert encode(encoder, TEXTS, mixed_precision=False) == pytest.approx(wanted, abs=1e-6)
    assert max(passes) > 128
