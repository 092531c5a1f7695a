"""A topic by examples: what is learnt from ten sentences ranks the sentences of all articles, and says why."""

import numpy as np
import pytest

import db.proposing
from annotate.active_learning.article_rankers import why
from annotate.active_learning.topic_preview import preview
from annotate.project.home import read
from annotate.proposing.embed import embed
from annotate.proposing.encoders import add_encoder
from annotate.proposing.examples import all_embedded, example_likeness
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
    assert liked == "words of sentences like the examples: “let”, “people”, “warm”" and told["1"][liked] > 0.5
    assert unlike.startswith("words of sentences unlike the examples: “sent”") and told["0"][unlike] < -0.5


def test_until_the_examples_are_embedded_nothing_is_proposed_and_the_preview_goes_by_their_words(version):
    with read() as session:
        assert not all_embedded(session, version, EXAMPLES)
        assert example_likeness(session, version, RULES).ranker_for(0).meaning is None
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
        plain, words = (example_likeness(session, made, RULES).ranker_for(0) for made in (version, tuned))
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


def test_an_example_does_not_teach_the_article_in_which_it_stands(version):
    embed_examples(version, EXAMPLES)
    bath, *_, data = EXAMPLES.accepted[1], *EXAMPLES.rejected
    store(paper((bath, data), pmid="2"), paper(EXAMPLES.rejected, pmid="3"))
    store_cosines(version, 2, QUERY, (0.5, 0.5))
    store_cosines(version, 3, QUERY, (0.5, 0.5, 0.5))
    with read() as session:
        learnt = example_likeness(session, version, RULES)
        pools = {number: found.pool for number, found in pools_of(session, version, [2, 3]).items()}
    others, own = learnt.ranker_for(1, TEXT), learnt.ranker_for(2, (bath.replace(" ", "  "), data))
    assert "bath" in others.terms and "bath" not in own.terms and "milk" in own.terms
    vectors = np.float32([[0.5, 0.75**0.5]] * 2)
    assert pools[2].like == pytest.approx(own.log_odds((bath, data), vectors), abs=1e-3)
    assert pools[2].like != pytest.approx(others.log_odds((bath, data), vectors), abs=1e-3)
    assert pools[3].like.tolist() == [0, 0, 0]  # the other examples are all of one kind
