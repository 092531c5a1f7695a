"""Two readers mixed, and where sentences stand, by numbers computed by hand."""

from pathlib import Path

import numpy as np
import pytest

from model.roles.shares import Shares, mixed, placed, places_of, with_neighbours


def test_a_share_weighs_the_logarithms_of_two_readers():
    words, encoder = np.array([[0.8, 0.2]]), np.array([[0.2, 0.8]])
    assert mixed(words, encoder, 0) == pytest.approx(words, abs=1e-5)
    assert mixed(words, encoder, 1) == pytest.approx(encoder, abs=1e-5)
    assert mixed(words, encoder, 0.5) == pytest.approx(np.array([[0.5, 0.5]]))
    # .8^.75 .2^.25 = .5657 and .2^.75 .8^.25 = .2828: two to one
    assert mixed(words, encoder, 0.25) == pytest.approx(np.array([[2 / 3, 1 / 3]]), abs=1e-4)


def test_a_reader_that_is_quite_sure_does_not_silence_the_other():
    found = mixed(np.array([[1.0, 0.0]]), np.array([[0.0, 1.0]]), 0.5)
    assert found == pytest.approx(np.array([[0.5, 0.5]]))


def test_begin_and_end_of_an_abstract_are_at_right_angles():
    found = placed(np.array([0, 0.5, 1, np.nan]), 4)
    assert found == pytest.approx(np.array([[1, 0], [0.5**0.5, 0.5**0.5], [0, 1], [0, 0]]), abs=1e-6)
    assert placed(None, 2).tolist() == [[0, 0], [0, 0]]


def test_places_run_from_nothing_to_one():
    assert places_of(3).tolist() == [0, 0.5, 1]
    assert places_of(1).tolist() == [0]
    assert places_of(0).tolist() == []


def test_shares_are_read_as_they_were_written(tmp_path: Path):
    shares = Shares(abstracts=0.3, place=0.75)
    shares.save(tmp_path)
    assert Shares.load(tmp_path) == shares


def test_neighbours_of_one_abstract_count():
    rows = np.eye(4)
    found = with_neighbours(rows, np.array([0, 1, 0, np.nan]), 0.75)
    assert found == pytest.approx(np.array([[0.8, 0.6, 0, 0], [0.6, 0.8, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]))
    assert with_neighbours(rows, None, 0.75) is rows
