"""How many ranked sentences are shown at first."""

import numpy as np
import pytest

from model.proposing.shown import by_probability, by_share


@pytest.mark.parametrize(
    ("probabilities", "shown"), [([0.9, 0.5, 0.2, 0.1], 2), ([0.9, 0.5], 2), ([0.1, 0.1], 1), ([0.4, 0.6], 1), ([], 1)]
)
def test_those_that_reach_the_level_are_shown_and_one_at_least(probabilities, shown):
    assert by_probability(np.array(probabilities), 0.5) == shown


@pytest.mark.parametrize(
    ("sentences", "k", "shown"), [(1036, 5, 5), (4, 5, 2), (3, 5, 1), (1, 5, 1), (0, 5, 1), (8, 5, 3), (8, 2, 2)]
)
def test_a_share_of_the_sentences_is_shown_rounded_up_one_at_least_and_k_at_most(sentences, k, shown):
    assert by_share(sentences, k, 0.33) == shown
