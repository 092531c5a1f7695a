"""The fair test: what it asks for, that answers are verdicts, and that a comparison turns fair by them."""

import numpy as np
import pytest

import db.active_learning.heads
import db.rows
from annotate.evaluation.evaluate_version import NotEnoughGold, evaluate, measured
from annotate.evaluation.fair_test import questions
from annotate.gold.label_sets import current_label_set
from annotate.jobs.lifecycle import run_here
from annotate.project.home import read, write
from annotate.project.rights import Right
from annotate.proposing.comparison import compare, on_shared_fair
from annotate.proposing.encoder_versions import promote_encoder
from annotate.registry.versions import NotPromotable
from annotate.work import HANDLERS
from db.tables import Ranker
from db.values import Value
from model.active_learning.features import FEATURES
from model.proposing.ranking import Ranking
from tests.support.making import (
    judge,
    paper,
    pmids,
    propose_with,
    query,
    reading,
    store,
    store_cosines,
    verdict,
    version_without_weights,
)
from tests.support.topics import BEST_GENERIC, GENERIC_QUERIES, RULES

# No word of it is a term: the cosines alone rank, in the hybrid ranking too.
TEXT = tuple(f"The {word} was there on that day." for word in "sun rain wind snow hail fog dew ice cold heat".split())
ARTICLES = 12


@pytest.fixture
def versions(home):
    """A parent that ranks sentences 0 to 4 first and a child that ranks 9 to 5 first, on twelve test articles.

    True key sentence: 9. Judged were the parent's first five alone, with one of them taken for key.
    """
    store(*(paper(TEXT, pmid=pmid) for pmid in pmids("test", ARTICLES)))
    parent = version_without_weights("parent")
    propose_with(parent)
    child = version_without_weights("child", parent_id=parent.id)
    rising = np.linspace(0.1, 0.9, len(TEXT))
    for article_id in range(1, ARTICLES + 1):
        store_cosines(parent, article_id, GENERIC_QUERIES[BEST_GENERIC], rising[::-1])
        store_cosines(child, article_id, GENERIC_QUERIES[BEST_GENERIC], rising)
        judge("Anna", article_id, verdict(0), *(verdict(number, "reject") for number in (1, 2, 3, 4)))
    return parent, child


def asked(versions) -> dict[int, set[int]]:
    """The positions asked for by article."""
    found: dict[int, set[int]] = {}
    with read() as session:
        for question in questions(session, versions, current_label_set(session)):
            found.setdefault(question.sentence.article_id, set()).add(question.sentence.position)
    return found


def evaluated(versions):
    """The comparison of the two as of now."""
    for version in versions:
        evaluate(version, Ranking.HYBRID, "test")
    with read() as session:
        return compare(session, versions[1].id, current_label_set(session).split_sha256["test"], "hybrid")


def test_labels_of_the_parent_s_proposals_are_fair_to_it_alone(versions):
    found = evaluated(versions)
    assert (len(found.before.metrics["fair_articles"]), found.after.metrics["fair_articles"]) == (ARTICLES, [])
    assert (found.is_fair, found.fair, found.articles) == (False, frozenset(), ARTICLES)
    assert found.before.metrics["unjudged_share"] == found.after.metrics["unjudged_share"] == 0.5
    assert (found.before.metrics["arp_fair"], found.after.metrics["arp_fair"]) == (found.before.metrics["arp"], None)


def test_what_either_version_ranks_first_is_asked_for_until_it_is_judged(versions):
    for positions in (wanted := asked(versions)).values():
        assert positions == {5, 6, 7, 8, 9}  # all of the child's pool; one more by lot where that is no part of it
    assert set(wanted) == set(range(1, ARTICLES + 1))
    judge("Ben", 1, *(verdict(number, "unsure") for number in (5, 6, 7, 8, 9)))  # unsure is judged, too
    judge("Ben", 2, reading())
    assert set(asked(versions)) == set(range(3, ARTICLES + 1))


def test_the_true_order_comes_out_once_it_was_asked(versions):
    with read() as session:
        open_ones = questions(session, versions, current_label_set(session))
    assert [q.sentence.id for q in open_ones] != sorted(q.sentence.id for q in open_ones)
    for question in open_ones:
        value = Value.ACCEPT if question.sentence.position in (8, 9) else Value.REJECT
        judge("Ben", question.sentence.article_id, verdict(question.sentence.position, str(value)))
    for article_id in range(1, ARTICLES + 1):
        judge("Anna", article_id, verdict(0, "reject"))
    assert asked(versions) == {}
    found = evaluated(versions)
    assert (found.is_fair, len(found.fair), found.means("arp"), found.worse) == (True, ARTICLES, (0.0, 1.0), False)
    # Nobody was shown them as proposals, least of all of the version that proposes.
    assert set(query("SELECT origin, ranking FROM verdict WHERE annotator_id = 2")) == {("added", None)}


