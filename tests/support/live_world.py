"""A made-up project in which the ranking learns at once."""

import numpy as np

from annotate.active_learning.article_features import rows_for, store_features
from annotate.active_learning.heads import store_base
from annotate.active_learning.live_state import open_articles, state_of
from annotate.active_learning.queue import hand_out
from annotate.project.home import read
from annotate.project.stored_settings import change_settings
from annotate.proposing.propose import propose
from annotate.review.queue_settings import QueueSettings
from db.tables import ModelVersion
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

GENERIC = GENERIC_QUERIES[BEST_GENERIC]
# Two kinds of sentences that the fixed ranking likes alike: those with numbers, and those without.
TEXT = (
    "The gene is known to everybody here.",
    "Here we deleted TP53 in HeLa cells, as planned.",
    "Here we deleted TP53 in HeLa cells (p < 0.05, 12 %).",
    "The assay was measured in a buffer of salt.",
    "We generated a knockout of TP53 in HeLa cells by hand.",
    "We generated a knockout of TP53 in HeLa cells (p < 0.01, 31 %).",
    "Using CRISPR the gene TP53 was disrupted in HeLa cells.",
    "Using CRISPR the gene TP53 was disrupted (p < 0.02, 7 %).",
    "The rest was as it had been before.",
)
NUMBERS = {2, 5, 7}
RANDOM_NEVER = QueueSettings(strategy="score", random_share=0.0, blind_share=0.0)


def live_world() -> ModelVersion:
    """The version that proposes three sentences in each of eight articles, six of train and two of test."""
    made = version_without_weights("tiny")
    propose_with(made)
    numbers = [*pmids("train", 6), *pmids("test", 2)]
    store(*(paper(TEXT, pmid=number) for number in numbers))
    generator = np.random.default_rng(0)
    for article_id, _ in enumerate(numbers, start=1):
        store_cosines(made, article_id, GENERIC, generator.uniform(0.4, 0.6, len(TEXT)))
    propose(k=3)
    store_base(made, store_features(made))
    change_settings("Mary", RANDOM_NEVER)
    hand_out("Anna")  # Anna exists
    return made


def judge_all(annotator: str, article_id: int, *more: dict) -> None:
    """Accepts the sentences with numbers and rejects the others."""
    judge(annotator, article_id, *(verdict(p, "accept" if p in NUMBERS else "reject") for p in range(9)), *more)


def log_odds(article_id: int) -> np.ndarray:
    """By the head of now."""
    with read() as session:
        state = state_of(session)
        rows = rows_for(session, state.version.id, [article_id])[article_id]
        return state.learnt(session, article_id).head.log_odds(rows)


def held_by_anna() -> int:
    """The article that Anna works on."""
    with read() as session:
        return next(iter(open_articles(session)))
