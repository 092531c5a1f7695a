"""What key sentences of every topic have in common."""

from dataclasses import replace

import numpy as np
import pytest

from model.active_learning.common import COMMON_COLUMNS, common_columns, common_weights, with_common
from model.active_learning.features import FEATURES, features_of, hybrid_of, prior_of
from model.active_learning.structure import STRUCTURE, structure_of
from model.proposing.ranking import Pool, by_cosine, by_hybrid, by_terms, standardised, top_k
from model.proposing.rules import BLANK, CosineWeights

COMMON = replace(BLANK, common=2.0, cosine=CosineWeights(1.0, 1.0, 1.0))
SENTENCES = (
    "Sleep has been studied by others (Smith et al, 2004) and may matter to health in general.",
    "The aim of this work was to describe what is known of sleep in older people in towns.",
    "Sleep was longer with warm feet than with cold feet (7.2 and 6.1 hours, p < 0.01, Figure 2).",
    "The beds were bought in a shop nearby and were put up according to the instructions.",
)


def test_every_column_has_a_shipped_weight():
    assert common_weights().shape == (len(COMMON_COLUMNS),) and np.isfinite(common_weights()).all()
    assert len({*COMMON_COLUMNS}) == len(COMMON_COLUMNS)


@pytest.mark.parametrize("n", [0, 1, 4])
def test_the_columns_are_standardised_within_the_article(n):
    columns = common_columns(Pool(SENTENCES[:n]))
    assert columns.shape == (n, len(COMMON_COLUMNS))
    negation = structure_of(SENTENCES[:n])[:, STRUCTURE.index("statistics")]
    assert columns[:, COMMON_COLUMNS.index("statistics")] == pytest.approx(standardised(negation))


def test_a_finding_with_its_statistics_is_like_key_sentences_of_other_topics():
    pool = with_common(Pool(SENTENCES, rules=COMMON))
    assert pool.common is not None and top_k(pool.common, 1) == [2] and abs(pool.common.mean()) < 0.5


def test_it_is_one_more_term_of_the_hybrid_and_one_more_feature():
    pool = with_common(Pool(SENTENCES, np.array([0.4, 0.1, 0.2, 0.3]), cosine_weight=1.0, rules=COMMON))
    assert by_terms(pool) == pytest.approx(2 * pool.common)
    assert by_hybrid(pool) == pytest.approx(2 * pool.common + standardised(by_cosine(pool)))
    features = features_of(pool)
    assert features[:, FEATURES.index("common")] == pytest.approx(pool.common)
    assert features @ hybrid_of(COMMON, 1.0) == pytest.approx(by_hybrid(pool))
    assert features @ prior_of(COMMON, 1.0) == pytest.approx(standardised(by_cosine(pool)))  # what learns begins there


def test_where_the_topic_does_not_weigh_it_nothing_is_computed_and_the_cosine_ranks():
    pool = with_common(Pool(SENTENCES, np.array([0.4, 0.1, 0.2, 0.3]), rules=BLANK))
    assert pool.common is None and top_k(by_hybrid(pool), 1) == [0]
    with pytest.raises(ValueError, match="common has 3 values for 4 sentences"):
        replace(pool, common=np.zeros(3))
