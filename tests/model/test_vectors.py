"""Vectors of length 1."""

import numpy as np
import pytest

from model.vectors import unit


@pytest.mark.parametrize("precision", [np.float16, np.float32, np.float64])
def test_each_row_has_the_length_1_and_nothing_stays_nothing(precision: type) -> None:
    rows = np.array([[3.0, 4.0], [0.0, 0.0], [0.0, -2.0]], dtype=precision)
    found = unit(rows)
    assert found.dtype == (np.float64 if precision is np.float64 else np.float32)
    np.testing.assert_allclose(found, [[0.6, 0.8], [0, 0], [0, -1]], rtol=1e-6)
    np.testing.assert_array_equal(unit(rows[0]), found[0])
    assert unit(np.zeros((0, 2), dtype=precision)).shape == (0, 2)
