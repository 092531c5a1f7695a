"""Rankings made into one, by hand."""

import pytest

from model.finding.fusion import share_fusion


def test_of_equal_sums_the_first_in_the_alphabet_comes_first():
    assert list(share_fusion([(1.0, {"b": 1.0}), (1.0, {"a": 1.0})])) == ["a", "b"]


def test_shares_of_the_best_score_by_hand():
    fused = share_fusion([(1.0, {"a": 8.0, "b": 2.0}), (2.0, {"b": 0.5, "c": 0.2, "a": -0.1})])
    assert list(fused) == ["b", "a", "c"]
    assert fused == pytest.approx({"a": 1.0, "b": 0.25 + 2.0, "c": 0.8})
    assert share_fusion([(1.0, {"a": -1.0}), (1.0, {})]) == {"a": 0.0} and share_fusion([]) == {}
