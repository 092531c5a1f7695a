"""Vectors of length 1, whose products are cosines."""

import numpy as np

LEAST = 1e-9  # a vector shorter than that is not made longer


def unit(vectors: np.ndarray) -> np.ndarray:
    """The same vectors, shape (d,) or (n, d), each of length 1, float32 or better; those of length 0 stay."""
    wide = vectors.astype(np.result_type(vectors, np.float32), copy=False)
    lengths = np.linalg.norm(wide, axis=-1, keepdims=True)
    return np.asarray(wide / np.maximum(lengths, np.asarray(LEAST, dtype=wide.dtype)))
