"""A topic by examples learns from a sample of the sentences that nobody judged."""

import numpy as np
import pytest

from annotate.active_learning.article_features import store_features
from annotate.active_learning.taught_examples import teach_examples
from annotate.curation.removal import remove
from annotate.project.home import read
from annotate.proposing.examples import Likeness, example_likeness, likeness
from annotate.proposing.propose import pools_of
from annotate.proposing.unlabelled import keep_sample, sample_of, sample_row, unlabelled_of
from annotate.topics.file import read_topic
from annotate.topics.project_topic import use_topic
from model.active_learning import self_training
from tests.support.making import (
    embed_examples,
    judge,
    paper,
    pmids,
    propose_with,
    store,
    store_cosines,
    verdict,
    version_without_weights,
)
from tests.support.topics import BY_EXAMPLES

RULES = read_topic(BY_EXAMPLES).rules
QUERY = "What lets people sleep?"
TRAIN = 4  # articles; one more is of test


def text(number: int) -> tuple[str, ...]:
    """One sentence like the examples, with a word that these lack, and three that are not."""
    others = tuple(f"Form {number} {place} was sent by mail." for place in range(3))
    return (f"Warm hammocks let people sleep on day {number}.", *others)


def embed(version, article_id: int) -> None:
    store_cosines(version, article_id, QUERY, (0.9, 0.0, 0.1, 0.2))


@pytest.fixture
def version(home, monkeypatch):
    """A proposing version under the topic by examples; few sentences are enough."""
    monkeypatch.setattr(self_training, "FEWEST", 10)
    monkeypatch.setattr(self_training, "LIKELY", 0.25)
    store(*(paper(text(place), pmid=pmid) for place, pmid in enumerate([*pmids("train", TRAIN), *pmids("test", 1)])))
    made = version_without_weights("tiny")
    propose_with(made)
    for article_id in range(1, TRAIN + 2):
        embed(made, article_id)
    use_topic(BY_EXAMPLES, by="Mary")
    embed_examples(made, RULES.examples)
    return made


def sample() -> list[int]:
    with read() as session:
        row = sample_row(session)
        return sorted(row.content["article_ids"]) if row else []


def like(version, article_id: int) -> np.ndarray:
    with read() as session:
        return pools_of(session, version, [article_id])[article_id].pool.like


def test_the_sample_holds_embedded_articles_but_none_of_the_test_split_and_stays(version, monkeypatch):
    assert sample() == []
    keep_sample(version)
    assert sample() == [1, 2, 3, 4]
    with read() as session:
        first = sample_row(session).id
    keep_sample(version)
    with read() as session:
        assert sample_row(session).id == first
    store(paper(text(9), pmid=pmids("train", TRAIN + 1)[-1]))
    keep_sample(version)
    assert sample() == [1, 2, 3, 4]  # the new one is not embedded yet
    embed(version, 6)
    monkeypatch.setattr("annotate.proposing.unlabelled.SENTENCES", 16)
    keep_sample(version)
    assert sample() == [1, 2, 3, 4]  # there are enough
    monkeypatch.setattr("annotate.proposing.unlabelled.SENTENCES", 17)
    keep_sample(version)
    assert sample() == [1, 2, 3, 4, 6]


def test_what_was_removed_leaves_the_sample(version):
    keep_sample(version)
    remove([2])
    keep_sample(version)
    assert sample() == [1, 3, 4]


def test_a_topic_whose_examples_weigh_nothing_has_none(version):
    use_topic(BY_EXAMPLES.replace("  accepted:", "  weight: 0\n  accepted:"), by="Mary")
    keep_sample(version)
    assert sample() == []


def test_the_sample_teaches_a_word_that_no_example_has(version):
    before = like(version, 5)
    keep_sample(version)
    after = like(version, 5)
    assert after[0] - after[1:].max() > before[0] - before[1:].max()
    with read() as session:
        ranker = likeness(session, version, RULES).ranker_for(5)
    assert ranker.terms["hammocks"] > 0


def test_what_a_preview_shows_is_what_will_be_proposed(version):
    with read() as session:
        tried = example_likeness(session, version, RULES).ranker_for(0)
    keep_sample(version)
    with read() as session:
        used = likeness(session, version, RULES).ranker_for(5)
    assert tried.terms == used.terms


def test_a_preview_follows_what_was_embedded_since(version):
    store(paper(text(9), pmid=pmids("train", TRAIN + 1)[-1]))

    def tried() -> Likeness | None:
        with read() as session:
            return example_likeness(session, version, RULES)

    before = tried()
    assert tried() is before
    embed(version, 6)
    assert tried() is not before


def test_features_follow_a_changed_sample_once(version):
    everything = [*range(1, TRAIN + 2)]
    assert store_features(version) == everything
    keep_sample(version)
    assert store_features(version) == everything and store_features(version) == []


def test_judged_sentences_are_no_guesses_and_the_cosine_ranks_the_others(version):
    keep_sample(version)
    with read() as session:
        ids = sample_of(session, version)
        found = unlabelled_of(session, version, RULES, ids, {1: [0, 2]})
    assert len(found.texts) == len(found.vectors) == len(found.other) == 4 * TRAIN - 2
    assert text(0)[0] not in found.texts and text(0)[1] in found.texts and text(1)[0] in found.texts
    best = found.other[[place for place, one in enumerate(found.texts) if "hammocks" in one]]
    assert best.min() > 0 and best.min() >= found.other.max()


def test_verdicts_and_the_sample_teach_together(version):
    keep_sample(version)
    for article_id in (1, 2, 3):
        judge("Anna", article_id, verdict(0, "reject"), verdict(1))
    before = like(version, 5)
    assert teach_examples()
    after = like(version, 5)
    assert after[1] - after[0] > before[1] - before[0]
