"""Reciprocal rank fusion by hand."""

import pytest

from model.finding.fusion import reciprocal_rank_fusion, share_fusion


def test_sums_of_reciprocal_ranks_by_hand():
    fused = reciprocal_rank_fusion([(1.0, ["a", "b"]), (2.0, ["b", "c"])])
    assert list(fused) == ["b", "c", "a"]
    assert fused == pytest.approx({"b": 1 / 62 + 2 / 61, "c": 2 / 62, "a": 1 / 61})


def test_of_equal_sums_the_first_in_the_alphabet_comes_first():
    assert list(reciprocal_rank_fusion([(1.0, ["b"]), (1.0, ["a"])])) == ["a", "b"]


def test_shares_of_the_best_score_by_hand():
    fused = share_fusion([(1.0, {"a": 8.0, "b": 2.0}), (2.0, {"b": 0.5, "c": 0.2, "a": -0.1})])
    assert list(fused) == ["b", "a", "c"]
    assert fused == pytest.approx({"a": 1.0, "b": 0.25 + 2.0, "c": 0.8})
    assert share_fusion([(1.0, {"a": -1.0}), (1.0, {})]) == {"a": 0.0}


def test_no_ranking_gives_nothing():
    assert reciprocal_rank_fusion([]) == {}
