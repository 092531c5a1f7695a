"""Scores of sentences by what stands around them: the sums of the fit, and nothing across the ends of an abstract."""

from pathlib import Path

import numpy as np
import pytest
from scipy import sparse

from model.roles.neighbour_scores import NEIGHBOUR, PLACE, PLACES, NeighbourScorer, places_of

TERMS = 2


def scorer() -> NeighbourScorer:
    """Weights that count the first term of a sentence as 1, of the one before as 10, of the one behind as 100."""
    weights = np.zeros((3 * TERMS + PLACES + 1, 5))
    weights[[0, TERMS, 2 * TERMS], 0] = (1, 10, 100)
    weights[3 * TERMS + 10, 0] = 1000  # the first sentence
    weights[-1, 0] = 5
    return NeighbourScorer(weights)


def test_a_sentence_is_scored_by_its_words_those_beside_it_and_its_place() -> None:
    features = sparse.csr_array(np.array([[1, 0], [1, 0], [0, 1], [1, 0]], dtype=np.float32))
    found = scorer()(features, [2, 2])
    first = 5 + PLACE * 1000
    assert found[:, 0].tolist() == [first + 1 + 100 * NEIGHBOUR, 5 + 1 + 10 * NEIGHBOUR, first + 100 * NEIGHBOUR, 5 + 1]
    assert not found[:, 1:].any()


def test_what_is_learnt_scores_as_it_did_while_it_learnt(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    features = sparse.csr_array(rng.random((60, 7)).astype(np.float32))
    made, unseen = NeighbourScorer.fit(lambda seen: features, np.arange(60) % 5, [6] * 10, 0)
    made.save(tmp_path)
    found = made(features, [6] * 10)
    assert unseen.shape == found.shape == (60, 5)
    assert NeighbourScorer.load(tmp_path)(features, [6] * 10) == pytest.approx(found)
    assert (found.argmax(axis=1) == np.arange(60) % 5).mean() > 0.5  # five roles, and the place tells of them
    alone = [made(features[start : start + 6], [6]) for start in range(0, 60, 6)]
    assert np.concatenate(alone) == pytest.approx(found)


def test_places_are_tenths_and_how_near_an_end_is() -> None:
    assert places_of(1).sum() == 3 and places_of(0).shape == (0, PLACES)
    assert np.flatnonzero(places_of(10)[9]).tolist() == [9, 14]
