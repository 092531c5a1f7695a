"""Pseudo-queries: what fits a question, against numbers computed by hand."""

import numpy as np
import pytest

from model.finding.pseudo_queries import WordVectors, merged, rouge_recall, symmetric_s_cos, terms_of

VECTORS = WordVectors({"heart": 0, "cardiac": 1, "lung": 2}, np.array([[1, 0], [0.8, 0.6], [0, 1]], dtype=np.float32))


def test_terms_are_distinct_words_without_stop_words() -> None:
    assert terms_of("The heart, and the Heart with IL-6 of p53") == ["heart", "il-6", "p53"]
    assert terms_of("of the and") == []


def test_rouge_recall_is_the_share_of_the_question_that_is_there() -> None:
    assert rouge_recall(["heart", "lung", "p53"], ["lung", "p53", "mice"]) == pytest.approx(2 / 3)
    assert rouge_recall([], ["lung"]) == 0.0


def test_s_cos_takes_the_best_word_for_each_and_is_the_mean_of_both_ways() -> None:
    there, back = (0.8 + 0.6) / 2, 0.8
    assert symmetric_s_cos(["heart", "lung"], ["cardiac"], VECTORS) == pytest.approx((there + back) / 2)
    there, back = 0.8, (0.8 + 0.0) / 2
    assert symmetric_s_cos(["heart"], ["cardiac", "lung"], VECTORS) == pytest.approx((there + back) / 2)
    assert symmetric_s_cos(["heart"], [], VECTORS) == symmetric_s_cos([], ["heart"], VECTORS) == 0.0


def test_a_word_without_a_vector_is_like_itself_alone() -> None:
    assert symmetric_s_cos(["p53", "p21"], ["p53", "heart"], VECTORS) == pytest.approx(0.5)


def test_outputs_are_merged_in_order() -> None:
    assert merged(["a", "b"], ["b", "c"]) == ["a", "b", "c"]
