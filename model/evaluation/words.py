"""What plain words tell of texts, as a baseline for vectors: which words, and runs of words and letters, they hold.

In: texts. Out: sparse rows. scikit-learn is imported by the functions that need it.
"""

import re
from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy

_WORD = re.compile(r"\w+")
TOKEN = r"\w+|[^\w\s]"
LEAST = 2  # texts that hold it; rarer ones tell nothing of others


def word_rows(train: Sequence[Sequence[str]], test: Sequence[Sequence[str]]) -> tuple[Any, Any]:
    """Sparse rows of 0 and 1 of the training and the test items, each of one text or of two: one to three words in a
    row, known only from the training texts.

    Of two texts: what only one of them holds, what both do, and in which tenth the overlap of their words lies.
    """
    from sklearn.feature_extraction.text import CountVectorizer  # noqa: PLC0415 (scikit-learn takes a second)

    counting = CountVectorizer(ngram_range=(1, 3), binary=True, min_df=LEAST, token_pattern=TOKEN)
    counting.fit([text for texts in train for text in texts])
    return _rows(counting, train), _rows(counting, test)


def _rows(counting: Any, items: Sequence[Sequence[str]]) -> "scipy.sparse.csr_matrix":
    sides = [counting.transform([texts[side] for texts in items]).astype(float) for side in range(len(items[0]))]
    if len(sides) == 1:
        return scipy.sparse.csr_matrix(sides[0])
    one, other = sides
    return scipy.sparse.csr_matrix(scipy.sparse.hstack([abs(one - other), one.multiply(other), _tenths(items)]))


def _tenths(items: Sequence[Sequence[str]]) -> "scipy.sparse.csr_matrix":
    """For each tenth of both overlaps whether it is reached, shape (n, 20)."""
    overlaps = np.array([overlap(texts[0], texts[1]) for texts in items])
    reached = overlaps[:, :, None] >= np.linspace(0.1, 1, 10) - 1e-9
    return scipy.sparse.csr_matrix(reached.reshape(len(items), -1).astype(float))


def word_cosines(pairs: Sequence[tuple[str, str]]) -> np.ndarray:
    """Cosine of each pair's TF-IDF rows, 0 to 1, shape (n,), of words, word pairs and letters in these texts."""
    from sklearn.feature_extraction.text import TfidfVectorizer  # noqa: PLC0415 (scikit-learn takes a second)
    from sklearn.pipeline import FeatureUnion  # noqa: PLC0415 (scikit-learn takes a second)

    words = TfidfVectorizer(ngram_range=(1, 2), sublinear_tf=True)
    letters = TfidfVectorizer(analyzer="char_wb", ngram_range=(2, 5), sublinear_tf=True)
    weighing = FeatureUnion([("words", words), ("letters", letters)])
    weighing.fit([text for pair in pairs for text in pair])
    one, other = (weighing.transform([pair[side] for pair in pairs]) for side in (0, 1))
    lengths = np.sqrt(np.asarray(one.multiply(one).sum(axis=1)) * np.asarray(other.multiply(other).sum(axis=1)))
    products = np.asarray(one.multiply(other).sum(axis=1))
    cosines = np.divide(products, lengths, out=np.zeros_like(products, dtype=float), where=lengths > 0)
    return np.asarray(cosines.ravel())


def overlap(one: str, other: str) -> tuple[float, float]:
    """(Jaccard, share of the shorter text's words that the longer one has), both 0 to 1; 0 for texts without words."""
    first, second = (set(_WORD.findall(text.lower())) for text in (one, other))
    if not first or not second:
        return 0.0, 0.0
    common = len(first & second)
    return common / len(first | second), common / min(len(first), len(second))
