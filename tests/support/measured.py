"""A project whose version was measured once, by tests of what becomes of the figures."""

import pytest

from annotate.evaluation.evaluate_version import evaluate
from db.tables import ModelVersion
from model.proposing.ranking import Ranking
from tests.support.making import (
    judge,
    paper,
    pmids,
    propose_with,
    store,
    store_cosines,
    verdict,
    version_without_weights,
)
from tests.support.topics import BEST_GENERIC, GENERIC_QUERIES


@pytest.fixture
def measured_once(home) -> ModelVersion:
    """The version tiny, measured by cosine on one test article, whose key sentence it ranks first."""
    store(paper(pmid=pmids("test", 1)[0]))
    version = version_without_weights("tiny")
    propose_with(version)
    store_cosines(version, 1, GENERIC_QUERIES[BEST_GENERIC], [0.1, 0.9, 0.2])
    judge("Anna", 1, verdict(1))
    evaluate(version, Ranking.COSINE, "test")
    return version
