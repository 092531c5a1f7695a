"""Which rows go through an encoder together."""

import numpy as np
import pytest

from model.passes import PassSize, chunks, token_batches


@pytest.mark.parametrize(
    ("lengths", "limit", "batches"),
    [
        ([], 10, []),
        ([3, 9, 4, 2], 10, [[1], [2, 0], [3]]),
        ([5, 5, 5, 5], 10, [[0, 1], [2, 3]]),
        ([50, 1], 10, [[0], [1]]),  # one that is longer than the limit goes alone
    ],
)
def test_batches_hold_like_lengths_within_the_limit(lengths, limit, batches):
    assert token_batches(lengths, limit) == batches


def test_every_text_is_in_one_batch_whose_padded_size_is_bounded():
    lengths = np.random.default_rng(0).integers(2, 256, 500).tolist()
    batches = token_batches(lengths, 4096)
    assert sorted(i for batch in batches for i in batch) == list(range(500))
    assert all(max(lengths[i] for i in batch) * len(batch) <= 4096 for batch in batches)
