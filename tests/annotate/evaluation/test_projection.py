"""The map of sentences: which are placed, how, and that it can be stopped."""

from typing import Any

import numpy as np
import pytest

from annotate.evaluation import projection
from annotate.evaluation.projection import place, sample
from annotate.jobs.monitor import Cancelled, Monitor


def unit_vectors(count: int, dimension: int = 8) -> np.ndarray:
    points = np.random.default_rng(1).normal(size=(count, dimension)).astype(np.float32)
    return points / np.linalg.norm(points, axis=1, keepdims=True)


def test_a_sample_holds_all_key_sentences_and_some_of_the_others(monkeypatch):
    monkeypatch.setattr(projection, "RANDOM_SENTENCES", 3)
    truths = {7: np.array([0, 1, 0, 0]), 9: np.array([1, 0, 0, 0])}
    chosen = sample(truths, np.random.default_rng(0))
    assert [pair for pair, key in zip(places(chosen), chosen.key, strict=True) if key] == [(7, 1), (9, 0)]
    assert (len(chosen.key), chosen.all_key) == (5, 2)
    assert places(chosen) == sorted(set(places(chosen)))
    assert places(chosen) == places(sample(truths, np.random.default_rng(0)))


def test_where_key_sentences_are_too_many_some_are_left_out_and_counted(monkeypatch):
    monkeypatch.setattr(projection, "MOST_KEY", 1)
    chosen = sample({1: np.array([1, 1, 1])}, np.random.default_rng(0))
    assert (int(chosen.key.sum()), chosen.all_key) == (1, 3)


class Heard(Monitor):
    """A monitor without a job, of which somebody may ask to stop."""

    def __init__(self, *, stopped: bool = False) -> None:
        super().__init__(0)
        self.seen: list[tuple[float, float]] = []
        self.stopped = stopped

    def report(self, stage: str, done: float = 0, total: float = 0, **details: Any) -> None:
        self.seen.append((done, total))

    def cancelled(self) -> bool:
        return self.stopped


def places(chosen: projection.Sample) -> list[tuple[int, int]]:
    return list(zip(chosen.articles.tolist(), chosen.positions.tolist(), strict=True))


def test_points_are_placed_the_same_each_time_and_two_groups_apart():
    points = unit_vectors(40)
    points[:20, 0] += 5
    points /= np.linalg.norm(points, axis=1, keepdims=True)
    heard = Heard()
    one = place(points, heard, "placing")
    assert one.shape == (40, 2)
    assert np.array_equal(one, place(points, Heard(), "placing"))
    assert heard.seen[0] == (25, 750) and heard.seen[-1] == (750, 750)
    centres = one[:20].mean(axis=0), one[20:].mean(axis=0)
    inside = np.linalg.norm(one[:20] - centres[0], axis=1).max()
    assert np.linalg.norm(centres[0] - centres[1]) > inside


def test_few_points_are_placed_too_and_a_cancel_stops():
    assert place(unit_vectors(projection.LEAST_POINTS), Heard(), "placing").shape == (10, 2)
    heard = Heard(stopped=True)
    with pytest.raises(Cancelled):
        place(unit_vectors(30), heard, "placing")
    assert len(heard.seen) < 5
