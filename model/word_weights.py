"""Words weighed by TF-IDF: what the learners count, weighed by what the articles that they learn from hold."""

import numpy as np
import scipy


def kept_columns(counts: "scipy.sparse.csr_matrix", least: int) -> tuple[np.ndarray, np.ndarray]:
    """(the columns that stand in at least `least` rows, their inverse document frequencies, both of shape (c,)),
    smoothed as scikit-learn has it."""
    frequency = np.bincount(counts.indices, minlength=counts.shape[1])
    columns = np.flatnonzero(frequency >= least)
    return columns, np.log((1 + counts.shape[0]) / (1 + frequency[columns])) + 1


def weighed(counts: "scipy.sparse.csr_matrix", columns: np.ndarray, idf: np.ndarray) -> "scipy.sparse.csr_matrix":
    """(1 + ln count) * idf of these columns, shape (n, c), rows of length 1, as exact as `idf`."""
    rows = counts[:, columns].astype(idf.dtype)
    rows.data = (1 + np.log(rows.data)) * idf[rows.indices]
    row = np.repeat(np.arange(rows.shape[0]), np.diff(rows.indptr))
    lengths = np.sqrt(np.bincount(row, rows.data**2, minlength=rows.shape[0])).astype(idf.dtype)
    rows.data /= np.maximum(lengths, 1e-9)[row]
    return rows
