"""Scores of sentences by their own words: what is held out is as unknown as a new article."""

import numpy as np
import pytest

from annotate.roles.labelled import labelled_abstract
from model.roles.text_scores import FOLDS, CountedTerms, TextScorer
from tests.support.roles import abstracts


def test_what_is_said_of_an_abstract_held_out_is_what_is_said_of_a_new_one() -> None:
    read = [labelled_abstract(row["sentences"], row["roles"]) for row in abstracts(40)]
    texts = np.array([text for one in read for text in one.sentences])
    roles = np.concatenate([one.roles for one in read])
    owner = np.repeat(np.arange(len(read)), [len(one.sentences) for one in read])
    _, unseen = TextScorer.fit(CountedTerms(texts), roles, owner, 0)
    fold = (np.random.default_rng(0).permutation(len(read)) % FOLDS)[owner]
    for own in range(FOLDS):
        others = fold != own
        scorer, _ = TextScorer.fit(CountedTerms(texts[others]), roles[others], owner[others], 0)
        assert unseen[~others] == pytest.approx(scorer(texts[~others]), abs=1e-4)
