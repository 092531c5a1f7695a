"""Layout of article and question: borders, segments, and what is cut."""

from types import SimpleNamespace

import pytest

from model.finding.reader import Borders, Laid, laid_out

MARKS = Borders(first=101, between=102)


def test_sentences_take_turns_between_the_segments_and_the_facets_come_last() -> None:
    laid = laid_out([[1, 2], [3], [4, 5]], [7, 8], MARKS, 64)
    assert laid.ids == [101, 1, 2, 102, 3, 102, 4, 5, 102, 7, 8, 102]
    assert laid.segments == [0, 0, 0, 0, 1, 1, 0, 0, 0, 1, 1, 1]
    assert laid.ids[laid.facets : -1] == [7, 8]


def test_the_end_of_the_article_is_cut_before_the_facets_are() -> None:
    laid = laid_out([[1, 2, 3, 4], [5, 6, 7, 8]], [9, 10], MARKS, 12)
    assert len(laid) == 12
    assert laid.ids == [101, 1, 2, 3, 4, 102, 5, 6, 102, 9, 10, 102]


def test_a_long_question_leaves_room_for_the_article() -> None:
    laid = laid_out([[1] * 50], [2] * 50, MARKS, 20)
    assert len(laid) == 20
    assert laid.ids.count(2) == 8 and laid.ids.count(1) == 9


def test_without_facets_the_article_stands_alone() -> None:
    assert laid_out([[1]], [], MARKS, 20) == Laid([101, 1, 102], [0, 0, 0], 3)


def test_a_tokenizer_with_other_borders_is_read_by_these_and_one_without_any_is_refused() -> None:
    other = SimpleNamespace(cls_token_id=None, bos_token_id=0, sep_token_id=None, eos_token_id=2)
    assert Borders.of(other) == Borders(0, 2)
    with pytest.raises(ValueError, match="no tokens that begin and part texts"):
        Borders.of(SimpleNamespace(cls_token_id=None, bos_token_id=None, sep_token_id=None, eos_token_id=2))
