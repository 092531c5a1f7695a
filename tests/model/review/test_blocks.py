"""Lots in blocks: each block holds its share exactly, in places left to chance, and says so in words."""

import numpy as np
import pytest

from model.review.blocks import BLOCK, chance, in_block, share_in_words


def block_of(share: float, rng: np.random.Generator, blocks: int = 1, **how: bool) -> list[bool]:
    """Which articles of these blocks are drawn, one after the other."""
    drawn: list[bool] = []
    for handed in range(BLOCK * blocks):
        so_far = sum(drawn[handed // BLOCK * BLOCK :])
        drawn.append(bool(rng.random() < chance(share, handed, so_far, **how)))
    return drawn


@pytest.mark.parametrize(("share", "each"), [(0.1, [2, 2, 2]), (0.02, [0, 0, 1]), (0.0, [0] * 3), (1.0, [20] * 3)])
def test_each_block_holds_its_share_exactly(share, each):
    drawn = block_of(share, np.random.default_rng(4), blocks=3)
    assert [sum(drawn[start : start + BLOCK]) for start in range(0, 3 * BLOCK, BLOCK)] == each
    assert [in_block(share, block) for block in range(3)] == each


def test_every_place_of_a_block_is_drawn_as_often_as_any_other():
    rng = np.random.default_rng(7)
    often = np.mean([block_of(0.25, rng) for _ in range(4_000)], axis=0)
    assert often == pytest.approx(np.full(BLOCK, 0.25), abs=0.03)
    spared = np.mean([block_of(0.25, rng, never_first=True) for _ in range(2_000)], axis=0)
    assert spared[0] == 0 and spared[1:] == pytest.approx(np.full(BLOCK - 1, 5 / 19), abs=0.04)


def test_what_was_drawn_too_often_is_not_made_up_for():
    assert chance(0.1, handed=15, drawn=15) == 0
    assert chance(0.1, handed=20, drawn=0) == 0.1
    assert chance(0.1, handed=19, drawn=0) == 1


@pytest.mark.parametrize(
    ("share", "told"),
    [
        (0.25, "5 of every 20 articles"),
        (0.05, "1 of every 20 articles"),
        (0.125, "5 of every 40 articles"),
        (0.04, "4 of every 100 articles"),
        (1.0, "20 of every 20 articles"),
        (0.12345, "12.35% of the articles"),
    ],
)
def test_a_share_is_told_as_articles(share, told):
    assert share_in_words(share) == told
