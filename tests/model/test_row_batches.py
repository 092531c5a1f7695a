"""Which rows go through an encoder together."""

import numpy as np
import pytest

from model.row_batches import PassSize, chunks, shares, token_batches


@pytest.mark.parametrize(
    ("lengths", "limit", "batches"),
    [
        ([], 10, []),
        ([3, 9, 4, 2], 10, [[1], [2, 0], [3]]),
        ([5, 5, 5, 5], 10, [[0, 1], [2, 3]]),
        ([50, 1], 10, [[0], [1]]),  # one that is longer than the limit goes alone
        ([0, 3, 0], 3, [[1], [0, 2]]),
    ],
)
def test_batches_hold_like_lengths_within_the_limit(lengths, limit, batches):
    assert token_batches(lengths, limit) == batches


def test_every_text_is_in_one_batch_whose_padded_size_is_bounded():
    lengths = np.random.default_rng(0).integers(2, 256, 500).tolist()
    batches = token_batches(lengths, 4096)
    assert sorted(i for batch in batches for i in batch) == list(range(500))
    assert all(max(lengths[i] for i in batch) * len(batch) <= 4096 for batch in batches)


SIZES = {"cpu": PassSize(768, fill=0.75), "gpu": PassSize(8_192, fixed_cost=2_048)}


@pytest.mark.parametrize("size", SIZES.values(), ids=SIZES)
@pytest.mark.parametrize("parts", [1, 3])
@pytest.mark.parametrize("rows", [1, 7, 64, 301])
def test_every_row_is_in_one_pass(size, parts, rows):
    lengths = np.random.default_rng(rows).integers(2, 256, rows).tolist()
    passes = chunks(lengths, size, parts)
    assert sorted(place for each in passes for place in each) == list(range(rows))
    assert all(lengths[each[0]] == max(lengths[place] for place in each) for each in passes)
    assert len(passes) >= min(parts, rows)


@pytest.mark.parametrize("parts", [2, 3, 4, 8])
def test_parts_are_of_like_size(parts):
    """Devices that share a step wait for the one with most; by hand the largest would be 1.0 to 1.1 of the mean."""
    lengths = np.random.default_rng(0).lognormal(3.4, 0.5, 200).astype(int).tolist()
    passes = chunks(lengths, SIZES["gpu"], parts)
    sizes = [len(each) * lengths[each[0]] for each in passes]
    assert len(passes) == parts and max(sizes) < 1.2 * np.mean(sizes)


def test_parts_that_are_too_large_for_one_pass_of_a_gpu_become_a_multiple_of_them():
    passes = chunks([40] * 1024, SIZES["gpu"], 2)
    assert len(passes) == 6 and all(40 * len(each) <= 8_192 for each in passes)
    assert len(chunks([40] * 1024, SIZES["cpu"], 2)) == 2
    assert [len(each) for each in chunks([9_000, 9_000, 9_000], SIZES["gpu"], 2)] == [1, 1, 1]
    assert [len(each) for each in chunks([10] * 9, SIZES["gpu"], 4)] == [1, 2, 3, 3]


@pytest.mark.parametrize("parts", [1, 2, 3, 8, 500])
@pytest.mark.parametrize("rows", [1, 7, 301])
def test_shares_without_padding_hold_every_row_once_and_are_of_like_size(parts, rows):
    lengths = np.random.default_rng(rows).lognormal(3.4, 0.5, rows).astype(int).tolist()
    passes = shares(lengths, 2_000, parts)
    assert sorted(place for each in passes for place in each) == list(range(rows))
    assert len(passes) == min(rows, parts * -(-sum(lengths) // (2_000 * parts)))
    sizes = [sum(lengths[place] for place in each) for each in passes]
    if rows == 301 and parts <= 8:
        assert max(sizes) <= 2_000 + max(lengths) and max(sizes) < 1.2 * np.mean(sizes)


def test_shares_are_cut_where_their_sums_are_alike():
    assert shares([1, 5, 2, 8], 16) == [[3, 1, 2, 0]]
    assert shares([1, 5, 2, 8], 16, 2) == [[3], [1, 2, 0]]
    assert shares([1, 5, 2, 8], 3, 2) == [[3], [1], [2], [0]]
    assert shares([9, 9, 9], 100, 2) == [[0, 1], [2]]


def test_no_rows_have_no_passes():
    assert [chunks([], size) for size in SIZES.values()] == [[], []]
    assert shares([], 100, 2) == []


def test_a_pass_of_a_cpu_ends_once_it_is_full_and_the_next_rows_are_much_shorter():
    lengths = [40] * 16 + [30] * 8 + [29] * 8 + [10] * 8
    assert [len(each) for each in chunks(lengths, PassSize(640, fill=0.75))] == [24, 16]
    assert [len(each) for each in chunks(lengths, PassSize(2_000, fill=0.75))] == [40]


def test_passes_of_a_gpu_cost_least_in_tokens_and_starts():
    lengths = [100] * 8 + [10] * 72
    # Together 8,000 tokens; apart 800 + 720, and one more start.
    assert [len(each) for each in chunks(lengths, PassSize(10_000, fixed_cost=6_000))] == [8, 72]
    assert [len(each) for each in chunks(lengths, PassSize(10_000, fixed_cost=7_000))] == [80]
    assert [len(each) for each in chunks([100] * 32, PassSize(1_600, fixed_cost=1))] == [16, 16]
    assert [len(each) for each in chunks([100] * 16, PassSize(100, fixed_cost=1))] == [8, 8]  # never less than a group


@pytest.mark.parametrize("seed", range(5))
def test_no_other_cut_costs_less(seed):
    """All ways to cut six groups, tried."""
    lengths = sorted(np.random.default_rng(seed).integers(5, 200, 44).tolist(), reverse=True)
    size = PassSize(100_000, fixed_cost=400)

    def cost(sizes):
        starts = np.cumsum([0, *sizes[:-1]])
        return sum(lengths[start] * rows + size.fixed_cost for start, rows in zip(starts, sizes, strict=True))

    ways = []
    for bits in range(32):
        cuts = [0, *(8 * (n + 1) for n in range(5) if bits >> n & 1), 44]
        ways.append(cost(np.diff(cuts).tolist()))
    assert cost([len(each) for each in chunks(lengths, size)]) == min(ways)