def test_what_was_judged_since_an_evaluation_makes_it_one_of_the_past(versions):
    assert evaluated(versions).worse
    judge("Ben", 1, verdict(9, "unsure"))  # no label, so that the label set stays what it was
    with read() as session:
        again = compare(session, versions[1].id, current_label_set(session).split_sha256["test"], "hybrid")
    assert (again.before, again.after, again.worse) == (None, None, None)
    with pytest.raises(NotPromotable, match="was not evaluated on the present labels"):
        promote_encoder(versions[1].id, by="Mary", label_set_sha256=sha(), even_if_worse=True)
    assert evaluated(versions).worse


def test_the_rankings_by_which_versions_are_compared_are_asked_for_beside_those_they_propose_by(versions):
    weights = {"weights": dict.fromkeys(FEATURES, 0.0), "intercept": 0.0, "terms": {}}
    weights["weights"]["cosine"] = -1.0  # the parent proposes the other way round
    with write(Right.SYSTEM) as session:
        values = {"label_set_sha256": "a" * 64, "weights": weights, "metrics": {"earned": True, "rules": RULES.name}}
        db.rows.add(session, Ranker(version_id=versions[0].id, **values))
    judge("Ben", 1, *(verdict(number, "reject") for number in (5, 6, 7, 8, 9)))
    assert set(asked([versions[0]])) == set(range(2, ARTICLES + 1))
    assert all(positions == {5, 6, 7, 8, 9} for positions in asked([versions[0]]).values())
    assert asked([versions[0]]).keys() == asked(versions).keys()


def test_an_unsure_sentence_is_judged_and_decides_nothing(versions):
    judge("Ben", 1, verdict(7, "unsure"), reading())
    with read() as session:
        (article,) = measured(versions[0], Ranking.COSINE, [1], current_label_set(session))
    assert article.judged.all() and np.flatnonzero(~article.decided).tolist() == [7]


def test_fair_articles_decide_where_they_are_enough(versions):
    for article_id in range(1, 11):
        judge("Ben", article_id, *(verdict(number, "reject") for number in (5, 6, 7, 8)), verdict(9))
        judge("Anna", article_id, verdict(0, "reject"))
    found = evaluated(versions)
    assert (found.is_fair, sorted(found.fair), found.means("arp")) == (True, [*range(1, 11)], (0.0, 1.0))
    assert found.before.metrics["arp"] == pytest.approx(2 / 12)
    promote_encoder(versions[1].id, by="Mary", label_set_sha256=sha(), ranking="hybrid")


def test_fair_numbers_of_versions_are_of_the_same_articles(versions):
    for article_id in range(1, 4):
        judge("Ben", article_id, *(verdict(number, "reject") for number in (5, 6, 7, 8)), verdict(9))
    found = evaluated(versions)
    before, after = found.before.metrics, found.after.metrics
    assert on_shared_fair(before, [before])["arp"] == before["arp_fair"]
    shared = [on_shared_fair(one, [before, after]) for one in (before, after)]
    assert [(each["articles"], each["arp"]) for each in shared] == [(3, 0.5), (3, 0.5)]
    assert shared[0]["without_document_labels"]["arp"] == 0.5 and shared[0]["arp_low"] <= 0.5 <= shared[0]["arp_high"]
    assert on_shared_fair(after, [{name: value for name, value in before.items() if name != "by_article"}, after]) == {}
    assert on_shared_fair(after, [before | {"fair_articles": []}, after]) == {}


def test_versions_without_a_fair_article_have_no_fair_numbers(versions):
    payload = {"versions": ["parent", "child"], "rankings": ["hybrid"], "pool": "fair"}
    with pytest.raises(NotEnoughGold, match="no article is fair to parent and child: judge what they rank first"):
        run_here("evaluate", payload, HANDLERS, lambda progress: None)


def sha() -> str:
    with read() as session:
        return current_label_set(session).split_sha256["test"]


def test_without_enough_of_them_all_articles_count_as_before(versions):
    found = evaluated(versions)
    assert found.means("arp") == (found.before.metrics["arp"], found.after.metrics["arp"]) and found.worse
    with pytest.raises(NotPromotable, match="ranks worse"):
        promote_encoder(versions[1].id, by="Mary", label_set_sha256=sha(), ranking="hybrid")


def test_a_sentence_is_judged_by_any_word_and_by_reading_in_full(versions):
    judge("Ben", 1, verdict(7, "unsure"))
    judge("Ben", 2, reading())
    with read() as session:
        one, two, three = measured(versions[0], Ranking.COSINE, [1, 2, 3], current_label_set(session))
    assert np.flatnonzero(one.judged).tolist() == [0, 1, 2, 3, 4, 7]
    assert two.judged.all() and np.flatnonzero(three.judged).tolist() == [0, 1, 2, 3, 4]
    assert one.truth.tolist() == [1, 0, 0, 0, 0, 0, 0, 0, 0, 0]
