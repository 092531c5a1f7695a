"""The map of vectors on a toy: hand-written digits, each a "work" that the article of its class cites."""

import numpy as np
import pytest
from safetensors.numpy import load_file
from sklearn.datasets import load_digits

from model.training.related.mapping import FILE, fit, save
from model.training.related.related_settings import PairLoss, RelatedSettings


def unit(vectors: np.ndarray) -> np.ndarray:
    return (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)


@pytest.fixture(scope="module")
def digits():
    found = load_digits()
    return unit(found.data[::3]), found.target[::3], unit(found.data[1::3]), found.target[1::3]


def classes_of(vectors: np.ndarray, labels: np.ndarray) -> np.ndarray:
    return unit(np.stack([vectors[labels == digit].mean(axis=0) for digit in range(10)]))


@pytest.mark.parametrize("loss", list(PairLoss))
def test_each_loss_raises_the_accuracy_on_digits_that_it_has_not_seen(digits, loss):
    seen, seen_labels, unseen, labels = digits
    means = classes_of(seen, seen_labels)
    cited = [np.flatnonzero(seen_labels == digit) for digit in range(10)]
    against = [np.flatnonzero(seen_labels != digit) for digit in range(10)]
    settings = RelatedSettings(loss=loss, epochs=60, articles=10, cited=16, learning_rate=3e-3, weight_decay=1e-4)
    matrix = fit(means, seen, cited, against, settings)

    def accuracy(matrix: np.ndarray) -> float:
        centres = classes_of(unit(seen @ matrix), seen_labels)
        return float(np.mean((unit(unseen @ matrix) @ centres.T).argmax(axis=1) == labels))

    before = accuracy(np.eye(seen.shape[1], dtype=np.float32))
    assert accuracy(matrix) > before + 0.02


def test_the_same_seed_gives_the_same_map_and_a_folder_keeps_it(tmp_path):
    vectors = unit(np.random.default_rng(1).normal(size=(6, 4)))
    lists = [np.array([0, 1]), np.array([2, 3])]
    settings = RelatedSettings(epochs=2, articles=2, cited=2)
    one, two = (fit(vectors[4:], vectors[:4], lists, lists[::-1], settings) for _ in range(2))
    assert np.array_equal(one, two)
    save(one, [3, -4], tmp_path)
    assert np.array_equal(load_file(str(tmp_path / FILE))["map"], one)
