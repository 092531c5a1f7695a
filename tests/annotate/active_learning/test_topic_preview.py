"""The preview of a changed topic: what it would rank first beside what the present one does."""

import pytest

from annotate.active_learning.topic_preview import preview
from annotate.project.home import read
from annotate.topics.file import read_topic, shipped
from annotate.topics.project_topic import use_topic
from tests.support.making import (
    judge,
    paper,
    propose_with,
    query,
    store,
    store_cosines,
    verdict,
    version_without_weights,
)
from tests.support.topics import GENERIC, SMALL, TOPIC

TEXT = (
    "Here we deleted TP53 in HeLa cells.",
    "Nothing was seen in the end.",
    "They fell asleep with warm feet on.",
    *[f"Sentence {number} says nothing of that." for number in range(5)],
)


@pytest.fixture
def version(home):
    """A proposing version with seven articles embedded by hand, of which the last has a key sentence."""
    store(*(paper(TEXT, pmid=str(number)) for number in range(1, 8)))
    made = version_without_weights("tiny")
    propose_with(made)
    for number in range(1, 8):
        store_cosines(made, number, GENERIC, [0.5, 0.4, 0.3, 0.2, 0.1, 0.1, 0.1, 0.1])
    judge("Anna", 7, verdict(2))
    return made


def test_five_articles_show_what_either_topic_ranks_first_and_the_labelled_one_comes_first(version):
    rows = preview(read_topic(SMALL))
    assert len(rows) == 5 and rows[0].article_id == 7
    assert [row.article_id for row in rows] == [row.article_id for row in preview(read_topic(SMALL))]
    first = rows[0]
    assert (first.now[0].text, first.changed[0].text) == (TEXT[0], TEXT[2])
    assert first.changed[0].is_key and not first.changed[0].only_here and first.query_is_new
    assert not any(sentence.is_key for row in rows[1:] for sentence in row.changed)
    assert query("SELECT count(*) FROM proposal_set") == [(0,)]  # looking stores nothing


def test_the_same_topic_shows_the_same_lists(version):
    for row in preview(TOPIC):
        assert row.now == row.changed and not row.query_is_new


def test_without_articles_there_is_nothing_to_show(home):
    propose_with(version_without_weights("tiny"))
    assert preview(shipped("blank")) == []


def test_a_topic_that_holds_is_what_is_there_now(version):
    use_topic(SMALL, by="Anna")
    with read():
        assert preview(TOPIC) == []  # its query waits to be embedded: there is nothing of now to show
