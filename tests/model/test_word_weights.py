"""Words are weighed as scikit-learn weighs them, by the rows that may be looked at alone."""

import numpy as np
import pytest
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer

from model.word_weights import kept_columns, weighed

SEEN = ["gene gene editing", "editing of cells", "cells of mice"]


def test_the_weights_are_those_of_scikit_learn() -> None:
    counts = CountVectorizer(dtype=np.float32).fit_transform(SEEN)
    columns, idf = kept_columns(counts, 2)
    expected = TfidfVectorizer(min_df=2, sublinear_tf=True).fit(SEEN)
    assert idf == pytest.approx(expected.idf_)
    assert weighed(counts, columns, idf).toarray() == pytest.approx(expected.transform(SEEN).toarray())


def test_a_word_that_was_never_seen_changes_nothing() -> None:
    counts = CountVectorizer(dtype=np.float32).fit_transform([*SEEN, "editing of cells", "editing of cells anew", ""])
    columns, idf = kept_columns(counts[:3], 1)
    found = weighed(counts, columns, idf).toarray()
    assert found[3].tolist() == found[4].tolist() == found[1].tolist()
    assert not found[5].any()
