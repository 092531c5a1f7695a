"""Vectors of length 1, whose products are cosines."""

import numpy as np

LEAST = 1e-9  # shorter vectors count as this long, so that nothing is divided by 0


def unit(vectors: np.ndarray) -> np.ndarray:
    """The vectors, shape (d,) or (n, d), each scaled to length 1, float32 or better.

    Vectors of length 0 stay; those shorter than LEAST become shorter than 1.
    """
    wide = vectors.astype(np.result_type(vectors, np.float32), copy=False)
    lengths = np.linalg.norm(wide, axis=-1, keepdims=True)
    return np.asarray(wide / np.maximum(lengths, np.asarray(LEAST, dtype=wide.dtype)))
