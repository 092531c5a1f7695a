"""A topic by examples: what is learnt from ten sentences ranks the sentences of all articles, and says why."""

import pytest

import db.proposing
from annotate.active_learning.article_rankers import why
from annotate.active_learning.topic_preview import preview
from annotate.project.home import read
from annotate.proposing.embed import embed
from annotate.proposing.encoders import add_encoder
from annotate.proposing.examples import all_embedded, example_ranker
from annotate.proposing.propose import NotEmbedded, pools_of, propose
from annotate.topics.file import read_topic
from annotate.topics.project_topic import use_topic
from tests.support.making import (
    embed_examples,
    paper,
    propose_with,
    query,
    store,
    store_cosines,
    version_without_weights,
)
from tests.support.topics import BY_EXAMPLES

QUERY = "What lets people sleep?"
TEXT = (
    "The letter was sent by the clinic.",
    "Warm hands let people sleep, as was seen.",
    "Nothing at all was seen in the end.",
)
RULES = read_topic(BY_EXAMPLES).rules
EXAMPLES = RULES.examples


@pytest.fixture
def version(home):
    """A proposing version with an article whose cosines say the contrary of the examples, which wait."""
    store(paper(TEXT, pmid="1"))
    made = version_without_weights("tiny")
    propose_with(made)
    store_cosines(made, 1, QUERY, (0.9, 0.0, 0.1))
    use_topic(BY_EXAMPLES, by="Mary")
    return made


def proposed() -> list[int]:
    """The positions of the current proposals, best first."""
    with read() as session:
        current = db.proposing.current_set(session, 1)
        return [position for _, position in db.proposing.proposals(session, current.id)]


def test_the_sentence_like_the_examples_comes_first_whatever_the_cosine_says(version):
    embed_examples(version, EXAMPLES)
    propose()
    assert proposed() == [1, 2, 0]
    told = {position: dict(parts) for position, parts in why(1)["parts"].items()}
    liked, unlike = next(iter(told["1"])), next(iter(told["0"]))
    assert liked == "like the examples: “let”, “people”, “warm”" and told["1"][liked] > 0.5
    assert unlike.startswith("unlike the examples: “sent”") and told["0"][unlike] < -0.5


def test_until_the_examples_are_embedded_nothing_is_proposed_and_the_preview_goes_by_their_words(version):
    with read() as session:
        assert not all_embedded(session, version, EXAMPLES)
        assert example_ranker(session, version, RULES).meaning is None
        assert pools_of(session, version, [1], skip=True) == {}
        with pytest.raises(NotEmbedded, match="the examples of the topic are not embedded under tiny"):
            pools_of(session, version, [1])
    embed_examples(version, EXAMPLES)
    (found,) = preview(read_topic(BY_EXAMPLES.replace("Warm milk", "Milk")))
    assert found.changed[0].text == TEXT[1] and found.query_is_new


def test_a_fine_tuned_version_learns_from_the_words_of_examples_alone(version):
    tuned = version_without_weights("tuned", parent_id=version.id)
    for made in (version, tuned):
        embed_examples(made, EXAMPLES)
    with read() as session:
        plain, words = (example_ranker(session, made, RULES) for made in (version, tuned))
    assert plain.meaning is not None and words.meaning is None
    assert words.log_odds([TEXT[1]]) > 0 > words.log_odds([TEXT[0]])


def test_examples_are_embedded_once_and_only_where_they_rank(home, tiny_encoder):
    store(paper(TEXT, pmid="1"))
    made = add_encoder(str(tiny_encoder))
    propose_with(made)
    counted = "SELECT count(*) FROM query_embedding"
    use_topic(BY_EXAMPLES.replace("  accepted:", "  weight: 0\n  accepted:"), by="Mary")
    embed(made)
    assert query(counted) == [(1,)]  # the query
    use_topic(BY_EXAMPLES, by="Mary")
    for _ in range(2):
        embed(made)
        assert query(counted) == [(7,)]
    propose()
    assert proposed()[0] == 1
